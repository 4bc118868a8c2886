import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.js';
import { PageHeading } from '../components/page-heading.js';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <>
      <PageHeading title="Page not found" />
      <EmptyState title="There is no page at this address" action={<Link to="/traces">Go to Traces</Link>}>
        <p>The address may have been cut, or the page may be of another version.</p>
      </EmptyState>
    </>
  );
}
