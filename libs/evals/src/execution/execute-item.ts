import type { OpenConnection } from '@spandrel/connections';
import type { DatapointKind } from '@spandrel/contract';
import type { Masking } from '@spandrel/masking';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { askJudge, type Judge, type JudgeUse } from './ask-judge.js';
import { datapointFacts } from '../datapoint-facts.js';
import { ModelCallError, totalTokens, type ModelAnswer } from './model-call.js';
import { noteCall, type ItemCallOptions } from './note-call.js';
import { scoreOutput, ScoringError, type ConfiguredScorer, type OutputScore } from './score-output.js';

/** A run ready to be executed: its connections opened, its scorer configured. */
export interface PreparedRun {
  connection: OpenConnection;
  model: string;
  systemPrompt: string | null;
  temperature: number | undefined;
  maxTokens: number | undefined;
  scorer: ConfiguredScorer;
  judge: Judge;
  /** Whether the calls of each item make a trace. */
  trace: boolean;
}

/** What became of a datapoint. */
export interface ItemResult {
  output: string | null;
  score: number | null;
  reason: string | null;
  latencyMs: number | null;
  tokens: number | null;
  /** Cost in dollars. */
  cost: number | null;
  /** `null`: the model call and the scoring succeeded. */
  error: string | null;
  attempts: number;
  judge: JudgeUse;
  promptHash: string | null;
  /** The trace of its calls, where one was written. */
  traceId: string | null;
}

/**
 * Calls the model for a datapoint and scores its output. The result has whatever goes wrong with either
 * (docs/spec/evaluations.md#items-that-fail).
 * @param masking the rules of the project: outputs are scored as they are stored.
 * @throws the reason of `options.signal` when that fires, and nothing else.
 */
export async function executeItem(
  run: PreparedRun,
  kind: DatapointKind,
  pricing: PricingTable,
  options: ItemCallOptions,
  masking: Masking | null = null,
): Promise<ItemResult> {
  const { input, messages, expected } = datapointFacts(kind, run.systemPrompt);
  const judge: JudgeUse = { model: null, tokens: null, cost: null };
  let answer: ModelAnswer;
  try {
    const { model, temperature, maxTokens } = run;
    answer = await noteCall('model', run.connection, { model, messages, temperature, maxTokens }, options);
  } catch (error) {
    options.signal.throwIfAborted();
    const attempts = error instanceof ModelCallError ? error.attempts : 0;
    return { ...NOTHING, judge, attempts, error: messageOf(error, `provider ${run.connection.providerName}`) };
  }
  // What a datapoint expects was masked as it was stored: masked alike, the two can be compared.
  const output = masking ? masking.text(answer.text, 'output') : answer.text;
  const answered = {
    output,
    latencyMs: answer.latencyMs,
    tokens: totalTokens(answer.usage),
    cost: estimateCost(pricing, run.model, answer.usage),
    attempts: answer.attempts,
    judge,
  };
  const complete = askJudge(run.judge, judge, pricing, options);
  const { rubric } = run.judge;
  const { signal } = options;
  try {
    const scored: OutputScore = await scoreOutput(run.scorer, {
      input,
      output,
      expected,
      rubric,
      complete,
      signal,
    });
    return { ...NOTHING, ...answered, ...scored, error: null };
  } catch (error) {
    signal.throwIfAborted();
    return { ...NOTHING, ...answered, error: messageOf(error, `scorer ${run.scorer.name}`) };
  }
}

const NOTHING = {
  output: null,
  score: null,
  reason: null,
  latencyMs: null,
  tokens: null,
  cost: null,
  promptHash: null,
  traceId: null,
} as const;

/** A result as it may be stored; its output is masked already. */
export const maskResult = (masking: Masking, result: ItemResult): ItemResult => ({
  ...result,
  reason: masking.text(result.reason, 'output'),
  error: masking.text(result.error, 'error'),
});

/** What is left of a result that the database refuses. */
export const unrecordable = ({ attempts, traceId }: ItemResult): ItemResult => ({
  ...NOTHING,
  attempts,
  traceId,
  judge: { model: null, tokens: null, cost: null },
  error: 'the result could not be stored',
});

/** @param blamed the plugin that an unforeseen error is blamed on. */
function messageOf(error: unknown, blamed: string): string {
  if (error instanceof ModelCallError || error instanceof ScoringError) return error.message;
  return `${blamed}: ${error instanceof Error ? error.message : String(error)}`;
}
