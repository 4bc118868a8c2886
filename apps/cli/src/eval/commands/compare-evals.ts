import type { ComparedItem, EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import {
  describePairs,
  formatCounted,
  formatDifference,
  formatScore,
  namedScores,
  shownScore,
} from '@spandrel/contract/browser';
import type { Api, AnswerOf } from '@spandrel/sdk';
import type { ClientCall } from '../../client/client-command.js';
import { oneLine } from '../../client/output/text.js';
import type { Output } from '../../client/output/output.js';
import type { Column } from '../../client/output/table.js';
import { findRun, findDataset } from '../../client/server.js';
import { readStatistics } from '../judge-run.js';
import { readNumber, readStatisticsOptions, type StatisticsOptions, readOption } from '../options/judging-options.js';
import { groupLines } from '../report-lines.js';
import { createPreview } from '../reports/report-items.js';
import { describeCompared, describeDifference, describeLatency, formatDollars } from '../words.js';
import { timeText } from '../../client/output/units.js';
import { readMetadata } from '../options/run-options.js';

type CompareEvalsOptions = Omit<StatisticsOptions, 'baseline'> & { limit?: string };

const CELL_COLUMNS_MAX = 50;

/** `spandrel eval compare`: how a run stands beside another of its dataset, and the datapoints that changed most. */
export async function compareEvals(
  { api, out, options }: ClientCall<CompareEvalsOptions>,
  runName: string,
  baselineName: string,
): Promise<void> {
  const by = readStatisticsOptions(options);
  const limit = readNumber('--limit', options.limit) ?? 10;
  const run = await findRun(api, runName);
  const baseline = await findRun(api, baselineName, run.dataset_id);
  const [runId, baselineId] = [run.id, baseline.id];
  const statistics = await readStatistics(api, runId, { ...by, baselineRunId: baselineId });
  const { comparison, groups, correction } = statistics;
  const changed = await mostChanged(api, run.dataset_id, runId, baselineId, limit);
  const divided = groups && { groups, correction };
  if (out.json) return out.document({ run_id: runId, baseline_run_id: baselineId, comparison, ...divided, changed });
  const named = (name: string, id: string): string => `${out.paint(oneLine(name), 'bold')} (${id})`;
  await out.lines([
    `${named(run.name, runId)} beside ${named(baseline.name, baselineId)}`,
    '',
    ...comparisonLines(comparison!, [run, baseline], out),
    ...groupLines(statistics, out),
    ...changedLines(changed, out),
  ]);
}

type Comparison = NonNullable<EvalStatistics['comparison']>;

const STYLES = { worse: 'red', better: 'green', no_difference: undefined, unknown: undefined } as const;

function comparisonLines(comparison: Comparison, runs: readonly EvalRunSummary[], out: Output): string[] {
  return [
    ...namedScores(comparison, ...runs).flatMap(({ name, of }) => [
      `${name ?? 'Score'}: ${out.paint(describeCompared(comparison, name, of), STYLES[of.verdict])}.`,
      `  ${describeDifference(of)}`,
    ]),
    ...describeLatency(comparison),
    describePairs(comparison, 'the run', 'the baseline'),
  ];
}

/** The datapoints whose scores differ most, falls and rises alike, the largest change first. */
async function mostChanged(
  api: Api,
  datasetId: string,
  runId: string,
  baselineId: string,
  limit: number,
): Promise<ComparedItem[]> {
  const falls = async (baseline: string): Promise<ComparedItem[]> => {
    const { items } = await api.compareEvalItems({
      path: { id: datasetId },
      query: {
        ...{ runs: `${baselineId},${runId}`, baseline, only: 'regressed', order: 'regression', limit },
        include: 'samples',
      },
    });
    return items as ComparedItem[];
  };
  const [fallen, risen] = await Promise.all([falls(baselineId), falls(runId)]);
  // A rise is a fall of the baseline beside the run.
  return [...fallen, ...risen.map((item) => ({ ...item, delta: -item.delta! }))]
    .sort((a, b) => Math.abs(b.delta!) - Math.abs(a.delta!))
    .slice(0, limit);
}

function changedLines(changed: readonly ComparedItem[], out: Output): string[] {
  if (changed.length === 0) return ['', 'No datapoint has another score.'];
  const text = (value: ComparedItem['input']): string => (value === null ? '' : createPreview(value, CELL_COLUMNS_MAX));
  const columns: Column<ComparedItem>[] = [
    {
      title: 'change',
      text: ({ delta }) => formatDifference(delta),
      align: 'right',
      style: ({ delta }) => (delta! < 0 ? 'red' : 'green'),
    },
    {
      title: 'score',
      text: ({ results: [before, after] }) => `${formatScore(before?.score)} → ${formatScore(after?.score)}`,
    },
    { title: 'input', text: ({ input }) => text(input), shrinks: true },
    { title: 'expected', text: ({ expected }) => text(expected), shrinks: true },
    { title: 'output before', text: ({ results: [before] }) => text(shownOutput(before)), shrinks: true },
    { title: 'output now', text: ({ results: [, after] }) => text(shownOutput(after)), shrinks: true },
  ];
  return ['', `${formatCounted(changed.length, 'datapoint')} that changed most:`, ...out.table(columns).lines(changed)];
}

/** The output of a run; of several tries the worst one's, with its number. */
function shownOutput(result: ComparedItem['results'][number] | undefined): string | null {
  const worst = result?.samples?.find(({ repeat }) => repeat === result.worst_repeat);
  if (worst === undefined) return result?.output ?? null;
  return `worst try ${worst.repeat + 1} with score ${formatScore(worst.score)}: ${worst.output ?? worst.error ?? ''}`;
}

type TextOption = 'dataset' | 'status' | 'execution' | 'passed' | 'name' | 'limit' | 'cursor';
type ListEvalsOptions = Partial<Record<TextOption, string>> & { metadata?: string[] };

export async function listEvals({ api, out, options }: ClientCall<ListEvalsOptions>): Promise<void> {
  const metadata = readOption('--metadata', '', () => readMetadata(options.metadata ?? []));
  const limit = readNumber('--limit', options.limit);
  const dataset = options.dataset === undefined ? undefined : await findDataset(api, options.dataset);
  // What the API does not take it refuses, with the name of the parameter.
  const { status, execution, passed, name, cursor } = options;
  const query = { dataset_id: dataset?.id, status, execution, passed, name, metadata, limit, cursor };
  const answer = await api.raw('GET', '/api/eval', { query });
  const page = (await answer.json()) as AnswerOf<'listEvalRuns'>;
  if (out.json) return out.document(page);
  if (page.runs.length === 0) out.note('no runs');
  else await out.lines(out.table(columnsFor(out.isTerminal)).lines(page.runs as EvalRunSummary[]));
  if (page.next_cursor !== null) {
    out.note(`there are more runs: --limit up to 1000, or --cursor ${page.next_cursor}`);
  }
}

const GATES = { true: 'hold', false: 'do not hold', null: '' } as const;

const formatError = (se: number | null): string => (se === null ? '' : formatScore(se));

const columnsFor = (isTerminal: boolean): Column<EvalRunSummary>[] => [
  { title: 'run', text: ({ id }) => id },
  { title: 'name', text: ({ name }) => name, shrinks: true },
  {
    title: 'status',
    text: ({ status, stop_reason: reason, error }) => {
      if (status === 'completed' && error !== null) return 'all failed';
      return reason === 'cost_cap' ? 'cost cap' : (reason ?? status);
    },
    style: ({ status, error }) => (error !== null ? 'red' : status === 'cancelled' ? 'yellow' : undefined),
  },
  {
    title: 'samples',
    text: ({ sample_progress: done, sample_total: total }) => `${done}/${total}`,
    align: 'right',
    leaveOut: 1,
  },
  { title: 'score', text: (run) => formatScore(shownScore(run).mean), align: 'right' },
  { title: '±', text: (run) => formatError(shownScore(run).se), align: 'right', leaveOut: 2 },
  {
    title: 'gates',
    text: ({ passed }) => GATES[`${passed}`],
    style: ({ passed }) => (passed === false ? 'red' : 'green'),
  },
  { title: 'cost', text: ({ total_cost: cost }) => formatDollars(cost), align: 'right', leaveOut: 3 },
  { title: 'created', text: ({ created_at: at }) => timeText(at, isTerminal), leaveOut: 4 },
];
