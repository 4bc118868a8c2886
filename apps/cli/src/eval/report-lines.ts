import type { EvalItem } from '@spandrel/contract';
import { describePairs, describePreference, formatCounted, namedScores } from '@spandrel/contract/browser';
import type { Output } from '../client/output/output.js';
import type { Column } from '../client/output/table.js';
import { oneLine } from '../client/output/text.js';
import { VERDICTS } from './judge-run.js';
import type { EvalReport } from './reports/report-items.js';
import {
  failingItems,
  groupTable,
  numberRows,
  createPreview,
  type FailingItems,
  type NumberRow,
} from './reports/report-items.js';
import { describeCompared, describeDifference, describeLatency, describeStop } from './words.js';

const SHOWN_MAX = 5;
const CELL_COLUMNS_MAX = 60;

/** A run for people: its numbers, its gates, its baseline, the worst datapoints, and what became of it. */
export function reportLines(report: EvalReport, out: Output): string[] {
  const { run, verdict, url, skipped } = report;
  const stop = describeStop(run);
  const { title, style } = VERDICTS[verdict];
  return [
    // First of all, since who reads no further may take it for a pass.
    ...(skipped === undefined ? [] : [out.paint(`${skipped}.`, 'yellow')]),
    titleLine(report, out),
    '',
    ...out.table(NUMBERS).lines(numberRows(report)),
    ...Object.entries(report.statistics.scorers).flatMap(([name, { preference }]) =>
      preference ? ['', `${name}: ${describePreference(preference)}`] : [],
    ),
    ...gateLines(report, out),
    ...comparisonLines(report),
    ...groupLines(report.statistics, out),
    ...failureLines(report, out),
    '',
    ...(stop === null ? [] : [out.paint(oneLine(stop), style)]),
    `${out.paint(capital(title), style)}  ${url}`,
  ];
}

function titleLine({ run, dataset, file }: EvalReport, out: Output): string {
  const size = `${formatCounted(run.total, 'datapoint')}${run.repeats > 1 ? `, ${run.repeats} samples each` : ''}`;
  const { model } = run.config;
  const about = [`dataset ${oneLine(dataset.name)}`, ...(model === null ? [] : [oneLine(model)]), size];
  const name = file === undefined ? oneLine(run.name) : `${oneLine(file)}: ${oneLine(run.name)}`;
  return `Eval ${out.paint(name, 'bold')} (${about.join(', ')})`;
}

const NUMBERS: readonly Column<NumberRow>[] = [
  { title: '', text: ({ what }) => what },
  { title: 'value', text: ({ value }) => value },
  { title: '95% interval', text: ({ interval }) => interval },
];

const HOLDS = { true: 'holds', false: 'does not hold', null: 'not judged' } as const;
const HOLDS_STYLE = { true: 'green', false: 'red', null: 'yellow' } as const;

function gateLines({ gates }: EvalReport, out: Output): string[] {
  if (gates.length === 0) return [];
  const columns: Column<EvalReport['gates'][number]>[] = [
    { title: 'Gate', text: ({ text }) => text },
    { title: 'found', text: ({ found }) => found },
    { title: '', text: ({ passed }) => HOLDS[`${passed}`], style: ({ passed }) => HOLDS_STYLE[`${passed}`] },
  ];
  return ['', ...out.table(columns).lines(gates)];
}

function comparisonLines({ statistics: { comparison }, run, baseline }: EvalReport): string[] {
  if (comparison === null || !baseline) return [];
  const { baseline_run_id: id } = comparison;
  const named = namedScores(comparison, run, baseline);
  return [
    '',
    `Compared with ${oneLine(baseline.name)} (${id}): ${oneLine(comparison.summary)}`,
    ...named.map(({ name, of }) => {
      if (name === null) return `  ${describeDifference(of)}`;
      return `  ${name}: ${named.length > 1 ? `${describeCompared(comparison, name, of)}. ` : ''}${describeDifference(of)}`;
    }),
    ...describeLatency(comparison).map((words) => `  ${words}`),
    `  ${describePairs(comparison, 'the run', 'the baseline')}`,
  ];
}

/** The numbers of each group of datapoints; nothing where none were asked for. */
export function groupLines(statistics: Parameters<typeof groupTable>[0], out: Output): string[] {
  const table = groupTable(statistics);
  if (!table) return [];
  const columns = table.head.map((title, at): Column<string[]> => ({ title, text: (row) => row[at] ?? '' }));
  return ['', `${table.title}:`, ...out.table(columns).lines(table.rows), ...(table.note === '' ? [] : [table.note])];
}

function failureLines(report: EvalReport, out: Output): string[] {
  const failing = failingItems(report, SHOWN_MAX);
  if (!failing) return [];
  const text = (value: EvalItem['input']): string => (value === null ? '' : createPreview(value, CELL_COLUMNS_MAX));
  const columns: Column<FailingItems['worst'][number]>[] = [
    // A line that begins with a recorded text could be taken for a command of GitHub's runner.
    { title: '', text: ({ outcome }) => (outcome === 'error' ? 'error' : 'fails') },
    { title: 'input', text: ({ item }) => text(item.input), shrinks: true },
    { title: 'expected', text: ({ item }) => text(item.expected), shrinks: true },
    { title: 'output', text: ({ item }) => text(item.output), shrinks: true },
    { title: 'why', text: ({ why }) => createPreview(why, CELL_COLUMNS_MAX), shrinks: true },
  ];
  return ['', `${failing.title}:`, ...out.table(columns).lines(failing.worst)];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
