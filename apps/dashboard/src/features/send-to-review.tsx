import { Link } from '@tanstack/react-router';
import { api } from '../api/api.js';
import { Button } from '../components/button.js';
import { reviewAddress } from './addresses.js';
import { describeNew } from './describe-new.js';
import { runBulkJob, type BulkCounts, type ChosenRows } from './list/bulk-job.js';

export interface SendToReviewProps {
  datasetId: string;
  /** The datapoints. */
  chosen: ChosenRows;
  onSent?(): void;
}

/** The button that puts datapoints into the queue of their dataset. */
export function SendToReview({ datasetId, chosen, onSent }: SendToReviewProps) {
  const send = (): void => {
    void runBulkJob({
      ...{ chosen, title: 'Sending to review', one: 'datapoint' },
      act: (ids) => enqueue(datasetId, ids),
      describe: ({ done, existing }) =>
        `Sent ${describeNew(done, existing, 'datapoint')}${existing === 0 ? ' to review' : ''}`,
      action: <Link to={reviewAddress(datasetId)}>Start reviewing</Link>,
    });
    onSent?.();
  };
  return (
    <Button writes icon="check" onClick={send}>
      Send to review
    </Button>
  );
}

async function enqueue(datasetId: string, ids: readonly string[]): Promise<BulkCounts> {
  const body = { datapoint_ids: [...ids] };
  const { count, existing = 0 } = await api.enqueueDatapoints({ path: { id: datasetId }, body });
  return { done: count - existing, existing, failed: 0 };
}
