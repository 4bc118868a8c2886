import type { ReactNode } from 'react';
import { EmptyState, PageHeading } from './page-parts.js';

/** What stands in the place of an object that does not exist, or belongs to another project. */
export function NotFound({ what, back, children }: { what: string; back: ReactNode; children?: ReactNode }) {
  return (
    <>
      <PageHeading title={`${what} not found`} />
      <EmptyState title={`There is no such ${what.toLowerCase()} in this project`} action={back}>
        <p>{children ?? 'It may have been deleted, or the address may be incomplete.'}</p>
      </EmptyState>
    </>
  );
}
