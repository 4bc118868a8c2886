import {
  formatTimestamp,
  type DatapointKind,
  type ScorerResult,
  type ResultItemResource,
  type SampleResource,
} from '@spandrel/contract';
import type { SnapshotDatapoint } from '@spandrel/datasets';
import { plainTextOf } from '@spandrel/plugin-api';
import { fromJsonText } from '@spandrel/storage';
import type { EvalAttemptRow, EvalRunRow, EvalResultRow, EvalSampleRow } from './eval-run.entity.js';
import { readText, listScorers, onlyUnweighted, RESULT_STATUS, resultStatusName, PASS_MODE } from './eval-run.js';
import { isAtLeast } from './statistics/distributions.js';

/** A score that is to reach a pass score. */
interface Condition {
  /** The place of its scorer in the run; `null`: the score of all together. */
  at: number | null;
  passScore: number;
}

/** When a sample passes: each of these scores that it has must reach its pass score (docs/spec/evaluations.md#passing). */
export type PassRule = readonly Condition[];

export function readPassRule(run: EvalRunRow): PassRule {
  if (run.passMode !== PASS_MODE.all) return [{ at: null, passScore: run.passScore }];
  const conditions = listScorers(run).map(({ weight, pass_score: passScore }, at) => ({ weight, at, passScore }));
  const counting = conditions.filter(({ weight }) => weight > 0);
  return counting.length > 0 ? counting : conditions;
}

/**
 * Whether a sample passes; `null` where it has none of the scores that decide.
 * @param scoreAt its score by a scorer of the run, by all together for `null`.
 */
export function decidePass(rule: PassRule, scoreAt: (at: number | null) => number | null): boolean | null {
  let passes: boolean | null = null;
  for (const { at, passScore } of rule) {
    const score = scoreAt(at);
    if (score !== null) passes = passes !== false && isAtLeast(score, passScore);
  }
  return passes;
}

/**
 * What a datapoint says, any JSON or the messages of a conversation, and what is expected of the model: `undefined` when nothing is,
 * as an explicit `null` says, too (docs/spec/evaluations.md#expected-text).
 */
export function readInputAndExpected(kind: DatapointKind): { input: unknown; expected: unknown } {
  const [input, expected] =
    'LlmConversation' in kind
      ? [kind.LlmConversation.messages, kind.LlmConversation.expected]
      : [kind.Generic.input, kind.Generic.expected_output];
  return { input, expected: expected ?? undefined };
}

/** The expected text of a result item; `null` when there is none. */
export const expectedText = (expected: unknown): string | null =>
  expected === undefined ? null : plainTextOf(expected);

export interface SampleKey {
  datapointId: string;
  /** From 0. */
  repeat: number;
}

/** A text for each sample of a run, by which sets and maps know it. */
export const sampleName = ({ datapointId, repeat }: SampleKey): string =>
  repeat === 0 ? datapointId : `${repeat} ${datapointId}`;

/** The samples of a run that are being called. */
export const readRunningSamples = (run: Pick<EvalRunRow, 'running'>): SampleKey[] =>
  (JSON.parse(run.running) as (string | [string, number])[]).map((entry) =>
    typeof entry === 'string' ? { datapointId: entry, repeat: 0 } : { datapointId: entry[0], repeat: entry[1] },
  );

/** Samples that are being called, as a run's row has them. */
export const writeRunningSamples = (samples: Iterable<SampleKey>): string =>
  JSON.stringify(
    Array.from(samples, ({ datapointId, repeat }) => (repeat === 0 ? datapointId : [datapointId, repeat])),
  );

/** Longest that an item of a run that was cancelled goes on: its call and two of the judge, each with a retry. */
const IN_FLIGHT_MS_MAX = 420_000;

/** The datapoints that are being called. */
export const listDatapointsRunningNow = (run: EvalRunRow): ReadonlySet<string> =>
  new Set(callsNow(run).map(({ datapointId }) => datapointId));

/** The samples that are being called; those of a run that is over and whose process is gone are called by nobody. */
const callsNow = (run: EvalRunRow): SampleKey[] =>
  run.endedAt === null || Date.now() - run.endedAt < IN_FLIGHT_MS_MAX ? readRunningSamples(run) : [];

type Scored = Pick<
  EvalResultRow,
  | 'score'
  | 'scoreReason'
  | 'error'
  | 'judgeModel'
  | 'judgePromptHash'
  | 'judgeAttempts'
  | 'judgeTokens'
  | 'judgeCost'
  | 'scores'
> & { hasOutput: boolean };

/**
 * What each scorer said of a processed item or sample, by name.
 * @param only the scorer whose word the columns have, where there is but one.
 */
export const scorerResults = (row: Scored, only: string): Record<string, ScorerResult> =>
  row.scores === null ? { [only]: ofColumns(row) } : (fromJsonText(row.scores) as Record<string, ScorerResult>);

const ofColumns = (row: Scored): ScorerResult => ({
  score: row.score,
  reason: readText(row.scoreReason),
  // A model that did not answer leaves nothing to score.
  error: row.hasOutput ? readText(row.error) : null,
  judge_model: row.judgeModel,
  judge_prompt_hash: row.judgePromptHash,
  judge_attempts: row.judgeAttempts,
  judge_tokens: row.judgeTokens,
  judge_cost: row.judgeCost,
});

/** The reason of the score where the model answered and its answer could not be scored. */
const NOT_SCORED = 'not scored';

/** How the items of a run are shown. */
export class ItemView {
  /** The scorer whose word the columns of a result have, where there is but one. */
  private readonly scorer: string;
  private readonly scorers: readonly string[];
  private readonly passRule: PassRule;
  private readonly repeats: number;
  private readonly only: string | null;
  private readonly running: Set<string>;

  /** @param hasOneScore whether `score` is that of the only scorer where it has no weight: where nothing is shown by scorer. */
  constructor(run: EvalRunRow, hasOneScore = false) {
    this.only = hasOneScore ? onlyUnweighted(run) : null;
    this.scorers = listScorers(run).map(({ name }) => name);
    this.scorer = this.scorers[0]!;
    this.passRule = readPassRule(run);
    this.repeats = run.repeats;
    this.running = new Set(callsNow(run).map(sampleName));
  }

  /** Shows samples as running whose results wait for the server's scorers. */
  addWaiting(samples: readonly SampleKey[]): void {
    for (const sample of samples) this.running.add(sampleName(sample));
  }

  /**
   * An item as the wire shows it.
   * @param result `undefined`: it is not processed.
   * @param samples rows of its samples, which are shown where they are given; a datapoint that is tried once has none.
   * @param former what came of its samples before they were tried again.
   */
  item(
    datapoint: SnapshotDatapoint,
    result: EvalResultRow | undefined,
    samples?: readonly EvalSampleRow[],
    former: readonly EvalAttemptRow[] = [],
  ): ResultItemResource {
    const { input, expected } = readInputAndExpected(datapoint.kind);
    const { output, passed, ...others } = this.outcome(datapoint.id, result);
    const item = {
      ...{ datapoint_id: datapoint.id, input, output, expected: expectedText(expected), ...others },
      ...(former.length > 0 && { former_attempts: former.map((row) => this.former(row)) }),
    };
    if (this.repeats === 1) return { ...item, passed, samples: null };
    return samples ? { ...item, ...this.tries(datapoint.id, samples) } : item;
  }

  /** All tries of an item that has several. @param rows those that are processed. */
  tries(
    datapointId: string,
    rows: readonly EvalSampleRow[],
  ): Required<Pick<ResultItemResource, 'passed' | 'samples' | 'worst_repeat'>> {
    const samples = this.samples(datapointId, rows);
    const decided = samples.flatMap((sample) => sample.passed ?? []);
    const passed = decided.length === 0 ? null : decided.every((each) => each);
    return { passed, samples, worst_repeat: findWorstRepeat(samples) };
  }

  /** What became of an item. @param result `undefined`: it is not processed. */
  outcome(datapointId: string, result: EvalResultRow | undefined): ItemOutcome {
    return result
      ? this.processed(result)
      : { ...UNPROCESSED, status: this.isRunning(datapointId) ? 'running' : 'pending' };
  }

  private processed(result: Outcome): ItemOutcome {
    const scores = scorerResults({ ...result, hasOutput: result.output !== null }, this.scorer);
    const { score_reason: reason, ...outcome } = processedOutcome(result);
    const { status, output, error, score } = result;
    const hasFailed = status === RESULT_STATUS.failed;
    const isUnscored = hasFailed && output !== null && error !== null;
    const scoreAt = (at: number | null): number | null =>
      at === null ? score : (scores[this.scorers[at]!]?.score ?? null);
    return {
      ...outcome,
      score: this.only === null ? score : (scores[this.only]?.score ?? null),
      passed: hasFailed ? null : decidePass(this.passRule, scoreAt),
      score_reason: reason ?? (isUnscored ? NOT_SCORED : null),
      scores,
    };
  }

  private samples(datapointId: string, rows: readonly EvalSampleRow[]): SampleResource[] {
    const byRepeat = new Map(rows.map((row) => [row.repeat, row]));
    return Array.from({ length: this.repeats }, (_, repeat) => {
      const row = byRepeat.get(repeat);
      if (row) return { repeat, ...this.processed(row) };
      const running = this.running.has(sampleName({ datapointId, repeat }));
      return { repeat, ...UNPROCESSED, status: running ? 'running' : 'pending' };
    });
  }

  private former(row: EvalAttemptRow): NonNullable<ResultItemResource['former_attempts']>[number] {
    const { repeat, attempt, retriedAt } = row;
    return { repeat, attempt, retried_at: formatTimestamp(retriedAt), ...this.processed(row) };
  }

  private isRunning(datapointId: string): boolean {
    for (let repeat = 0; repeat < this.repeats; repeat++) {
      if (this.running.has(sampleName({ datapointId, repeat }))) return true;
    }
    return false;
  }
}

/** The sample with the lowest score, the first of several; else the first that failed. */
function findWorstRepeat(samples: readonly SampleResource[]): number | null {
  const scored = samples.filter(({ score }) => score !== null).sort((a, b) => a.score! - b.score!);
  return (scored[0] ?? samples.find(({ status }) => status === 'failed'))?.repeat ?? null;
}

/** What rows of results and of samples have in common. */
type Outcome = Omit<EvalResultRow, 'projectId' | 'runId' | 'datapointId'>;

/** What became of an item, or a sample, that is processed, but for its scores by name and what they decide. */
export const processedOutcome = (result: Outcome): Omit<ItemOutcome, 'scores' | 'passed'> => ({
  output: readText(result.output),
  score: result.score,
  score_reason: readText(result.scoreReason),
  latency_ms: result.latencyMs,
  tokens: result.tokens,
  cost: result.cost,
  status: resultStatusName(result.status),
  error: readText(result.error),
  attempts: result.attempts,
  judge_model: result.judgeModel,
  judge_prompt_hash: result.judgePromptHash,
  judge_attempts: result.judgeAttempts,
  judge_tokens: result.judgeTokens,
  judge_cost: result.judgeCost,
  trace_id: result.traceId,
  span_id: result.spanId,
  metadata: fromJsonText(result.metadata) as Record<string, unknown> | null,
  reused: result.reusedRunId !== null,
  reused_run_id: result.reusedRunId,
});

type ItemOutcome = Omit<SampleResource, 'repeat'>;

const UNPROCESSED: Omit<ItemOutcome, 'status'> = {
  output: null,
  score: null,
  passed: null,
  score_reason: null,
  scores: {},
  latency_ms: null,
  tokens: null,
  cost: null,
  error: null,
  attempts: 0,
  judge_model: null,
  judge_prompt_hash: null,
  judge_attempts: null,
  judge_tokens: null,
  judge_cost: null,
  trace_id: null,
  span_id: null,
  metadata: null,
  reused: false,
  reused_run_id: null,
};
