import { Link } from '@tanstack/react-router';
import styles from './trace-link.module.css';

/** The address of the review of a dataset. */
export const reviewAddress = (datasetId: string): string => `/review/${encodeURIComponent(datasetId)}`;

/** The way to an item of a review, to be read. */
export function ReviewItemLink({ datasetId, itemId, text }: { datasetId: string; itemId: string; text: string }) {
  return (
    <Link to={reviewAddress(datasetId)} search={{ item: itemId } as never} className={styles.link} dir="auto">
      {text}
    </Link>
  );
}
