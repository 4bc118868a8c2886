import type { EvalRunResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import {
  describeActual,
  describeGate,
  describeGates,
  fieldsOfGate,
  gateOf,
  NEW_GATE,
  type GateFields,
} from '../../features/gates/gates.js';
import { useRunsOf } from '../../features/runs/run-queries.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { setGates } from '../../api/evals.js';
import { FieldFaults } from '../../api/field-faults.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/page-parts.js';
import { GateEditor } from '../../features/gates/gate-editor.js';
import styles from './run-page.module.css';

/** The gates of a run with what was found; nothing where it has none. */
export function RunGates({ run }: { run: EvalRunResource }) {
  if (run.gates.length === 0) return null;
  return (
    <section aria-label="Gates" className={styles.section}>
      <h2>Gates: {describeGates(run.gates)?.toLowerCase()}</h2>
      <GateTable run={run} />
    </section>
  );
}

function GateTable({ run: { gates, dataset_id: datasetId } }: { run: EvalRunResource }) {
  const runs = useRunsOf(datasetId);
  const nameOf = (id: string): string => runs.find((run) => run.id === id)?.name ?? id;
  return (
    <ScrolledTable
      caption="Gates of this run"
      isCaptionHidden
      columns={['Gate', 'Found', 'Verdict']}
      starts={['Verdict']}
    >
      {gates.map((gate) => {
        const words = describeGate(gate, nameOf);
        const found = describeActual(gate);
        return (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td {...(typeof gate.actual === 'number' && { title: String(gate.actual) })}>{found}</td>
            <td data-align="start" className={gate.passed === false ? styles.broken : undefined}>
              {gate.passed === null ? NONE : gate.passed ? 'Holds' : 'Does not hold'}
            </td>
          </tr>
        );
      })}
    </ScrolledTable>
  );
}

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
