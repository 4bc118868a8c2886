import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/api.js';
import { Button } from '../components/button.js';
import { notify, notifyError } from '../components/notify.js';
import { reviewAddress } from './addresses.js';
import { describeNew } from './describe-new.js';

export interface SendToReviewProps {
  datasetId: string;
  /** Ids of the datapoints. */
  ids: readonly string[];
  onSent?(): void;
}

/** The button that puts datapoints into the queue of their dataset. */
export function SendToReview({ datasetId, ids, onSent }: SendToReviewProps) {
  const sending = useMutation({
    mutationFn: () => api.enqueueDatapoints({ path: { id: datasetId }, body: { datapoint_ids: [...ids] } }),
    onSuccess: ({ count, existing = 0 }) => {
      onSent?.();
      notify(
        `Sent ${describeNew(count - existing, existing, 'datapoint')}${existing === 0 ? ' to review' : ''}`,
        <Link to={reviewAddress(datasetId)}>Start reviewing</Link>,
      );
    },
    onError: (error) => notifyError('The datapoints could not be sent to review', error),
  });
  return (
    <Button writes icon="check" disabled={sending.isPending} onClick={() => sending.mutate()}>
      Send to review
    </Button>
  );
}
