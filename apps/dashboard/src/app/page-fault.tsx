import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { FaultNotice, PageHeading } from '../components/page-parts.js';

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
