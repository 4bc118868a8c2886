import {
  externalResultSchema,
  EXTERNAL_SCORER,
  fieldErrors,
  type AddedResults,
  type ExternalResult,
  type RunScorer,
  type ScorerResult,
} from '@spandrel/contract';
import type { MaskingCalls } from '@spandrel/masking';
import { toJsonText } from '@spandrel/storage';
import { estimateCost, largeRequestHash, type PricingTable } from '@spandrel/tracing';
import type { SampleKey } from '../eval-item.js';
import { combineScores, NO_SCORE, NO_RESULT, type SampleResult } from '../execution/sample-result.js';

interface SubmittedScore {
  score: number;
  reason: string | null;
}

interface SubmittedResult extends SampleKey {
  /** The place of the result in the request. */
  index: number;
  result: ExternalResult;
  /** By the names of scorers. */
  scores: Readonly<Record<string, SubmittedScore>>;
  /** Says whether a result is the same that was sent before. */
  hash: string;
}

export type Rejection = AddedResults['rejected'][number];

interface AskedFor {
  repeats: number;
  scorers: readonly RunScorer[];
}

/**
 * Checks results one by one, so that a bad one rejects itself alone; whether the run has their datapoints is not looked at
 * (docs/spec/external-runs.md#results). Others have their turn meanwhile.
 */
export async function readResults(
  run: AskedFor,
  results: readonly unknown[],
): Promise<{ given: SubmittedResult[]; rejected: Rejection[] }> {
  const external = new Set(run.scorers.filter(({ scoring }) => scoring === EXTERNAL_SCORER).map(({ name }) => name));
  const given: SubmittedResult[] = [];
  const rejected: Rejection[] = [];
  for (const [index, sent] of results.entries()) {
    const parsed = externalResultSchema.safeParse(sent);
    const faults = parsed.success
      ? findFaults(run, external, parsed.data)
      : fieldErrors(parsed.error).map(({ path, message }) => (path ? `${path} ${message}` : message));
    if (parsed.success && faults.length === 0) given.push(await submittedResult(index, parsed.data));
    else rejected.push({ index, code: 'validation_failed', message: faults.join('; ') });
  }
  return { given, rejected };
}

function findFaults(run: AskedFor, external: ReadonlySet<string>, { repeat, scores }: ExternalResult): string[] {
  const faults: string[] = [];
  if ((repeat ?? 0) >= run.repeats) {
    faults.push(`repeat must be less than ${run.repeats}, the repeats of the run`);
  }
  for (const name of Object.keys(scores ?? {})) {
    if (external.has(name)) continue;
    const isOurs = run.scorers.some((scorer) => scorer.name === name);
    const why = isOurs ? 'the server scores by it' : 'the run has no scorer of this name';
    faults.push(`scores.${name} must be left out: ${why}`);
  }
  return faults;
}

async function submittedResult(index: number, result: ExternalResult): Promise<SubmittedResult> {
  const { datapoint_id: datapointId } = result;
  const repeat = result.repeat ?? 0;
  const scores = Object.fromEntries(
    Object.entries(result.scores ?? {}).map(([name, score]) => [
      name,
      typeof score === 'number' ? { score, reason: null } : { score: score.score, reason: score.reason ?? null },
    ]),
  );
  const hash = await largeRequestHash({ ...result, repeat, scores });
  return { index, datapointId, repeat, result, scores, hash };
}

/** An external result as it is kept until it is scored: masked and priced. */
export interface NormalizedResult {
  output: string | null;
  error: string | null;
  scores: Readonly<Record<string, SubmittedScore>>;
  latencyMs: number | null;
  tokens: number | null;
  cost: number | null;
  traceId: string | null;
  spanId: string | null;
  metadata: Record<string, unknown> | null;
}

/** A taken result with the sample that it is of. */
export type NormalizedSample = Pick<SubmittedResult, 'index' | 'datapointId' | 'repeat' | 'hash'> & {
  taken: NormalizedResult;
};

/**
 * A result as it is taken; it is kept masked, see {@link maskTaken}.
 * @param model whom the caller asked, as far as the run says; what a result cost is priced by it when the result does not say.
 */
export function normalizeResult(
  { result, scores }: SubmittedResult,
  model: string | null,
  pricing: PricingTable,
): NormalizedResult {
  const inputTokens = result.input_tokens ?? null;
  const outputTokens = result.output_tokens ?? null;
  const priced = (): number | null =>
    model === null ? null : estimateCost(pricing, model, { inputTokens, outputTokens });
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
export const maskResult = (masking: MaskingCalls, taken: NormalizedResult): NormalizedResult => ({
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
export function toSampleResult(
  scorers: readonly RunScorer[],
  taken: NormalizedResult,
  ofServer: ReadonlyMap<string, ScorerResult>,
  resultHash: string,
): SampleResult {
  const results = scorers.map(({ name }) => ofServer.get(name) ?? submittedScore(taken, name));
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
  return { ...sample, score: null, scoreReason: null, error, scores: sample.scores ?? (hasScores ? named : null) };
}

function submittedScore({ scores }: NormalizedResult, name: string): ScorerResult {
  if (!Object.hasOwn(scores, name)) return NO_SCORE;
  const { score, reason } = scores[name]!;
  return { ...NO_SCORE, score, reason };
}
