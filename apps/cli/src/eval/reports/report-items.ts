import type { EvalItem, EvalRunSummary, EvalStatistics, SampleResource, ScoreStatistics } from '@spandrel/contract';
import {
  describeCorrection,
  formatCounted,
  formatDifference,
  formatInterval,
  formatMetadataValue,
  formatP,
  formatScore,
  formatShare,
  lastQuestionOf,
  namedScores,
  oneScore,
  shownGroup,
  type Named,
} from '@spandrel/contract/browser';
import { oneLine, cutText as cutColumns } from '../../client/output/text.js';
import { formatDollars, formatLatency } from '../words.js';
import type { Api } from '@spandrel/sdk';
import type { ExitCode } from '../../client/exit-codes.js';
import { judgeRun, type Judgement, type JudgedBy } from '../judge-run.js';

export interface EvalReport extends Judgement {
  /** The file that the run came from, for `eval file`. */
  file?: string;
  dataset: { id: string; name: string };
  run: EvalRunSummary;
  /** The items in the order of the dataset, with their samples. */
  items: readonly EvalItem[];
  /** The page of the run in the dashboard. */
  url: string;
}

/** The score of a run that a table of several runs shows. */
export const scoreOf = ({ statistics: { score, scorers } }: Pick<EvalReport, 'statistics'>): ScoreStatistics =>
  oneScore<ScoreStatistics>(score, scorers);

export interface EvalFault {
  file: string;
  fault: string;
  exitCode: ExitCode;
}

const PAGE = 200;

/** What a report needs of a run. @param serverUrl where its dashboard is. */
export async function makeReport(api: Api, run: EvalRunSummary, by: JudgedBy, serverUrl: string): Promise<EvalReport> {
  const judgement = await judgeRun(api, run, by);
  // A run that was asked for without its items has an empty list of them.
  const { result_items: _items, ...summary } = run as EvalRunSummary & { result_items?: unknown };
  const { id, name } = await api.getDataset({ path: { id: run.dataset_id } });
  const items: EvalItem[] = [];
  const query = { include: 'samples', limit: PAGE };
  for await (const item of api.pages('listEvalItems', { path: { id: run.id }, query })) items.push(item as EvalItem);
  return {
    dataset: { id, name },
    run: summary,
    ...judgement,
    items,
    url: `${serverUrl}/evaluations/${encodeURIComponent(run.id)}`,
  };
}

/** Characters of a recorded text that are looked at for one column: marks that stand on one letter take none. */
const CHARACTERS_A_COLUMN = 16;

/** What a person reads of a recorded value in one line, cut to so many columns. */
export const createPreview = (value: unknown, columns: number): string =>
  cutColumns(oneLine(textOf(value).slice(0, columns * CHARACTERS_A_COLUMN)), columns);

/** A text that is cut says so. */
export const cutText = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()} … (${text.length} characters)`;

/** A text as it is, of a conversation the last question, as the dashboard lists it; any other value as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (lastQuestionOf(value) ?? JSON.stringify(value) ?? '');

interface ItemOutcome {
  outcome: 'passed' | 'failed' | 'error' | 'skipped';
  /** Why; empty for one that passed. */
  why: string;
}

type PassingRun = Pick<EvalRunSummary, 'pass_mode' | 'pass_score' | 'scorers'>;

/** Scores that differ by less are equal (docs/spec/eval-statistics.md#rounding). */
const EQUAL = 1e-12;

/** A datapoint passes when all of its samples that have a score do. @param item with its samples, if there are several. */
export function judgeItem(item: EvalItem, run: PassingRun): ItemOutcome {
  if (item.status === 'failed') {
    const why = item.error ?? 'all samples failed';
    return { outcome: 'error', why: item.output === null ? why : `not scored: ${why}` };
  }
  if (item.status !== 'completed') return { outcome: 'skipped', why: 'not finished before the run ended' };
  const samples = item.samples ?? [item];
  const decided = samples.flatMap(({ passed }) => passed ?? []);
  if (decided.length === 0) return { outcome: 'skipped', why: 'has no score' };
  const passing = decided.filter((passed) => passed).length;
  if (passing === decided.length) return { outcome: 'passed', why: '' };
  return {
    outcome: 'failed',
    why:
      samples.length === 1
        ? describeLack(samples[0]!, run)
        : `${passing} of ${decided.length} samples passed, mean score ${formatScore(item.score)}`,
  };
}

/** What a sample that does not pass has too little of: `tone 0.3 is below 0.5`. */
function describeLack({ score, scores }: Pick<SampleResource, 'score' | 'scores'>, run: PassingRun): string {
  const below = (name: string, found: number | null | undefined, least: number): string[] =>
    (found ?? 1) < least - EQUAL ? [`${name} ${formatScore(found)} is below ${formatScore(least)}`] : [];
  if (run.pass_mode === 'mean') return below('score', score, run.pass_score).join();
  // Without a score of all together no scorer counts more than another.
  const deciding = run.scorers.filter(({ weight }) => weight > 0 || score === null);
  const nameOf = (name: string): string => (run.scorers.length > 1 ? name : 'score');
  return deciding.flatMap(({ name, pass_score: least }) => below(nameOf(name), scores[name]?.score, least)).join(', ');
}

/** What lists show of an item: of several samples what the worst one said, and which it is, where others are better. */
export function showWorst(item: EvalItem): { item: EvalItem; which: string } {
  const scored = (item.samples ?? []).filter((sample) => sample.score !== null);
  const [worst, ...others] = scored.toSorted((one, other) => one.score! - other.score!);
  if (!worst) return { item, which: '' };
  const { repeat, output, score, score_reason, error, trace_id } = worst;
  const isWorse = others.some((other) => other.score! > score! + EQUAL);
  const which = isWorse ? `, worst try ${repeat + 1} with score ${formatScore(score)}` : '';
  return { item: { ...item, output, score_reason, error, trace_id }, which };
}

export interface FailingItems {
  /** `3 datapoints do not pass`. */
  title: string;
  /** The worst of them, lowest score first. */
  worst: (ItemOutcome & { item: EvalItem })[];
}

/** @returns the datapoints of a run that do not pass; `undefined` where all do. @param shownMax most that are given. */
export function failingItems(
  { items, run }: Pick<EvalReport, 'items' | 'run'>,
  shownMax: number,
): FailingItems | undefined {
  const failing = items
    .map((item) => {
      const { outcome, why } = judgeItem(item, run);
      const worst = showWorst(item);
      return { item: worst.item, outcome, why: why + worst.which };
    })
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'error')
    // One without any score is worse than one with 0.
    .sort((a, b) => (a.item.score ?? -1) - (b.item.score ?? -1));
  if (failing.length === 0) return undefined;
  const count = `${formatCounted(failing.length, 'datapoint')} ${failing.length === 1 ? 'does' : 'do'} not pass`;
  return {
    title: failing.length > shownMax ? `${count}, the worst ${shownMax} of them` : count,
    worst: failing.slice(0, shownMax),
  };
}

export interface GroupTable {
  /** `By category`. */
  title: string;
  head: string[];
  rows: string[][];
  /** What the p values mean; empty without a baseline. */
  note: string;
}

/** The numbers of each group of datapoints; `undefined` where none were asked for. */
export function groupTable(
  statistics: Pick<EvalStatistics, 'group_by' | 'groups' | 'correction'>,
): GroupTable | undefined {
  const { group_by: keys, groups, correction } = statistics;
  if (!keys || !groups) return undefined;
  const shown = groups.map(shownGroup);
  const compared = correction ? ['difference', 'p', "Holm's p", ''] : [];
  return {
    title: `By ${keys.join(', ')}`,
    head: [...keys, 'n', 'mean', '95% interval', 'pass rate', ...compared],
    rows: shown.map(({ group, of: { datapoints: n, mean, ci, pass_rate: rate }, compared: comparison }) => [
      ...keys.map((key) => oneLine(formatMetadataValue(group[key]))),
      ...[String(n), formatScore(mean), formatInterval(ci), formatShare(rate.mean)],
      ...(comparison === null
        ? []
        : [formatDifference(comparison.diff), formatP(comparison.p_value), formatP(comparison.p_holm)]),
      ...(comparison === null ? [] : [comparison.verdict.replaceAll('_', ' ')]),
    ]),
    note: correction ? describeCorrection(shown) : '',
  };
}

export interface NumberRow {
  what: string;
  value: string;
  /** The 95% interval; empty where there is none by its nature. */
  interval: string;
}

/** The numbers of a run that people look at, in the order in which they do. */
export function numberRows({ run, statistics }: Pick<EvalReport, 'run' | 'statistics'>): NumberRow[] {
  const { latency_ms: latency, cost, call_cost: calls, judge_cost: judges } = statistics;
  const named = namedScores(statistics, run);
  // What has no score passes in no number of tries.
  const repeated = run.repeats > 1 ? named.find(({ of }) => of.samples > 0) : undefined;
  return [
    ...named.map(({ name, of: { mean, ci } }) =>
      row(entitle('Mean score', name), formatScore(mean), formatInterval(ci)),
    ),
    ...named.map(({ name, of: { pass_rate: rate } }) =>
      row(entitle('Pass rate', name), formatShare(rate.mean), formatInterval(rate.ci, formatShare)),
    ),
    ...(repeated ? repeatedRows(repeated) : []),
    row('Failed samples', `${statistics.failed_samples} of ${statistics.samples}`),
    row('Latency p50, p95', `${formatLatency(latency.p50)}, ${formatLatency(latency.p95)}`),
    row('Cost', formatDollars(cost.total)),
    ...(judges === null
      ? []
      : [row('Cost of calls', formatDollars(calls)), row('Cost of judges', formatDollars(judges))]),
  ];
}

const row = (what: string, value: string, interval = ''): NumberRow => ({ what, value, interval });

const entitle = (what: string, scorer: string | null): string => (scorer === null ? what : `${what} of ${scorer}`);

const repeatedRows = ({
  name,
  of: { pass_k: passK, flaky_datapoints: flaky },
}: Named<ScoreStatistics>): NumberRow[] => [
  ...passK
    .filter(({ k }) => k > 1)
    .map(({ k, pass_at_k: any, pass_hat_k: all }) =>
      row(entitle(`pass@${k}, pass^${k}`, name), `${formatShare(any)}, ${formatShare(all)}`),
    ),
  row(entitle('Flaky datapoints', name), String(flaky)),
];
