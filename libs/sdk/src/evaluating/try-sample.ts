import { TIMER_MS_MAX } from '../api/http.js';
import type { DatapointKind, ExternalResult } from '../api/schema.js';
import { errorText } from '../recording/plain-text.js';
import type { EvalSpandrel, Task } from './definition.js';
import { defined, isObject, textOf } from './json.js';
import { scorerName, type PlannedScorer } from './read-definition.js';
import { isBuiltIn, type ScorerInput } from './scorer.js';

export interface Sample {
  datapointId: string;
  repeat: number;
  /** The datapoint as the run's snapshot has it. */
  kind: DatapointKind;
}

function factsOf(kind: DatapointKind) {
  if ('Generic' in kind) {
    const { input, expected_output: expected, metadata } = kind.Generic;
    return { input, expected: expected ?? undefined, metadata: metadata ?? {} };
  }
  const { messages, expected, metadata } = kind.LlmConversation;
  return { input: messages, expected: expected ?? undefined, metadata: (metadata ?? {}) as Record<string, unknown> };
}

interface Bounds {
  /** `Infinity`: as long as it takes. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Calls a function that may take too long. @throws what it throws; a `TimeoutError`; what the signal was aborted with. */
export async function limited<T>(
  run: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs, signal }: Bounds,
): Promise<T> {
  signal.throwIfAborted();
  const time = new AbortController();
  const expire = (): void => time.abort(new DOMException(`timed out after ${timeoutMs} ms`, 'TimeoutError'));
  const timer = timeoutMs > TIMER_MS_MAX ? undefined : setTimeout(expire, timeoutMs);
  const inner = AbortSignal.any([signal, time.signal]);
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(inner.reason as Error);
  });
  // Before the function hears of it, so that it is this reason that counts.
  inner.addEventListener('abort', stop);
  try {
    return await Promise.race([stopped, (async () => run(inner))()]);
  } finally {
    clearTimeout(timer);
    // A signal of several is kept for as long as somebody listens to it.
    inner.removeEventListener('abort', stop);
  }
}

const MEMBERS: readonly string[] = ['output', 'usage', 'cost'];

/** What providers and their SDKs call tokens. */
const INPUT_TOKENS = ['inputTokens', 'input_tokens', 'prompt_tokens', 'promptTokens'];
const OUTPUT_TOKENS = ['outputTokens', 'output_tokens', 'completion_tokens', 'completionTokens'];

/** @throws Error when the answer is no output, or its cost is none. */
function readAnswer(answer: unknown) {
  const isWhole = isObject(answer) && 'output' in answer && Object.keys(answer).every((name) => MEMBERS.includes(name));
  const { output, usage, cost } = isWhole ? (answer as Record<string, unknown>) : { output: answer };
  return {
    output,
    text: toText(output),
    inputTokens: countIn(usage, INPUT_TOKENS),
    outputTokens: countIn(usage, OUTPUT_TOKENS),
    cost: readCost(cost ?? undefined),
  };
}

function toText(output: unknown): string {
  if (output === undefined) throw new Error('the task returned nothing; it must return its output');
  let text: string | undefined;
  try {
    text = textOf(output);
  } catch (error) {
    throw new Error('the output is no JSON', { cause: error });
  }
  if (text === undefined) throw new Error(`the output is a ${typeof output}, and no JSON`);
  if (text === '{}' && !isPlain(output))
    throw new Error(`JSON has nothing of the output, ${String(output)}; the task must read it and return what it says`);
  return text;
}

/** Whether it is an object of the language alone, of whatever realm: no stream, generator, promise, map or error. */
function isPlain(value: unknown): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Usage comes from a provider: what is no count in it is not taken. */
function countIn(usage: unknown, names: readonly string[]): number | undefined {
  if (!isObject(usage)) return undefined;
  const count = names.map((name) => usage[name]).find((value) => value !== undefined && value !== null);
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

function readCost(cost: unknown): number | undefined {
  if (cost === undefined || (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0)) return cost;
  throw new Error(`the cost of the answer is ${String(cost)}; it must be dollars, 0 or more`);
}

interface Said {
  /** `null`: it gave none. */
  score: number | null;
  reason?: string;
  name?: string;
  error?: string;
}

/** Asks a scorer of this process, in a span unless it is a built-in one. @throws what the eval was stopped with. */
async function scoreOutput(
  { name, score }: PlannedScorer,
  sample: ScorerInput,
  spandrel: EvalSpandrel,
  bounds: Bounds,
): Promise<Said | undefined> {
  if (score === undefined) return undefined;
  const ask = async (): Promise<Said> => readScore(await limited(() => score(sample), bounds));
  try {
    if (isBuiltIn(score)) return await ask();
    const { output, expected } = sample;
    return await spandrel.span(`scorer ${name ?? ''}`.trim(), { input: { output, expected } }, async (span) => {
      const said = await ask();
      span.set({ output: { score: said.score, reason: said.reason } });
      return said;
    });
  } catch (error) {
    bounds.signal.throwIfAborted();
    return { score: null, error: errorText(error) };
  }
}

function readScore(answer: unknown): Said {
  if (!isObject(answer)) return { score: scoreOf(answer) };
  if (!('score' in answer)) throw new Error('the answer has no score; it must be a number or { name, score, reason }');
  const { name, score, reason, metadata } = answer;
  const rationale = isObject(metadata) ? metadata['rationale'] : undefined;
  const why = [reason, rationale].find((text): text is string => typeof text === 'string' && text !== '');
  const own = typeof name === 'string' ? scorerName(name) : undefined;
  return { score: scoreOf(score), ...defined({ reason: why, name: own }) };
}

function scoreOf(score: unknown): number | null {
  if (score === null) return null;
  if (typeof score === 'boolean') return score ? 1 : 0;
  if (typeof score === 'number' && score >= 0 && score <= 1) return score;
  const given =
    typeof score === 'number' ? `is ${score}` : `is ${Array.isArray(score) ? 'a list' : `of type ${typeof score}`}`;
  throw new Error(`the score ${given}; it must be a number from 0 to 1`);
}

export interface Trials {
  runId: string;
  runName: string;
  datasetId: string;
  repeats: number;
  task: Task<unknown, unknown, unknown>;
  scorers: readonly PlannedScorer[];
  spandrel: EvalSpandrel;
  bounds: Bounds;
}

export interface Tried extends Pick<Sample, 'datapointId' | 'repeat'> {
  /** Undefined where the task failed. */
  answer: ReturnType<typeof readAnswer> | undefined;
  error: string | undefined;
  latencyMs: number;
  /** By the places of the scorers; undefined of those of the server, and where the task failed. */
  said: (Said | undefined)[];
  traceId: string;
  spanId: string;
}

/** The tag of traces that evals make; capture rules pass them over. */
const EVAL_TAG = 'eval';

/** Makes a try in a trace of its own, also where it fails. @throws what the eval was stopped with. */
export function trySample(trials: Trials, sample: Sample): Promise<Tried> {
  const { runId, runName, datasetId, repeats, spandrel } = trials;
  const { datapointId, repeat } = sample;
  const metadata = {
    ...{ eval_run_id: runId, dataset_id: datasetId, datapoint_id: datapointId },
    ...(repeats > 1 && { repeat }),
  };
  return spandrel.trace(runName, { tags: [EVAL_TAG], metadata }, async (trace) => ({
    ...{ datapointId, repeat },
    ...(await tryWithin(trials, sample)),
    traceId: trace.id,
  }));
}

async function tryWithin(
  { task, scorers, spandrel, bounds }: Trials,
  { datapointId, repeat, kind }: Sample,
): Promise<Omit<Tried, 'traceId' | 'datapointId' | 'repeat'>> {
  const { input, expected, metadata } = factsOf(kind);
  const began = performance.now();
  let latencyMs: number | undefined;
  let spanId = '';
  const elapsed = (): number => (latencyMs ??= Math.round(performance.now() - began));
  try {
    const answer = await spandrel.span('task', { input }, async (span) => {
      spanId = span.id;
      const given = await limited((signal) => task({ input, metadata, datapointId }, { repeat, signal }), bounds);
      elapsed();
      const read = readAnswer(given);
      span.set({ output: read.output });
      return read;
    });
    const scored = { input, output: answer.output, expected, metadata };
    const said = await Promise.all(scorers.map((scorer) => scoreOutput(scorer, scored, spandrel, bounds)));
    return { answer, error: undefined, latencyMs: elapsed(), said, spanId };
  } catch (error) {
    bounds.signal.throwIfAborted();
    return { answer: undefined, error: errorText(error), latencyMs: elapsed(), said: [], spanId };
  }
}

/** A try as the API takes it. @param names the names of the scorers, by place. */
export function resultOf({ answer, error, said, ...tried }: Tried, names: readonly string[]): ExternalResult {
  const failed = said.findIndex((one) => one?.error !== undefined);
  const why = error ?? (failed < 0 ? undefined : `scorer ${names[failed]}: ${said[failed]!.error}`);
  const scores = Object.fromEntries(
    said.flatMap((one, place) => {
      const { score, reason } = one ?? {};
      return typeof score === 'number' ? [[names[place]!, { score, ...(reason !== undefined && { reason }) }]] : [];
    }),
  );
  return {
    datapoint_id: tried.datapointId,
    repeat: tried.repeat,
    ...(why === undefined ? { output: answer!.text } : { error: why }),
    ...(Object.keys(scores).length > 0 && { scores }),
    latency_ms: tried.latencyMs,
    ...defined({ input_tokens: answer?.inputTokens, output_tokens: answer?.outputTokens, cost: answer?.cost }),
    // Nothing is recorded while tracing is off.
    ...(tried.traceId !== '' && { trace_id: tried.traceId, span_id: tried.spanId }),
  };
}
