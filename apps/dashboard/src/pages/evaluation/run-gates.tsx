import type { EvalRunResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { describeActual, describeGate, describeGates } from '../../features/gates/gate-words.js';
import { useRunsOf } from '../../features/runs/use-runs-of.js';
import { ScrolledTable } from '../../features/statistics/scrolled-table.js';
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
