import type { ScorerResult, RunScorer } from '@spandrel/contract';
import { toJsonText } from '@spandrel/storage';
import { addCost, costOf, toCostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import { scorerResults, type SampleKey } from '../eval-item.js';
import { RESULT_STATUS } from '../eval-run.js';

/** What became of a sample: its row, with texts and scores as they are and not as JSON. */
export type SampleResult = Omit<EvalResultRow, 'projectId' | 'runId' | 'datapointId' | 'status' | 'scores'> & {
  /** What each scorer said, by name; `null`: what the other members say of the only one. */
  scores: Record<string, ScorerResult> | null;
};

export const NO_RESULT = {
  output: null,
  score: null,
  scoreReason: null,
  latencyMs: null,
  tokens: null,
  cost: null,
  judgeModel: null,
  judgePromptHash: null,
  judgeAttempts: null,
  judgeTokens: null,
  judgeCost: null,
  scores: null,
  traceId: null,
  spanId: null,
  metadata: null,
  resultHash: null,
  callHash: null,
  reusedRunId: null,
} as const;

/** The sum of the amounts that are known; `null` when none is. */
export function addAmounts(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}

/** The sum of the costs that are known, to the trillionth of a dollar; `null` when none is. */
export function addCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  // One that stands alone stays to the last digit what it is.
  return known.length <= 1 ? (known[0] ?? null) : costOf(known.map(toCostSum).reduce(addCost, { usd: 0, pico: 0 }));
}

export const NO_SCORE: ScorerResult = {
  score: null,
  reason: null,
  error: null,
  judge_model: null,
  judge_prompt_hash: null,
  judge_attempts: null,
  judge_tokens: null,
  judge_cost: null,
};

/**
 * What the scorers of a run say of a sample, as one (docs/spec/evaluations.md#several-scorers). When one of them failed the sample
 * has no score, and the scores of the others are kept by name.
 * @param results one for each scorer, in the same order.
 */
export function combineScores(
  scorers: readonly Pick<RunScorer, 'name' | 'weight'>[],
  results: readonly ScorerResult[],
) {
  const isOnly = results.length === 1 && scorers[0]!.weight > 0 && !results[0]!.preference;
  const failed = results.flatMap(({ error }) => error ?? []);
  const hasFailed = failed.length > 0;
  return {
    score: hasFailed ? null : weightedMean(scorers, results),
    scoreReason: hasFailed ? null : findFirst(results, 'reason'),
    error: hasFailed ? failed.join('; ') : null,
    judgeModel: findFirst(results, 'judge_model'),
    judgePromptHash: findFirst(results, 'judge_prompt_hash'),
    judgeAttempts: addAmounts(results.map(({ judge_attempts: attempts = null }) => attempts)),
    judgeTokens: addAmounts(results.map(({ judge_tokens: tokens }) => tokens)),
    judgeCost: addCosts(results.map(({ judge_cost: cost }) => cost)),
    scores: isOnly ? null : Object.fromEntries(scorers.map(({ name }, index) => [name, results[index]!])),
  };
}

const findFirst = <Row, Member extends keyof Row>(rows: readonly Row[], member: Member): Row[Member] | null =>
  rows.find((row) => row[member] !== null)?.[member] ?? null;

/** Over the scorers that have a weight and a score; `null` when there is none. */
function weightedMean(scorers: readonly Pick<RunScorer, 'weight'>[], results: readonly ScorerResult[]): number | null {
  const counted = results.flatMap(({ score }, index) => {
    const { weight } = scorers[index]!;
    return score === null || weight === 0 ? [] : [{ score, weight }];
  });
  if (counted.length <= 1) return counted[0]?.score ?? null;
  // Weights may be so large that their sum is no number.
  const largest = Math.max(...counted.map(({ weight }) => weight));
  const unit = largest * counted.length === Infinity ? largest : 1;
  let sum = 0;
  let weights = 0;
  for (const { score, weight } of counted) {
    sum += (weight / unit) * score;
    weights += weight / unit;
  }
  return sum / weights;
}

export interface FinishedSample extends SampleKey {
  result: SampleResult;
  /** When, in ms. */
  now: number;
}

/** The row of an item that was tried once. */
export const resultRow = ({ projectId, id }: EvalRunRow, { datapointId, result }: FinishedSample): EvalResultRow => ({
  ...result,
  projectId,
  runId: id,
  datapointId,
  status: result.error === null ? RESULT_STATUS.completed : RESULT_STATUS.failed,
  output: toJsonText(result.output),
  scoreReason: toJsonText(result.scoreReason),
  latencyMs: result.latencyMs === null ? null : Math.round(result.latencyMs),
  error: toJsonText(result.error),
  scores: toJsonText(result.scores),
});

/** The row of one of several tries of an item. */
export const sampleRow = (run: EvalRunRow, sample: FinishedSample): EvalSampleRow => ({
  ...resultRow(run, sample),
  repeat: sample.repeat,
});

/** A processed sample as the row of its item is made of it; only the first that has an output needs to show it. */
export type SampleOfItem = Omit<EvalSampleRow, 'metadata' | 'resultHash'> & { hasOutput: boolean };

/**
 * The row of an item that was tried several times (docs/spec/evaluations.md#samples).
 * @param samples all of them, in order.
 * @param onlyScorer the name of the scorer, where the run has but one.
 */
export function mergeSamples(samples: readonly SampleOfItem[], onlyScorer: string): EvalResultRow {
  const first = samples[0]!;
  const hasFailed = samples.every(({ status }) => status === RESULT_STATUS.failed);
  const latency = averageKnown(samples.map(({ latencyMs }) => latencyMs));
  return {
    projectId: first.projectId,
    runId: first.runId,
    datapointId: first.datapointId,
    status: hasFailed ? RESULT_STATUS.failed : RESULT_STATUS.completed,
    output: samples.find(({ hasOutput }) => hasOutput)?.output ?? null,
    score: averageKnown(samples.map(({ score }) => score)),
    scoreReason: findFirst(samples, 'scoreReason'),
    latencyMs: latency === null ? null : Math.round(latency),
    tokens: addAmounts(samples.map(({ tokens }) => tokens)),
    cost: addCosts(samples.map(({ cost }) => cost)),
    error: hasFailed ? findFirst(samples, 'error') : null,
    attempts: samples.reduce((sum, { attempts }) => sum + attempts, 0),
    judgeModel: findFirst(samples, 'judgeModel'),
    judgePromptHash: findFirst(samples, 'judgePromptHash'),
    judgeAttempts: addAmounts(samples.map(({ judgeAttempts }) => judgeAttempts)),
    judgeTokens: addAmounts(samples.map(({ judgeTokens }) => judgeTokens)),
    judgeCost: addCosts(samples.map(({ judgeCost }) => judgeCost)),
    traceId: findFirst(samples, 'traceId'),
    spanId: findFirst(samples, 'spanId'),
    metadata: null,
    scores: toJsonText(mergeScores(samples.map((sample) => scorerResults(sample, onlyScorer)))),
    resultHash: null,
    callHash: null,
    reusedRunId: samples.every(({ reusedRunId }) => reusedRunId !== null) ? first.reusedRunId : null,
  };
}

function mergeScores(ofSamples: readonly Record<string, ScorerResult>[]): Record<string, ScorerResult> {
  const names = new Set(ofSamples.flatMap((scores) => Object.keys(scores)));
  return Object.fromEntries(
    Array.from(names, (name) => [name, ofScorer(ofSamples.flatMap((scores) => scores[name] ?? []))]),
  );
}

const ofScorer = (results: readonly ScorerResult[]): ScorerResult => ({
  score: averageKnown(results.map(({ score }) => score)),
  reason: findFirst(results, 'reason'),
  error: findFirst(results, 'error'),
  judge_model: findFirst(results, 'judge_model'),
  judge_prompt_hash: findFirst(results, 'judge_prompt_hash'),
  judge_attempts: addAmounts(results.map(({ judge_attempts: attempts = null }) => attempts)),
  judge_tokens: addAmounts(results.map(({ judge_tokens: tokens }) => tokens)),
  judge_cost: addCosts(results.map(({ judge_cost: cost }) => cost)),
});

function averageKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
