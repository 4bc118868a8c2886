import type { EvalRunResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
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
import { keys } from '../../api/keys.js';
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
            <td {...(typeof gate.actual === 'number' && { title: String(gate.actual) })} dir="auto">
              {gate.reason === undefined ? found : `${found}: ${gate.reason}`}
            </td>
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
  const client = useQueryClient();
  const [gates, setFields] = useState<readonly GateFields[]>(() =>
    run.gates.length === 0 ? [NEW_GATE] : run.gates.map(fieldsOfGate),
  );
  return (
    <FormDialog
      title="Gates of this run"
      size="large"
      action="Save gates"
      failed="The gates could not be saved"
      paths={['gates']}
      send={() => api.setEvalGates({ path: { id: run.id }, body: { gates: gates.map(gateOf) } })}
      onSent={() => {
        void client.invalidateQueries({ queryKey: keys.run(run.id) });
        void client.invalidateQueries({ queryKey: ['runs'] });
        onClose();
      }}
      onClose={onClose}
    >
      {(faults) => (
        <GateEditor
          {...{ gates, faults }}
          datasetId={run.dataset_id}
          runId={run.id}
          scorers={run.scorers.map(({ name }) => name)}
          repeats={run.repeats}
          onChange={setFields}
        />
      )}
    </FormDialog>
  );
}
