import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionCallError, refusalOf, type ConnectionReply, type OpenConnection } from '@spandrel/connections';
import {
  UNKNOWN_USAGE,
  USAGE_COUNTS,
  usageMembers,
  type ChatCall,
  type RecordedAnswer,
  type Usage,
} from '@spandrel/plugin-api';
import type { CallPermits } from './permits.js';

/** Times of a call, fixed for all runs (docs/spec/evaluations.md#model-calls). */
const MODEL_CALL = { timeoutMs: 60_000, retryDelayMs: 2_000 } as const;

/** Statuses after which a call is made once more (docs/spec/evaluations.md#model-calls). */
const RETRYABLE = new Set([429, 500, 502, 503]);
const ATTEMPTS_MAX = 2;

/** What a model answered. */
export interface ModelAnswer {
  text: string;
  /** Why the model stopped, in the provider's own words. */
  finishReason: string | null;
  usage: Usage;
  /** Duration of the successful attempt. */
  latencyMs: number;
  attempts: number;
}

/** A model call that failed after all retries; the message is fit for the result item and holds no key. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';

  constructor(
    message: string,
    readonly attempts: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface ModelCallOptions {
  permits: CallPermits;
  signal: AbortSignal;
  /** Tests use shorter times. */
  timing?: { timeoutMs: number; retryDelayMs: number };
}

/**
 * Asks a model: 60 s a call, and one retry after 2 s on 429, 500, 502 and 503; a connection error or timeout is not
 * retried (docs/spec/evaluations.md#model-calls).
 * @throws ModelCallError; the reason of `signal` when that fires.
 */
export async function callModel(
  connection: OpenConnection,
  call: ChatCall,
  { permits, signal, timing = MODEL_CALL }: ModelCallOptions,
): Promise<ModelAnswer> {
  const request = connection.provider.chat.buildRequest(connection.target, call);
  for (let attempt = 1; ; attempt++) {
    let reply: ConnectionReply;
    await permits.enter();
    try {
      reply = await connection.send(request, { timeoutMs: timing.timeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectionCallError)) throw error;
      throw new ModelCallError(connection.redact(error.message), attempt, { cause: error });
    } finally {
      permits.leave();
    }
    if (reply.status >= 200 && reply.status < 300) return await readModelAnswer(connection, reply, attempt);
    if (attempt === ATTEMPTS_MAX || !RETRYABLE.has(reply.status)) {
      throw new ModelCallError(refusalOf(connection, reply, call.model), attempt);
    }
    await pause(timing.retryDelayMs, undefined, { signal });
  }
}

async function readModelAnswer(
  connection: OpenConnection,
  reply: ConnectionReply,
  attempts: number,
): Promise<ModelAnswer> {
  if (reply.body === undefined) {
    const answer = `the answer of ${connection.server}`;
    if (reply.excerpt === '') throw new ModelCallError(`${answer} is empty or cannot be decoded`, attempts);
    throw new ModelCallError(`${answer} is not JSON; is base_url that of an API? It says: ${reply.excerpt}`, attempts);
  }
  const answer: RecordedAnswer = connection.provider.chat.readAnswer(reply.body);
  if (answer.error !== null) throw new ModelCallError(connection.redact(answer.error), attempts);
  if (typeof answer.text !== 'string') {
    throw new ModelCallError(`the answer of ${connection.server} holds no text: ${reply.excerpt}`, attempts);
  }
  // A server that repeats what it was sent must not have the key end up in a result.
  return {
    text: await connection.redactOutput(answer.text),
    finishReason: typeof answer.finishReason === 'string' ? await connection.redactOutput(answer.finishReason) : null,
    usage: countedUsage(answer.usage),
    latencyMs: reply.latencyMs,
    attempts,
  };
}

/** A plugin may report anything: what is no count, no cost and no name is unknown. */
function countedUsage(usage: Usage): Usage {
  const known = usageMembers(usage);
  const counts = Object.entries(USAGE_COUNTS).flatMap(([name, member]) =>
    known[member] === undefined ? [] : [[name, known[member]]],
  );
  return {
    ...UNKNOWN_USAGE,
    ...Object.fromEntries(counts),
    ...(known.service_tier !== undefined && { serviceTier: known.service_tier }),
    ...(known.cost !== undefined && { cost: known.cost }),
  };
}

/** Input and output tokens together; `null` when neither is known. */
export const totalTokens = ({ inputTokens, outputTokens }: Usage): number | null =>
  inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);

/** A call that was made for an item, with all its attempts. */
export interface ObservedCall {
  /** Whom it asked: the run's model, or the judge. */
  asked: 'model' | 'judge';
  /** The scorer that asked the judge, where a run has several. */
  scorer?: string;
  connection: Pick<OpenConnection, 'id' | 'providerName'>;
  call: ChatCall;
  /** From the first attempt to the last, in ms since the epoch. */
  startedAt: number;
  endedAt: number;
  attempts: number;
  /** What came of it; an error is a sentence without the key. */
  outcome: ModelAnswer | { error: string };
}

/** How the calls of an item are made; `observe`, where given, gets each one that is over. */
export interface ItemCallOptions extends ModelCallOptions {
  observe?: (call: ObservedCall) => void;
}

/** Calls a model like {@link callModel}, and hands it to `options.observe`; a call that is given up is left out. */
export async function observeModelCall(
  asked: ObservedCall['asked'],
  connection: OpenConnection,
  call: ChatCall,
  options: ItemCallOptions,
): Promise<ModelAnswer> {
  const startedAt = Date.now();
  const report = (attempts: number, outcome: ObservedCall['outcome']): void =>
    options.observe?.({ asked, connection, call, startedAt, endedAt: Date.now(), attempts, outcome });
  try {
    const answer = await callModel(connection, call, options);
    report(answer.attempts, answer);
    return answer;
  } catch (error) {
    if (!options.signal.aborted) {
      const message = error instanceof Error ? error.message : String(error);
      report(error instanceof ModelCallError ? error.attempts : 0, { error: connection.redact(message) });
    }
    throw error;
  }
}
