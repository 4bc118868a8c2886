import type { EvalRunResource, EvalStatistics } from '@spandrel/contract';
import { formatCount, formatScore, NONE } from '@spandrel/contract/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { FormDialog } from '../../features/dialogs.js';
import { GateEditor } from '../../features/gates/gate-editor.js';
import {
  describeActual,
  describeGate,
  describeGates,
  fieldsOfGate,
  gateOf,
  NEW_GATE,
  type GateFields,
} from '../../features/gates/gates.js';
import { FaultNotice, QueryFault } from '../../components/page-parts.js';
import { formatCost, formatCostExactly, formatDuration } from '../../components/format.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { RunField, runQuery, useRunsOf } from '../../features/runs/run-queries.js';
import type { Division } from '../../features/statistics/division.js';
import {
  DivisionFields,
  GroupTable,
  PassTable,
  RunComparison,
  PreferenceWords,
  ScoreTable,
  ScrolledTable,
  useStatistics,
} from '../../features/statistics/statistics-tables.js';
import { FieldRow } from '../../components/field.js';
import { Terms } from '../../features/statistics/terms.js';
import { wordsOfScorer } from '../../features/scorer-words.js';
import styles from './run-page.module.css';

interface RunStatisticsProps {
  run: EvalRunResource;
  search: Division & { baseline?: string };
  onChange(member: 'baseline' | keyof Division, value: string): void;
}

/** What the scores of a run come to, how sure that is, and whether it is better than a baseline. */
export function RunStatistics({ run, search, onChange }: RunStatisticsProps) {
  const query = useStatistics(run, undefined, search);
  const { data } = query;
  const { baseline = run.baseline_run_id ?? undefined } = search;
  if (run.sample_progress === 0) return null;
  return (
    <section aria-label="Statistics" className={styles.section}>
      <h2>Statistics</h2>
      <FieldRow>
        <RunField
          label="Compare with"
          none={run.baseline_run_id === null ? 'No baseline' : 'The run that it was started to compare with'}
          datasetId={run.dataset_id}
          without={[run.id, run.baseline_run_id ?? undefined]}
          value={search.baseline ?? ''}
          onChange={(id) => onChange('baseline', id)}
        />
        <DivisionFields runId={run.id} division={search} onChange={onChange} />
      </FieldRow>
      <QueryFault title="The statistics could not be loaded" query={query} />
      {data && (
        <>
          <ScoreTable run={run} statistics={data} />
          <PreferenceWords statistics={data} />
          <PassTable run={run} statistics={data} />
          <FactList label="Statistics facts" facts={statisticsFacts(run, data)} />
          {baseline === undefined && <GroupTable statistics={data} run={run.name} />}
        </>
      )}
      {baseline !== undefined && <AgainstBaseline run={run} baseline={baseline} division={search} />}
      <Terms />
    </section>
  );
}

function AgainstBaseline({ run, baseline, division }: { run: EvalRunResource; baseline: string; division: Division }) {
  const { data, error } = useQuery(runQuery(baseline));
  if (error) return <FaultNotice title="The baseline could not be loaded" error={error} />;
  return data ? <RunComparison run={run} baseline={data} division={division} /> : null;
}

function passWords({ pass_mode: mode, pass_score: ofRun, scorers }: EvalRunResource): string {
  const counting = scorers.filter(({ weight }) => weight > 0);
  if (mode === 'mean' || counting.length < 2) return formatScore(counting[0]?.pass_score ?? ofRun);
  return counting.map(({ name, pass_score: own }) => `${wordsOfScorer(name)} ${formatScore(own)}`).join(', ');
}

function statisticsFacts(run: EvalRunResource, { latency_ms: latency, cost, ...counts }: EvalStatistics): Fact[] {
  const { failed_samples: failed, pending_samples: pending } = counts;
  return [
    { name: 'Pass score', value: passWords(run) },
    { name: 'Median latency', value: formatDuration(latency.p50) },
    { name: '95th percentile', value: formatDuration(latency.p95) },
    { name: 'Cost of a sample', value: formatCost(cost.mean), exact: formatCostExactly(cost.mean) },
    ...(failed > 0 ? [{ name: 'Failed samples left out', value: formatCount(failed) }] : []),
    ...(pending > 0 ? [{ name: 'Samples to come', value: formatCount(pending) }] : []),
  ];
}

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
  const { data: runs } = useRunsOf(datasetId);
  const nameOf = (id: string): string => runs?.find((run) => run.id === id)?.name ?? id;
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
