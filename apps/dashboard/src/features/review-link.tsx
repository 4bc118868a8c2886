import { Link } from '@tanstack/react-router';

/** The address of the review of a dataset. */
export const reviewAddress = (datasetId: string): string => `/review/${encodeURIComponent(datasetId)}`;

/** The way to an item of a review, to be read. */
export function ReviewItemLink({ datasetId, itemId, text }: { datasetId: string; itemId: string; text: string }) {
  return (
    <Link to={reviewAddress(datasetId)} search={{ item: itemId } as never} dir="auto">
      {text}
    </Link>
  );
}
