import type { EvalItem } from '@spandrel/contract';
import {
  describePairs,
  describeVerdict,
  formatCounted,
  formatDifference,
  formatInterval,
  formatP,
  NONE,
} from '@spandrel/contract/browser';
import { describeDifference, describeLatency } from '../words/comparison-words.js';
import { namedScores } from '../words/named-scores.js';
import { describeStop } from '../words/stop-words.js';
import { VERDICT_TITLES } from '../words/verdict-titles.js';
import type { EvalFault, EvalReport } from './eval-report.js';
import { failingItems } from './failing-items.js';
import { inlineCode, markdownTable, plainText } from './markdown-text.js';
import { numberRows } from './number-rows.js';
import { previewOf } from './preview.js';

/** Datapoints that are shown of those that do not pass. */
const SHOWN_MAX = 10;
const CELL_COLUMNS_MAX = 160;

/** Runs as a page for people: what became of each, its numbers, its gates, and the datapoints that do not pass. */
export function markdownReport(reports: readonly EvalReport[], faults: readonly EvalFault[] = []): string {
  const sections = [...reports.map(sectionOf), ...faults.map(faultSection)];
  return `${sections.map((lines) => lines.join('\n').trimEnd()).join('\n\n')}\n`;
}

const faultSection = ({ file, fault }: EvalFault): string[] => [
  `## ❌ ${inlineCode(file)}: could not be run`,
  '',
  inlineCode(fault),
];

function sectionOf(report: EvalReport): string[] {
  const { run, verdict } = report;
  const stop = describeStop(run);
  return [
    `## ${verdict === 'passed' ? '✅' : '❌'} ${plainText(run.name)}: ${VERDICT_TITLES[verdict]}`,
    '',
    aboutLine(report),
    '',
    ...(stop === null ? [] : [inlineCode(stop), '']),
    ...markdownTable(
      ['', 'value', '95% interval'],
      numberRows(report).map(({ what, value, interval }) => [plainText(what), value, interval]),
    ),
    ...gatesOf(report),
    ...comparisonOf(report),
    ...failuresOf(report),
  ];
}

function aboutLine({ run, dataset, url, file }: EvalReport): string {
  const size = `${formatCounted(run.total, 'datapoint')}${run.repeats > 1 ? `, ${run.repeats} samples each` : ''}`;
  return [
    `Dataset ${inlineCode(dataset.name)}`,
    ...(run.config.model === null ? [] : [`model ${inlineCode(run.config.model)}`]),
    size,
    ...(file === undefined ? [] : [inlineCode(file)]),
    `[open the run](${url})`,
  ].join(' · ');
}

const HOLDS = { true: 'holds', false: '**does not hold**', null: 'not judged' } as const;

const gatesOf = ({ gates }: EvalReport): string[] =>
  markdownTable(
    ['Gate', 'found', ''],
    gates.map(({ text, found, passed }) => [inlineCode(text), found, HOLDS[`${passed}`]]),
  );

function comparisonOf({ statistics: { comparison }, baselineName }: EvalReport): string[] {
  if (comparison === null) return [];
  const { score, scorers, baseline_run_id: id } = comparison;
  const sentences = [
    `Compared with the baseline ${inlineCode(baselineName ?? id)}: **${describeVerdict(score)}**.`,
    `${describeDifference(score)}.`,
    ...describeLatency(comparison),
    describePairs(comparison, 'the run', 'the baseline'),
  ];
  return [
    sentences.join(' '),
    '',
    ...markdownTable(
      ['', 'difference', '95% interval', 'p'],
      namedScores(scorers).map(([name, { diff, ci, p_value: p }]) => [
        inlineCode(name),
        formatDifference(diff),
        formatInterval(ci),
        formatP(p),
      ]),
    ),
  ];
}

function failuresOf(report: EvalReport): string[] {
  const failing = failingItems(report, SHOWN_MAX);
  if (!failing) return [];
  return [
    `### ${failing.title}`,
    '',
    ...markdownTable(
      ['input', 'expected', 'output', 'why'],
      failing.worst.map(({ item, why }) => [
        cell(item.input),
        cell(item.expected),
        cell(item.output),
        cell(item.score_reason === null ? why : `${why}: ${item.score_reason}`),
      ]),
    ),
  ];
}

const cell = (value: EvalItem['input']): string =>
  value === null ? NONE : inlineCode(previewOf(value, CELL_COLUMNS_MAX)) || NONE;
