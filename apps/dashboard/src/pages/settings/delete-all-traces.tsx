import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { countTraces, deleteAllTraces } from '../../api/traces.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { TypedConfirmation } from './typed-confirmation.js';

/** What somebody types who means it. */
const WORD = 'delete';

/** Deletes every trace of the project, once somebody typed that they mean it. */
export function DeleteAllTraces({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const { data: counted } = useQuery({
    queryKey: ['traces', 'count of all'],
    queryFn: ({ signal }) => countTraces(signal),
    staleTime: 0,
  });
  const deletion = useMutation({
    mutationFn: deleteAllTraces,
    onSuccess: ({ traces_deleted: traces, spans_deleted: spans }) => {
      client.clear();
      onClose();
      notify(`Deleted ${formatCounted(traces, 'trace')} with ${formatCounted(spans, 'span')}`);
    },
    onError: (error) => notifyError('The traces could not be deleted', error),
  });
  return (
    <TypedConfirmation
      title="Delete all traces?"
      label={`Type ${WORD} to confirm`}
      isMeant={(typed) => typed.toLowerCase() === WORD}
      isPending={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>
        {counted ? describe(counted) : 'All traces'} of this project with all their spans are deleted, and cannot be had
        back. Datasets, evaluations, the review queue and connections stay.
      </p>
    </TypedConfirmation>
  );
}

const describe = ({ count, exact }: { count: number; exact: boolean }): string =>
  exact ? formatCounted(count, 'trace') : `More than ${formatCount(count)} traces`;
