import type { ScorerResult } from '@spandrel/contract';
import { toJsonText } from '@spandrel/storage';
import type { EvalResultRow, EvalSampleRow } from '../eval-run.entity.js';
import { scorerResults } from '../scorer-results.js';
import { RESULT_STATUS } from '../status.js';
import { addAmounts, addCosts } from './sums-of-known.js';

/** A processed sample as the row of its item is made of it; only the first that has an output needs to show it. */
export type SampleOfItem = Omit<EvalSampleRow, 'metadata' | 'resultHash'> & { hasOutput: boolean };

/**
 * The row of an item that was tried several times (docs/spec/evaluations.md#samples).
 * @param samples all of them, in order.
 * @param onlyScorer the name of the scorer, where the run has but one.
 */
export function itemOfSamples(samples: readonly SampleOfItem[], onlyScorer: string): EvalResultRow {
  const first = samples[0]!;
  const hasFailed = samples.every(({ status }) => status === RESULT_STATUS.failed);
  const latency = meanOf(samples.map(({ latencyMs }) => latencyMs));
  return {
    projectId: first.projectId,
    runId: first.runId,
    datapointId: first.datapointId,
    status: hasFailed ? RESULT_STATUS.failed : RESULT_STATUS.completed,
    output: samples.find(({ hasOutput }) => hasOutput)?.output ?? null,
    score: meanOf(samples.map(({ score }) => score)),
    scoreReason: firstOf(samples, 'scoreReason'),
    latencyMs: latency === null ? null : Math.round(latency),
    tokens: addAmounts(samples.map(({ tokens }) => tokens)),
    cost: addCosts(samples.map(({ cost }) => cost)),
    error: hasFailed ? firstOf(samples, 'error') : null,
    attempts: samples.reduce((sum, { attempts }) => sum + attempts, 0),
    judgeModel: firstOf(samples, 'judgeModel'),
    judgePromptHash: firstOf(samples, 'judgePromptHash'),
    judgeTokens: addAmounts(samples.map(({ judgeTokens }) => judgeTokens)),
    judgeCost: addCosts(samples.map(({ judgeCost }) => judgeCost)),
    traceId: firstOf(samples, 'traceId'),
    spanId: firstOf(samples, 'spanId'),
    metadata: null,
    scores: toJsonText(scoresOf(samples.map((sample) => scorerResults(sample, onlyScorer)))),
    resultHash: null,
  };
}

type Text = 'scoreReason' | 'error' | 'judgeModel' | 'judgePromptHash' | 'traceId' | 'spanId';

const firstOf = (samples: readonly SampleOfItem[], member: Text): string | null =>
  samples.find((sample) => sample[member] !== null)?.[member] ?? null;

/** By scorer: the mean of its scores, its first reason and error, the sums of what its judge took. */
function scoresOf(ofSamples: readonly Record<string, ScorerResult>[]): Record<string, ScorerResult> {
  const names = new Set(ofSamples.flatMap((scores) => Object.keys(scores)));
  return Object.fromEntries(
    Array.from(names, (name) => [name, ofScorer(ofSamples.flatMap((scores) => scores[name] ?? []))]),
  );
}

const ofScorer = (results: readonly ScorerResult[]): ScorerResult => ({
  score: meanOf(results.map(({ score }) => score)),
  reason: results.find(({ reason }) => reason !== null)?.reason ?? null,
  error: results.find(({ error }) => error !== null)?.error ?? null,
  judge_model: results.find(({ judge_model: model }) => model !== null)?.judge_model ?? null,
  judge_prompt_hash: results.find(({ judge_prompt_hash: hash }) => hash !== null)?.judge_prompt_hash ?? null,
  judge_tokens: addAmounts(results.map(({ judge_tokens: tokens }) => tokens)),
  judge_cost: addCosts(results.map(({ judge_cost: cost }) => cost)),
});

/** Over the values that are known; `null` when none is. */
function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
