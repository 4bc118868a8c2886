import type { OpenConnection } from '@spandrel/connections';
import { parametersFor, type DatapointKind, type ScorerResult } from '@spandrel/contract';
import type { BoundedMasking, MaskingCalls } from '@spandrel/masking';
import {
  amountOf,
  countOf,
  objectOf,
  textOf,
  functionToolOf,
  listOf,
  type ChatCall,
  type MaxTokensMember,
} from '@spandrel/plugin-api';
import { estimateCost, type PricingTable, largeRequestHash } from '@spandrel/tracing';
import { Injectable } from '@nestjs/common';
import { contentOf } from '@spandrel/datasets';
import { integer, nullable, shapeOf, sql, Storage, text, type Sql } from '@spandrel/storage';
import { combineScores, NO_SCORE, NO_RESULT, type SampleResult } from './sample-result.js';
import { readInputAndExpected, type SampleKey } from '../eval-item.js';
import { fillPrompt, PromptError, type Prompt } from '../prompts/prompt.js';
import { ModelCallError, totalTokens, observeModelCall, type ModelAnswer, type ItemCallOptions } from './model-call.js';
import { scoreSample, type PreparedScorer } from './score-sample.js';
import { EvalAttemptStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { readText } from '../eval-run.js';

const DAY_MS = 86_400_000;

/** What a sample has of the call of its model, made for it or for an earlier one. */
type KnownAnswer = Pick<SampleResult, 'latencyMs' | 'tokens' | 'cost' | 'attempts' | 'callHash' | 'reusedRunId'> & {
  output: string;
};

/**
 * Equal for calls that are equal to a model, for datapoints that are the same but for the results of runs.
 * @param call as it is before anything is left out of it that its model does not take.
 */
const hashCall = (
  { id, providerName, target }: Pick<OpenConnection, 'id' | 'providerName' | 'target'>,
  call: ChatCall,
  kind: DatapointKind,
): Promise<string> =>
  largeRequestHash({
    connection: [id, providerName, target.baseUrl],
    call: { ...call },
    kind: Object.entries(kind).map(([name, variant]) => [name, contentOf(variant as Record<string, unknown>)]),
  });

const ANSWER = shapeOf({ output: text(), latencyMs: nullable(integer()), runId: text() });

/** Finds what was answered before, so that it is not asked again (docs/spec/evaluations.md#answers-of-earlier-runs). */
@Injectable()
export class FindAnswers {
  constructor(
    private readonly storage: Storage,
    private readonly attempts: EvalAttemptStore,
  ) {}

  /** How often a sample was tried before, and the answer of the last time where that is to be scored again. */
  async findFormer(run: EvalRunRow, sample: SampleKey): Promise<{ tries: number; kept?: KnownAnswer }> {
    const last = run.retriedSamples > 0 ? await this.attempts.findLast(run, sample) : undefined;
    if (!last) return { tries: 0 };
    const tries = last.attempt + 1;
    if (last.isKept === 0) return { tries };
    const { latencyMs, tokens, cost, attempts, callHash, reusedRunId } = last;
    return {
      tries,
      kept: { output: readText(last.output)!, latencyMs, tokens, cost, attempts, callHash, reusedRunId },
    };
  }

  /**
   * The answer that an earlier run got to the same call for the same repeat, the newest one, that of the same datapoint before others;
   * `undefined` where there is none, or the run takes none over.
   */
  async findReusable(run: EvalRunRow, sample: SampleKey, callHash: string): Promise<KnownAnswer | undefined> {
    if (run.cacheDays === null) return undefined;
    const { projectId, id, createdAt, cacheDays } = run;
    const { datapointId, repeat } = sample;
    const found = (rows: Sql): Sql => sql`select s.output, s.latency_ms, s.run_id, r.created_at,
        case when s.datapoint_id = ${datapointId} then 0 else 1 end as is_other
      from ${rows} join eval_run r on r.project_id = s.project_id and r.id = s.run_id
      where s.project_id = ${projectId} and s.call_hash = ${callHash} and s.output is not null and r.id <> ${id}
        and r.created_at >= ${createdAt - cacheDays * DAY_MS} and r.created_at <= ${createdAt}`;
    // Runs that try each datapoint once have their samples in another table.
    const once = repeat === 0 ? sql`${found(sql`eval_result s`)} union all` : sql``;
    const [answer] = await this.storage.readLong(
      ANSWER.query`select output, latency_ms as "latencyMs", run_id as "runId" from (${once}
        ${found(sql`eval_sample s`)} and s.repeat = ${repeat}) found
        order by is_other, created_at desc, run_id desc limit 1`,
    );
    if (!answer) return undefined;
    const { output, latencyMs, runId } = answer;
    const known = { output: readText(output)!, latencyMs, tokens: 0, cost: 0, attempts: 0 };
    return { ...known, callHash: null, reusedRunId: runId };
  }
}

export interface PreparedModel {
  connection: OpenConnection;
  model: string;
  prompt: Prompt;
  temperature: number | undefined;
  maxTokens: number | undefined;
  maxTokensMember?: MaxTokensMember | undefined;
  /** Whether tools and parameters that datapoints were recorded with are sent with them. */
  isAsRecorded?: boolean;
}

/** What a datapoint of a replay was recorded with (docs/spec/replay.md#datapoints-of-a-replay), as a provider takes it. */
function readRecorded(
  kind: DatapointKind,
  providerName: string,
): Pick<ChatCall, 'tools' | 'temperature' | 'maxTokens' | 'parameters'> {
  const { metadata } = 'LlmConversation' in kind ? kind.LlmConversation : kind.Generic;
  const { provider, tools, parameters } = objectOf(metadata?.['recorded']);
  const recorded = { provider: textOf(provider), parameters: { ...objectOf(parameters) } };
  const { temperature, max_tokens: maxTokens, ...others } = parametersFor(recorded, providerName);
  // Tools that a provider runs itself are known to no other one.
  const known = listOf(tools).filter((tool) => provider === providerName || functionToolOf(tool) !== null);
  return {
    ...(known.length > 0 && { tools: known }),
    ...(Object.keys(others).length > 0 && { parameters: others }),
    temperature: amountOf(temperature) ?? undefined,
    maxTokens: countOf(maxTokens) ?? undefined,
  };
}

/**
 * Calls the model for a datapoint and has its output scored. The result has whatever goes wrong with either
 * (docs/spec/evaluations.md#items-that-fail).
 * @param masking the rules of the project: outputs are scored as they are stored.
 * @param baseline what the baseline of the run answered, where scorers need it.
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
  baseline?: string,
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
    const recorded = asked.isAsRecorded ? readRecorded(kind, asked.connection.providerName) : {};
    const given = {
      temperature: temperature ?? recorded.temperature,
      maxTokens: maxTokens ?? recorded.maxTokens,
      maxTokensMember,
    };
    call = { ...recorded, model, messages: fillPrompt(asked.prompt, kind), ...given };
  } catch (error) {
    return failed(error);
  }
  const callHash = await hashCall(asked.connection, call, kind);
  let answer = await findKnown(callHash);
  if (!answer) {
    let said: ModelAnswer;
    try {
      // A recorded temperature is left out for a model that takes none.
      const isTemperatureOurs = temperature === undefined;
      said = await observeModelCall('model', asked.connection, call, { ...options, isTemperatureOurs });
    } catch (error) {
      return failed(error);
    }
    const { usage, latencyMs, attempts } = said;
    const text = said.text === '' && call.tools ? (said.toolCalls ?? '') : said.text;
    answer = {
      // What a datapoint expects was masked as it was stored: masked alike, the two can be compared.
      output: masking ? await masking.run((calls) => calls.text(text, 'output')) : text,
      ...{ latencyMs, attempts, callHash, reusedRunId: null },
      tokens: totalTokens(usage),
      cost: usage.cost ?? estimateCost(pricing, model, usage),
    };
  }
  const { output, latencyMs, cost } = answer;
  const results = await scoreSample(scorers, { input, output, expected, baseline, latencyMs, cost }, pricing, options);
  return { ...NO_RESULT, ...answer, ...combineScores(scorers, results) };
}

/** A result as it may be stored; its output is masked already. */
export const maskResult = (masking: MaskingCalls, result: SampleResult): SampleResult => ({
  ...result,
  scoreReason: masking.text(result.scoreReason, 'output'),
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
  error: 'the result could not be stored',
});

function describeError(error: unknown, provider: string): string {
  if (error instanceof ModelCallError || error instanceof PromptError) return error.message;
  return `provider ${provider}: ${error instanceof Error ? error.message : String(error)}`;
}
