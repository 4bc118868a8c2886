import { Link } from '@tanstack/react-router';
import { EmptyState, PageHeading } from '../components/page-parts.js';

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <>
      <PageHeading title="Page not found" />
      <EmptyState title="There is no page at this address" action={<Link to="/traces">Go to Traces</Link>}>
        <p>The address may be incomplete, or the page may belong to another version.</p>
      </EmptyState>
    </>
  );
}
