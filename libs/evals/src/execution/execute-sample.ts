import type { OpenConnection } from '@spandrel/connections';
import type { DatapointKind, ScorerResult } from '@spandrel/contract';
import type { BoundedMasking, MaskingCalls } from '@spandrel/masking';
import type { ChatCall, MaxTokensMember } from '@spandrel/plugin-api';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { combineScores, NO_SCORE, NO_RESULT, type SampleResult } from './sample-result.js';
import { readInputAndExpected } from '../eval-item.js';
import { fillPrompt, PromptError, type Prompt } from '../prompts/prompt.js';
import { ModelCallError, totalTokens, observeModelCall, type ModelAnswer, type ItemCallOptions } from './model-call.js';
import { hashCall, type KnownAnswer } from './find-answers.js';
import { scoreSample, type PreparedScorer } from './score-sample.js';

/** The model that a run asks. */
export interface PreparedModel {
  connection: OpenConnection;
  model: string;
  prompt: Prompt;
  temperature: number | undefined;
  maxTokens: number | undefined;
  maxTokensMember?: MaxTokensMember | undefined;
}

/**
 * Calls the model for a datapoint and has its output scored. The result has whatever goes wrong with either
 * (docs/spec/evaluations.md#items-that-fail).
 * @param masking the rules of the project: outputs are scored as they are stored.
 * @param findKnown finds an answer that takes the place of the call, by its hash.
 * @throws the reason of `options.signal` when that fires, what `findKnown` throws, and nothing else.
 */
export async function executeSample(
  asked: PreparedModel,
  scorers: readonly PreparedScorer[],
  kind: DatapointKind,
  pricing: PricingTable,
  options: ItemCallOptions,
  masking: BoundedMasking | null = null,
  findKnown: (callHash: string) => Promise<KnownAnswer | undefined> = async () => undefined,
): Promise<SampleResult> {
  const { input, expected } = readInputAndExpected(kind);
  const { model, temperature, maxTokens, maxTokensMember } = asked;
  const failed = (error: unknown): SampleResult => {
    options.signal.throwIfAborted();
    const attempts = error instanceof ModelCallError ? error.attempts : 0;
    const nothing = combineScores(
      scorers,
      scorers.map(() => NO_SCORE),
    );
    return { ...NO_RESULT, ...nothing, attempts, error: describeError(error, asked.connection.providerName) };
  };
  let call: ChatCall;
  try {
    call = { model, messages: fillPrompt(asked.prompt, kind), temperature, maxTokens, maxTokensMember };
  } catch (error) {
    return failed(error);
  }
  const callHash = await hashCall(asked.connection, call, kind);
  let answer = await findKnown(callHash);
  if (!answer) {
    let said: ModelAnswer;
    try {
      said = await observeModelCall('model', asked.connection, call, options);
    } catch (error) {
      return failed(error);
    }
    const { usage, latencyMs, attempts } = said;
    answer = {
      // What a datapoint expects was masked as it was stored: masked alike, the two can be compared.
      output: masking ? await masking.run((calls) => calls.text(said.text, 'output')) : said.text,
      ...{ latencyMs, attempts, callHash, reusedRunId: null },
      tokens: totalTokens(usage),
      cost: usage.cost ?? estimateCost(pricing, model, usage),
    };
  }
  const { output, latencyMs, cost } = answer;
  const results = await scoreSample(scorers, { input, output, expected, latencyMs, cost }, pricing, options);
  return { ...NO_RESULT, ...answer, ...combineScores(scorers, results) };
}

/** A result as it may be stored; its output is masked already. */
export const maskResult = (masking: MaskingCalls, result: SampleResult): SampleResult => ({
  ...result,
  reason: masking.text(result.reason, 'output'),
  error: masking.text(result.error, 'error'),
  scores:
    result.scores &&
    Object.fromEntries(Object.entries(result.scores).map(([name, score]) => [name, maskScore(masking, score)])),
});

/** What a scorer said, as it may be stored. */
export const maskScore = (masking: MaskingCalls, result: ScorerResult): ScorerResult => ({
  ...result,
  reason: masking.text(result.reason, 'output'),
  error: masking.text(result.error, 'error'),
});

/** What is left of a result that the database refuses. */
export const unrecordable = ({ attempts, traceId, resultHash }: SampleResult): SampleResult => ({
  ...NO_RESULT,
  attempts,
  traceId,
  resultHash,
  judge: { model: null, tokens: null, cost: null },
  error: 'the result could not be stored',
});

function describeError(error: unknown, provider: string): string {
  if (error instanceof ModelCallError || error instanceof PromptError) return error.message;
  return `provider ${provider}: ${error instanceof Error ? error.message : String(error)}`;
}
