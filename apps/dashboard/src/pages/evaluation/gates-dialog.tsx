import type { EvalRunResource } from '@spandrel/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { setGates } from '../../api/evals.js';
import { FieldFaults } from '../../api/field-faults.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { GateEditor } from '../../features/gates/gate-editor.js';
import { fieldsOfGate, gateOf, NEW_GATE, type GateFields } from '../../features/gates/gate-fields.js';

/** Gives a run other gates; one that is over is judged by them at once. */
export function GatesDialog({ run, onClose }: { run: EvalRunResource; onClose(): void }) {
  const formId = useId();
  const client = useQueryClient();
  const [gates, setFields] = useState<readonly GateFields[]>(() =>
    run.gates.length === 0 ? [NEW_GATE] : run.gates.map(fieldsOfGate),
  );
  const saving = useMutation({
    mutationFn: () => setGates(run.id, gates.map(gateOf)),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.run(run.id) });
      void client.invalidateQueries({ queryKey: ['runs'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate();
  };
  const faults = new FieldFaults(saving.error);
  return (
    <Dialog
      title="Gates of this run"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={saving.isPending}>
            Save gates
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <GateEditor
          {...{ gates, faults }}
          datasetId={run.dataset_id}
          runId={run.id}
          scorers={run.scorers.map(({ name }) => name)}
          repeats={run.repeats}
          onChange={setFields}
        />
        {saving.error && !faults.areAllAt(['gates']) && (
          <FaultNotice title="The gates could not be saved" error={saving.error} />
        )}
      </form>
    </Dialog>
  );
}
