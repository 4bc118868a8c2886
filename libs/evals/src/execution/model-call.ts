import { setTimeout as pause } from 'node:timers/promises';
import type { Permits } from '@spandrel/kernel';
import {
  ConnectionCallError,
  refusalOf,
  refusesMember,
  type ConnectionReply,
  type OpenConnection,
} from '@spandrel/connections';
import {
  UNKNOWN_USAGE,
  USAGE_COUNTS,
  listOf,
  usageMembers,
  type ChatCall,
  type EmbeddingCall,
  type HttpRequest,
  type MaxTokensMember,
  type RecordedAnswer,
  type Usage,
} from '@spandrel/plugin-api';
import { answerTextOf } from '@spandrel/contract';
import { type Begun, type CallPace, RunCalls, type Adaptation } from './run-calls.js';

/** Times of a call, fixed for all runs (docs/spec/evaluations.md#model-calls). */
const MODEL_CALL = { timeoutMs: 60_000, retryDelayMs: 2_000 } as const;

/** Statuses after which a call is made once more (docs/spec/evaluations.md#model-calls). */
const RETRYABLE = new Set([429, 500, 502, 503]);
const RETRIES_MAX = 1;
const TOO_MANY_REQUESTS = 429;
/** Statuses of a call that has what a server does not take. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);

export interface ModelAnswer {
  text: string;
  /** Calls of tools, as datapoints expect them: JSON text. */
  toolCalls?: string;
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
  permits: Pick<Permits, 'enter' | 'leave'>;
  signal: AbortSignal;
  /** What the call shares with the others of its run; left out for a call that stands alone. */
  run?: RunCalls;
  /** Whether nobody asked for the call's temperature, so that it is left out for a model that takes none. */
  isTemperatureOurs?: boolean;
  /** Sees the call as it is sent, each time. */
  sent?: (call: ChatCall) => void;
  /** Tests use shorter times. */
  timing?: { timeoutMs: number; retryDelayMs: number };
}

/**
 * Asks a model (docs/spec/evaluations.md#model-calls). A model that refuses what the run did not ask for is asked once more
 * without it (docs/spec/evaluations.md#what-models-do-not-take).
 * @throws ModelCallError; the reason of `signal` when that fires.
 */
export function callModel(connection: OpenConnection, call: ChatCall, options: ModelCallOptions): Promise<ModelAnswer> {
  let adapted = call;
  const exchange: Exchange<ModelAnswer> = {
    build(adaptation) {
      adapted = adapt(call, adaptation, options);
      options.sent?.(adapted);
      return connection.provider.chat.buildRequest(connection.target, adapted);
    },
    change: (reply, request) => findAdaptation(connection, reply, adapted, request, options),
    read: (reply, attempts) => readModelAnswer(connection, reply, attempts),
  };
  return callWithRetry(connection, call.model, exchange, options);
}

/** What is sent to a connection, and what is made of the answer. */
interface Exchange<Answer> {
  build(adaptation: Adaptation): HttpRequest;
  /** What can be changed of a request that was refused; `undefined`: nothing. */
  change?(reply: ConnectionReply, request: HttpRequest): Adaptation | undefined;
  read(reply: ConnectionReply, attempts: number): Promise<Answer> | Answer;
}

/**
 * Sends a request: 60 s a call, and one retry after 2 s on 429, 500, 502 and 503; a connection error or timeout is not
 * retried (docs/spec/evaluations.md#model-calls).
 * @throws ModelCallError; the reason of `signal` when that fires.
 */
async function callWithRetry<Answer>(
  connection: OpenConnection,
  model: string,
  exchange: Exchange<Answer>,
  options: ModelCallOptions,
): Promise<Answer> {
  const { signal, run = new RunCalls(), timing = MODEL_CALL } = options;
  const pace = run.paceOf(connection);
  let adaptation = run.adaptationFor(connection, model);
  let retries = 0;
  let letOthersBegin: (() => void) | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      const request = exchange.build(adaptation);
      const { reply, begun } = await send(connection, request, {
        ...options,
        pace,
        timing,
        isRetry: retries > 0,
        attempt,
      });
      if (reply.status >= 200 && reply.status < 300) {
        pace.noteSuccess();
        run.noteAdaptation(connection, model, adaptation);
        return await exchange.read(reply, attempt);
      }
      const isLast = retries === RETRIES_MAX || !RETRYABLE.has(reply.status);
      if (reply.status === TOO_MANY_REQUESTS) {
        pace.slow(begun, reply.retryAfterMs);
        if (!isLast) letOthersBegin = pace.hold();
      }
      const change = exchange.change?.(reply, request);
      if (change) {
        adaptation = { ...adaptation, ...change };
      } else if (isLast) {
        throw new ModelCallError(refusalOf(connection, reply, model), attempt);
      } else {
        retries++;
        await pause(timing.retryDelayMs, undefined, { signal });
      }
    }
  } finally {
    letOthersBegin?.();
  }
}

interface EmbeddedTexts extends ModelAnswer {
  /** One a text, in order, all of one length. */
  vectors: number[][];
}

/** Asks a model for vectors of texts, as {@link callModel} asks one for an answer. @throws as that does. */
function callEmbeddings(
  connection: OpenConnection,
  { model, texts }: EmbeddingCall,
  options: ModelCallOptions,
): Promise<EmbeddedTexts> {
  const { embeddings } = connection.provider;
  if (!embeddings) throw new ModelCallError(`the provider ${connection.providerName} makes no embeddings`, 0);
  const request = embeddings.buildRequest(connection.target, { model, texts });
  const read = (reply: ConnectionReply, attempts: number): EmbeddedTexts => {
    const vectors = embeddings.readVectors(reply.body);
    if (vectors?.length !== texts.length || vectors.some(({ length }) => length !== vectors[0]!.length)) {
      const answer = `the answer of ${connection.server} is no list of ${texts.length} vectors`;
      throw new ModelCallError(`${answer}: ${reply.excerpt}`, attempts);
    }
    const usage = embeddings.readUsage?.(reply.body) ?? UNKNOWN_USAGE;
    const { latencyMs } = reply;
    return { vectors, text: '', finishReason: null, usage: countedUsage(usage), latencyMs, attempts };
  };
  return callWithRetry(connection, model, { build: () => request, read }, options);
}

interface SendOptions extends Required<Pick<ModelCallOptions, 'permits' | 'signal' | 'timing'>> {
  pace: CallPace;
  isRetry: boolean;
  attempt: number;
}

/** Sends a request once. @throws ModelCallError without an answer; the reason of `signal` when that fires. */
async function send(
  connection: OpenConnection,
  request: HttpRequest,
  { permits, pace, isRetry, attempt, signal, timing }: SendOptions,
): Promise<{ reply: ConnectionReply; begun: Begun }> {
  const begun = await begin(pace, permits, isRetry, signal);
  try {
    return { reply: await connection.send(request, { timeoutMs: timing.timeoutMs, signal }), begun };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ConnectionCallError)) throw error;
    throw new ModelCallError(connection.redact(error.message), attempt, { cause: error });
  } finally {
    permits.leave();
    pace.leave();
  }
}

/** Takes room for a call, in its run and among all. The run may be slowed while the call waits for the latter. */
async function begin(
  pace: CallPace,
  permits: Pick<Permits, 'enter' | 'leave'>,
  isRetry: boolean,
  signal: AbortSignal,
): Promise<Begun> {
  for (;;) {
    const begun = isRetry ? pace.reenter() : await pace.enter(signal);
    await permits.enter();
    if (isRetry || !pace.isHeld) return begun;
    permits.leave();
    pace.leave();
  }
}

const adapt = (
  call: ChatCall,
  { leavesOutTemperature, maxTokensMember, leavesOutSchema }: Adaptation,
  { isTemperatureOurs }: ModelCallOptions,
): ChatCall => ({
  ...call,
  ...(leavesOutTemperature && isTemperatureOurs && { temperature: undefined }),
  ...(leavesOutSchema && { answerSchema: undefined }),
  maxTokensMember: call.maxTokensMember ?? maxTokensMember,
});

const OTHER_MEMBER = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
} as const satisfies Record<MaxTokensMember, MaxTokensMember>;

/** What can be changed of a call that was refused, that the run did not ask for; `undefined`: nothing, or it was already. */
function findAdaptation(
  connection: OpenConnection,
  reply: ConnectionReply,
  call: ChatCall,
  request: HttpRequest,
  { isTemperatureOurs }: ModelCallOptions,
): Adaptation | undefined {
  const isTemperatureRefused = call.temperature !== undefined && refusesMember(connection, reply, 'temperature');
  if (isTemperatureRefused && isTemperatureOurs) return { leavesOutTemperature: true };
  // Servers say in too many ways that they take no schema; what was wrong with the call otherwise is refused without it again.
  if (call.answerSchema && !isTemperatureRefused && REFUSALS.has(reply.status)) return { leavesOutSchema: true };
  if (call.maxTokens === undefined || call.maxTokensMember !== undefined) return undefined;
  const has = ({ body }: HttpRequest, member: string): boolean => Object.hasOwn(Object(body), member);
  const refused = (['max_tokens', 'max_completion_tokens'] as const).find((member) => has(request, member));
  if (refused === undefined || !refusesMember(connection, reply, refused)) return undefined;
  const maxTokensMember = OTHER_MEMBER[refused];
  // A format that knows one member alone has it again.
  const other = connection.provider.chat.buildRequest(connection.target, { ...call, maxTokensMember });
  return has(other, maxTokensMember) ? { maxTokensMember } : undefined;
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
  const toolCalls = listOf(answer.toolCalls);
  const calls = toolCalls.length > 0 ? answerTextOf({ text: '', tool_calls: toolCalls }) : null;
  // A server that repeats what it was sent must not have the key end up in a result.
  return {
    text: await connection.redactOutput(answer.text),
    ...(calls !== null && { toolCalls: await connection.redactOutput(calls) }),
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
  /** Whom it asked: the run's model, the judge, or what makes a scorer's vectors. */
  asked: 'model' | 'judge' | 'embedding';
  /** The scorer that asked the judge, where a run has several. */
  scorer?: string;
  connection: Pick<OpenConnection, 'id' | 'providerName'>;
  /** The call as it was sent last; texts to embed are messages of it. */
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
export function observeModelCall(
  asked: ObservedCall['asked'],
  connection: OpenConnection,
  call: ChatCall,
  options: ItemCallOptions,
): Promise<ModelAnswer> {
  return observed(asked, connection, call, options, (sent) => callModel(connection, call, { ...options, sent }));
}

/** Has vectors made, and hands the call to `options.observe` as {@link observeModelCall} does. */
export function observeEmbeddingCall(
  connection: OpenConnection,
  { model, texts }: EmbeddingCall,
  options: ItemCallOptions,
): Promise<EmbeddedTexts> {
  const call: ChatCall = { model, messages: texts.map((content) => ({ role: 'user', content })) };
  return observed('embedding', connection, call, options, async () =>
    callEmbeddings(connection, { model, texts }, options),
  );
}

async function observed<Answer extends ModelAnswer>(
  asked: ObservedCall['asked'],
  connection: OpenConnection,
  call: ChatCall,
  options: ItemCallOptions,
  send: (sent: (adapted: ChatCall) => void) => Promise<Answer>,
): Promise<Answer> {
  const startedAt = Date.now();
  let last = call;
  const report = (attempts: number, outcome: ObservedCall['outcome']): void =>
    options.observe?.({ asked, connection, call: last, startedAt, endedAt: Date.now(), attempts, outcome });
  try {
    const answer = await send((adapted) => void (last = adapted));
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
