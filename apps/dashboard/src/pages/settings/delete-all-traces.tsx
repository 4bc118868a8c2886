import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { countTraces, deleteAllTraces } from '../../api/traces.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { formatCount, formatCounted } from '../../components/format/format-count.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import styles from './settings-page.module.css';

/** What somebody types who means it. */
const WORD = 'delete';

/** Deletes every trace of the project, once somebody typed that they mean it. */
export function DeleteAllTraces({ onClose }: { onClose(): void }) {
  const formId = useId();
  const [typed, setTyped] = useState('');
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
  const isMeant = typed.trim().toLowerCase() === WORD;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !deletion.isPending) deletion.mutate();
  };
  return (
    <Dialog
      title="Delete all traces?"
      role="alertdialog"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={formId} disabled={!isMeant || deletion.isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <p>
          {counted ? describe(counted) : 'All traces'} of this project with all their spans are deleted, and cannot be
          had back. Datasets, evaluations, the review queue and connections stay.
        </p>
        <TextField
          label={`Type ${WORD} to confirm`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}

const describe = ({ count, exact }: { count: number; exact: boolean }): string =>
  exact ? formatCounted(count, 'trace') : `More than ${formatCount(count)} traces`;
