import { stripVTControlCharacters } from 'node:util';
import type { EvalItem } from '@spandrel/contract';
import {
  describePairs,
  formatCounted,
  formatDifference,
  formatInterval,
  formatP,
  namedScores,
  oneScore,
  NONE,
} from '@spandrel/contract/browser';
import { VERDICTS } from '../judge-run.js';
import { describeCompared, describeDifference, describeLatency, describeStop } from '../words.js';
import type { EvalReport, EvalFault } from './report-items.js';
import { failingItems, groupTable, numberRows, createPreview } from './report-items.js';

/** A table of texts that are markdown already; nothing without rows. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

/** A recorded text as code in one line, so that nothing in it is markdown, a link or the name of somebody. */
export function inlineCode(text: string): string {
  const line = toLine(text).trim();
  if (line === '') return '';
  // Code may have any backticks but a run of as many as it stands between.
  const fence = '`'.repeat(longestRun(line) + 1);
  const blank = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // In a table a backslash takes its meaning from the bar behind it: one before it would free the bar.
  return `${fence}${blank}${line.replace(/\\(?=\|)/g, '\\ ').replaceAll('|', '\\|')}${blank}${fence}`;
}

/** A name in running text: nothing in it is markdown. */
const plainText = (text: string): string =>
  toLine(text).replace(/[\\`*_[\]<>|~&]/g, (character) => `&#${character.codePointAt(0)};`);

const toLine = (text: string): string =>
  stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

const SHOWN_MAX = 10;
const CELL_COLUMNS_MAX = 160;

/** Runs as a page for people: what became of each, its numbers, its gates, and the datapoints that do not pass. */
export function markdownReport(reports: readonly EvalReport[], faults: readonly EvalFault[] = []): string {
  const sections = [...reports.map(renderSection), ...faults.map(faultSection)];
  return `${sections.map((lines) => lines.join('\n').trimEnd()).join('\n\n')}\n`;
}

const faultSection = ({ file, fault }: EvalFault): string[] => [
  `## ❌ ${inlineCode(file)}: could not be run`,
  '',
  inlineCode(fault),
];

const MARKS: Partial<Record<EvalReport['verdict'], string>> = { passed: '✅ ', done: '' };

function renderSection(report: EvalReport): string[] {
  const { run, verdict, skipped } = report;
  const stop = describeStop(run);
  return [
    `## ${MARKS[verdict] ?? '❌ '}${plainText(run.name)}: ${VERDICTS[verdict].title}${skipped === undefined ? '' : `. ${plainText(skipped)}`}`,
    '',
    aboutLine(report),
    '',
    ...(stop === null ? [] : [inlineCode(stop), '']),
    ...markdownTable(
      ['', 'value', '95% interval'],
      numberRows(report).map(({ what, value, interval }) => [plainText(what), value, interval]),
    ),
    ...renderGates(report),
    ...renderComparison(report),
    ...renderGroups(report),
    ...renderFailures(report),
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

const renderGates = ({ gates }: EvalReport): string[] =>
  markdownTable(
    ['Gate', 'found', ''],
    gates.map(({ text, found, passed }) => [inlineCode(text), found, HOLDS[`${passed}`]]),
  );

function renderComparison({ statistics: { comparison }, run, baseline }: EvalReport): string[] {
  if (comparison === null || !baseline) return [];
  const score = run.scorers.length === 1 ? oneScore(comparison.score, comparison.scorers) : comparison.score;
  const scorer = score === comparison.score ? null : run.scorers[0]!.name;
  const sentences = [
    `Compared with the baseline ${inlineCode(baseline.name)}: **${plainText(describeCompared(comparison, scorer, score))}**.`,
    `${describeDifference(score)}.`,
    ...describeLatency(comparison),
    describePairs(comparison, 'the run', 'the baseline'),
  ];
  return [
    sentences.join(' '),
    '',
    ...markdownTable(
      ['', 'difference', '95% interval', 'p'],
      namedScores(comparison, run, baseline).map(({ name, of: { diff, ci, p_value: p } }) => [
        name === null ? 'All together' : inlineCode(name),
        formatDifference(diff),
        formatInterval(ci),
        formatP(p),
      ]),
    ),
  ];
}

function renderGroups({ statistics }: EvalReport): string[] {
  const table = groupTable(statistics);
  if (!table) return [];
  const keys = statistics.group_by!.length;
  const rows = table.rows.map((cells) => cells.map((text, at) => (at < keys ? inlineCode(text) : text)));
  const head = table.head.map((title, at) => (at < keys ? inlineCode(title) : title));
  return [
    `### ${plainText(table.title)}`,
    '',
    ...markdownTable(head, rows),
    ...(table.note === '' ? [] : [table.note, '']),
  ];
}

function renderFailures(report: EvalReport): string[] {
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
        cell(item.score_reason === null || item.status === 'failed' ? why : `${why}: ${item.score_reason}`),
      ]),
    ),
  ];
}

const cell = (value: EvalItem['input']): string =>
  value === null ? NONE : inlineCode(createPreview(value, CELL_COLUMNS_MAX)) || NONE;
