import { useRouter, Link, type ErrorComponentProps } from '@tanstack/react-router';
import { FaultNotice, PageHeading, EmptyState } from '../components/page-parts.js';

/** A page that broke while it was drawn. The shell and the other pages work. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeading title="Something went wrong" />
      <FaultNotice title="This page could not be shown" error={asError(error)} onRetry={retry} />
    </>
  );
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <>
      <PageHeading title="Page not found" />
      <EmptyState title="There is no page at this address" action={<Link to="/traces">Go to Traces</Link>}>
        <p>The address may be incomplete, or the page may belong to another version.</p>
      </EmptyState>
    </>
  );
}
