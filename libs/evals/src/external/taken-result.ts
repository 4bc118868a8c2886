import type { RunScorer, ScorerResult } from '@spandrel/contract';
import type { MaskingCalls } from '@spandrel/masking';
import { toJsonText } from '@spandrel/storage';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { combineScores, NO_SCORE } from '../execution/combine-scores.js';
import { NO_RESULT, type SampleResult } from '../execution/sample-result.js';
import type { GivenResult, GivenScore } from './given-result.js';

/** An external result as it is kept until it is scored: masked and priced. */
export interface TakenResult {
  output: string | null;
  error: string | null;
  scores: Readonly<Record<string, GivenScore>>;
  latencyMs: number | null;
  tokens: number | null;
  cost: number | null;
  traceId: string | null;
  spanId: string | null;
  metadata: Record<string, unknown> | null;
}

/** A taken result with the sample that it is of. */
export type Taken = Pick<GivenResult, 'index' | 'datapointId' | 'repeat' | 'hash'> & { taken: TakenResult };

/**
 * A result as it is taken; it is kept masked, see {@link maskTaken}.
 * @param model whom the caller asked, as far as the run says; what a result cost is priced by it when the result does not say.
 */
export function takenResult({ result, scores }: GivenResult, model: string | null, pricing: PricingTable): TakenResult {
  const inputTokens = result.input_tokens ?? null;
  const outputTokens = result.output_tokens ?? null;
  const priced = (): number | null =>
    model === null ? null : estimateCost(pricing, model, { inputTokens, outputTokens, cachedInputTokens: null });
  return {
    output: result.output ?? null,
    error: result.error ?? null,
    scores,
    latencyMs: result.latency_ms ?? null,
    tokens: inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0),
    cost: result.cost ?? priced(),
    traceId: result.trace_id ?? null,
    spanId: result.span_id ?? null,
    metadata: result.metadata ?? null,
  };
}

/** A result as it may be kept. */
export const maskTaken = (masking: MaskingCalls, taken: TakenResult): TakenResult => ({
  ...taken,
  output: masking.text(taken.output, 'output'),
  error: masking.text(taken.error, 'error'),
  scores: Object.fromEntries(
    Object.entries(taken.scores).map(([name, { score, reason }]) => [
      name,
      { score, reason: masking.text(reason, 'output') },
    ]),
  ),
  metadata: masking.json(taken.metadata, 'metadata'),
});

/**
 * A taken result as a sample of its run.
 * @param scorers all of the run, in order.
 * @param ofServer what the server's scorers said, by name; none looks at a result that is an error.
 */
export function sampleOfTaken(
  scorers: readonly RunScorer[],
  taken: TakenResult,
  ofServer: ReadonlyMap<string, ScorerResult>,
  resultHash: string,
): SampleResult {
  const results = scorers.map(({ name }) => ofServer.get(name) ?? scoreGiven(taken, name));
  const { output, error, latencyMs, tokens, cost, traceId, spanId } = taken;
  const sample: SampleResult = {
    ...{ ...NO_RESULT, output, latencyMs, tokens, cost, traceId, spanId, resultHash },
    // Nothing is known of the calls that the caller made.
    attempts: 0,
    metadata: toJsonText(taken.metadata),
    ...combineScores(scorers, results),
  };
  if (error === null) return sample;
  const hasScores = Object.keys(taken.scores).length > 0;
  const named = Object.fromEntries(scorers.map(({ name }, index) => [name, results[index]!]));
  return { ...sample, score: null, reason: null, error, scores: sample.scores ?? (hasScores ? named : null) };
}

/** What the caller said for a scorer; nothing for one that it left out. */
function scoreGiven({ scores }: TakenResult, name: string): ScorerResult {
  if (!Object.hasOwn(scores, name)) return NO_SCORE;
  const { score, reason } = scores[name]!;
  return { ...NO_SCORE, score, reason };
}
