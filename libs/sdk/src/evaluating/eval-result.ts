import type { Api } from '../api/client.js';
import type { EvalItem, EvalRunSummary, JudgedGate, ScoreStatistics } from '../api/schema.js';
import type { EvalFacts } from './definition.js';
import { describeGate, type AnyGate } from './gate.js';
import { defined, textOf } from './json.js';
import type { Plan } from './read-definition.js';
import type { OpenRun } from './start-run.js';

const GAP = '  ';
const SHOWN_CHARACTERS = 60;

/** What came of an eval, in words: its gates first, then the numbers of its scorers, then the datapoints that were worst. */
export function resultTable(facts: EvalFacts): string {
  return [
    ...[missingPart(facts), heading(facts), gatesPart(facts), scorersPart(facts)],
    ...[groupsPart(facts), worstPart(facts)],
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** First of all, since who reads no further may take it for a pass. */
function missingPart({ missingBaseline, skippedGates }: EvalFacts): string {
  if (missingBaseline === undefined) return '';
  const skipped = skippedGates.length === 0 ? 'nothing is compared' : 'the regression gate was skipped';
  return `${skipped}: there is no run to compare with (${missingBaseline})`;
}

function heading({ run, statistics, gates, passed, wasOver }: EvalFacts): string {
  const { samples, datapoints, failed_samples: failed, pending_samples: pending } = statistics;
  const counts = [
    `run ${run.id}`,
    samples === datapoints ? `${datapoints} datapoints` : `${samples} samples of ${datapoints} datapoints`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(pending > 0 ? [`${pending} not done`] : []),
  ];
  const before = wasOver ? 'was over before, nothing was tried; it ' : '';
  const outcome = passed ? (gates.length === 0 ? 'done, no gates' : 'passed') : whyNot(run);
  return `eval "${run.name}" ${before}${outcome}: ${counts.join(', ')}`;
}

function whyNot({ status, stop_reason: reason, error, passed }: EvalRunSummary): string {
  if (status === 'cancelled') return `was cancelled${reason && reason !== 'cancelled' ? ` (${reason})` : ''}`;
  if (status === 'failed') return `failed (${error ?? 'for no known reason'})`;
  return passed === null && error !== null ? `did not pass (${error})` : 'did not pass';
}

function gatesPart({ gates, skippedGates, statistics }: EvalFacts): string {
  const diff = statistics.comparison;
  const rows = gates.map((gate) => {
    const compared = diff && (gate.scorer === null ? diff.score : diff.scorers[gate.scorer]);
    const more =
      gate.metric === 'regression' && !gate.group && !gate.by && compared && compared.diff !== null
        ? `, difference ${number(compared.diff)}${compared.p_value === null ? '' : `, p ${number(compared.p_value)}`}`
        : '';
    const mark = gate.passed === true ? '✓' : gate.passed === false ? '✗' : '?';
    const why = gate.reason === undefined ? '' : `: ${gate.reason}`;
    return [mark, describeGate(gate as AnyGate), `${foundBy(gate)}${why}${more}`];
  });
  rows.push(...skippedGates.map((words) => ['-', words, 'left out: there is no run yet to compare with']));
  return rows.length === 0 ? '' : columns([['', 'gate', 'found'], ...rows]);
}

function foundBy({ failing = [], ...gate }: JudgedGate): string {
  const groups = failing.map(({ value }) => textOf(value) ?? 'null').join(', ');
  return groups === '' ? describeFound(gate) : `${describeFound(gate)} (${groups})`;
}

function describeFound({ actual, op, value, passed }: JudgedGate): string {
  if (actual === null) return 'no value';
  if (typeof actual === 'string') return actual.replaceAll('_', ' ');
  if (op === null || value === null || passed === null) return number(actual);
  const holds = (rounded: number): boolean =>
    op === '>=' ? rounded >= value : op === '>' ? rounded > value : op === '<=' ? rounded <= value : rounded < value;
  // 0.89996 must not be shown as 0.9 where 0.9 is asked for.
  const digits = [4, 6, 9].find((count) => holds(Number(number(actual, count))) === passed);
  return digits === undefined ? String(actual) : number(actual, digits);
}

function scorersPart({ run, statistics: { score, scorers } }: EvalFacts): string {
  const [only, ...others] = run.scorers;
  // One scorer that counts, by its own pass score: all together are the same.
  const isSame = only && others.length === 0 && only.weight > 0 && only.pass_score === run.pass_score;
  const named = [...(isSame ? [] : [['all', score] as const]), ...Object.entries(scorers)];
  const rows = named.map(([name, of]) => scorerRow(name, of));
  return columns([['scorer', 'mean', '95% interval', 'pass rate'], ...rows]);
}

const scorerRow = (name: string, { mean, ci, pass_rate: rate }: ScoreStatistics): string[] => [
  name,
  mean === null ? 'no score' : number(mean),
  ci === null ? '' : `${number(ci.low)} to ${number(ci.high)}`,
  rate.mean === null ? '' : `${Number((rate.mean * 100).toFixed(1))}%`,
];

function groupsPart({ statistics: { group_by: keys = [], groups = [], correction } }: EvalFacts): string {
  if (groups.length === 0) return '';
  const compared = correction ? ['difference', 'p', `p, corrected for ${correction.tests} groups (Holm)`] : [];
  const rows = groups.map(({ group, scorers, comparison, ...score }) => {
    const [name, ...others] = Object.keys(scorers);
    // The only scorer speaks for all together where it does not count.
    const isAlone = name !== undefined && others.length === 0 && score.mean === null;
    const of = isAlone ? scorers[name]! : score;
    const [, ...numbers] = scorerRow('', of);
    const {
      diff = null,
      p_value: p = null,
      p_holm: holm = null,
    } = (isAlone ? comparison?.scorers[name] : comparison) ?? {};
    const differences = [diff, p, holm].map((value) => (value === null ? '' : number(value)));
    return [
      keys.map((key) => textOf(group[key]) ?? '').join(', '),
      String(of.datapoints),
      ...numbers,
      ...(correction ? differences : []),
    ];
  });
  return columns([[keys.join(', '), 'n', 'mean', '95% interval', 'pass rate', ...compared], ...rows]);
}

function worstPart({ worst }: EvalFacts): string {
  if (worst.length === 0) return '';
  return columns([['score', 'worst datapoints'], ...worst.map((item) => [scoreOf(item), outcomeOf(item)])]);
}

const scoreOf = ({ status, score }: EvalItem): string =>
  status === 'failed' ? 'failed' : score === null ? '' : number(score);

function outcomeOf({ input, output, expected, error, score_reason: reason, trace_id: trace }: EvalItem): string {
  const got =
    error === null ? `${shown(output)}${expected === null ? '' : `, expected ${shown(expected)}`}` : shortened(error);
  const why = error === null && reason ? ` (${shortened(reason)})` : '';
  return `${shown(input)} → ${got}${why}${trace === null ? '' : `, trace ${trace}`}`;
}

const shown = (value: unknown): string =>
  shortened(typeof value === 'string' ? `"${value}"` : (textOf(value) ?? 'null'));

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line;
}

function number(value: number, digits = 4): string {
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) >= 10 ** digits ? Math.round(value) : Number(value.toPrecision(digits)));
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** What came of an eval. */
export interface EvalResult extends EvalFacts {
  /** All of it as text, for people. */
  table(): string;
  /** Makes it a test. @throws EvalNotPassedError with the table unless it passed. */
  assertPassed(): void;
}

/** A test failed: an eval did not pass. The message is its table. */
export class EvalNotPassedError extends Error {
  override readonly name = 'EvalNotPassedError';

  constructor(readonly result: EvalResult) {
    super(result.table());
  }
}

const FAILED_MAX = 3;
const WORST_MAX = 10;
/** Datapoints with the lowest scores that are looked at: one with more may lack what another scorer asks for. */
const LOW_MAX = 100;

/** Reads what the server says of a run that is over. */
export async function readResult(
  api: Api,
  run: EvalRunSummary,
  of: Pick<OpenRun, 'run' | 'baselineRunId' | 'skippedGates'> &
    Partial<Pick<OpenRun, 'missingBaseline'>> &
    Partial<Pick<Plan, 'groupBy' | 'clusterBy' | 'requireBaseline' | 'allowDifferentScoring'>>,
  signal: AbortSignal,
): Promise<EvalResult> {
  const { baselineRunId, skippedGates, missingBaseline, groupBy = [], clusterBy } = of;
  const { requireBaseline, allowDifferentScoring } = of;
  const path = { id: run.id };
  const query = defined({
    baseline: baselineRunId,
    cluster_by: clusterBy,
    group_by: groupBy.length > 0 ? groupBy : undefined,
    allow_different_scoring: allowDifferentScoring,
  });
  const statistics = await api.getEvalStatistics({ path, query, signal });
  const { gates } = run;
  const isLacking = requireBaseline === true && missingBaseline !== undefined;
  const passed = run.status === 'completed' && !isLacking && (run.passed ?? run.error === null);
  const worst = passed ? [] : await findWorst(api, run, signal);
  const wasOver = of.run.status === 'completed';
  const missing = { skippedGates, missingBaseline };
  const facts: EvalFacts = { run, statistics, gates, passed, baselineRunId, ...missing, wasOver, worst };
  const result: EvalResult = {
    ...facts,
    table: () => resultTable(facts),
    assertPassed() {
      if (!passed) throw new EvalNotPassedError(result);
    },
  };
  return result;
}

async function findWorst(api: Api, { id }: EvalRunSummary, signal: AbortSignal): Promise<EvalItem[]> {
  const path = { id };
  const failed = await api.listEvalItems({ path, query: { status: 'failed', limit: FAILED_MAX }, signal });
  const query = { sort_by: 'score' as const, include: 'samples', limit: LOW_MAX };
  const low = await api.listEvalItems({ path, query, signal });
  return [...failed.items, ...low.items.filter(({ passed }) => passed === false)].slice(0, WORST_MAX);
}
