import type { EvalRunResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { cancelRun, deleteRun } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { goesOn } from '../../features/runs/end-of-run.js';
import { GatesDialog } from './gates-dialog.js';

/** What can be done with a run. */
export function RunActions({ run }: { run: EvalRunResource }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isGating, setIsGating] = useState(false);
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.run(run.id) }),
    onError: (error) => notifyError('The run could not be cancelled', error),
  });
  const { id } = run;
  const runAgain = (): void => void navigate({ to: '/evaluations/new', search: { run: id } });
  const compare = (): void => void navigate({ to: '/evaluations/compare', search: { runs: id } });
  const askForGates = (): void => setIsGating(true);
  const askToDelete = (): void => setIsDeleting(true);
  // A run whose turn has not come yet cannot be cancelled.
  const canCancel = run.status === 'running' && !cancel.isPending;
  useShortcuts([
    ...(canCancel ? [{ keys: '', label: 'Cancel run', writes: true, group: 'Run', run: () => cancel.mutate() }] : []),
    { keys: '', label: 'Run again', writes: true, group: 'Run', run: runAgain },
    { keys: '', label: 'Edit gates', writes: true, group: 'Run', run: askForGates },
    { keys: '', label: 'Compare run', group: 'Run', run: compare },
    { keys: '', label: 'Delete run', writes: true, group: 'Run', run: askToDelete },
  ]);
  return (
    <>
      {goesOn(run) && (
        <Button writes disabled={!canCancel} onClick={() => cancel.mutate()}>
          Cancel run
        </Button>
      )}
      <Button writes onClick={runAgain}>
        Run again
      </Button>
      <Button writes onClick={askForGates}>
        Edit gates
      </Button>
      <Button onClick={compare}>Compare</Button>
      <Button writes icon="trash" onClick={askToDelete}>
        Delete run
      </Button>
      {isGating && <GatesDialog run={run} onClose={() => setIsGating(false)} />}
      {isDeleting && <DeleteRun run={run} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

function DeleteRun({ run, onClose }: { run: EvalRunResource; onClose(): void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => deleteRun(run.id),
    onSuccess: () => {
      client.removeQueries({ queryKey: ['runs'] });
      notify(`Deleted the run ${run.name}`);
      void navigate({ to: '/evaluations' });
    },
    onError: (error) => {
      onClose();
      notifyError('The run could not be deleted', error);
    },
  });
  return (
    <ConfirmDialog
      title="Delete run?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>{formatCounted(run.total, 'result')} with outputs and scores go with it. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
