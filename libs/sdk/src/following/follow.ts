import { isIterable, isIterator, watchIterable, watchIterator } from './iterators.js';
import { watchPromise } from './promises.js';
import { isNodeStream, isReadableStream, watchNodeStream, watchReadableStream } from './streams.js';
import {
  collecting,
  isThenable,
  type Ending,
  type WatchReader,
  hasMethod,
  setOwnMember,
  type AnyFunction,
} from './watch.js';

/**
 * Says how a result ends: now, when it is a promise as this does, and when it is a generator or a stream once its last
 * item was read.
 * @returns what is to be returned for it: for most the result itself, for a promise or a web stream another that gives the
 *   same in the same way. Never throws.
 */
export function follow<Result>(result: Result, ending: Ending): Result {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) {
    ending.ended(result);
    return result;
  }
  try {
    if (!isThenable(result)) return followValue(result, ending, true) as Result;
    // Runners of tools can be awaited and iterated.
    if (isIterable(result)) watchIterable(result, collecting(ending));
    return watchPromise(result, {
      fulfilled: (value, isReplaced) => followSafely(value, ending, isReplaced),
      rejected: (error) => ending.failed(error),
    }) as Result;
  } catch {
    ending.ended(result);
    return result;
  }
}

function followSafely(value: unknown, ending: Ending, mayReplace: boolean): unknown {
  try {
    return followValue(value, ending, mayReplace);
  } catch {
    ending.ended(value);
    return value;
  }
}

function followValue(value: unknown, ending: Ending, mayReplace: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) ending.ended(value);
  else if (isReadableStream(value)) return followReadable(value, ending, mayReplace);
  else if (isIterator(value)) watchIterator(value, collecting(ending)());
  else if (isNodeStream(value)) watchNodeStream(value, collecting(ending)());
  else if (isRunner(value)) watchRunner(value, ending);
  else if (isStreamedResult(value)) {
    if (!watchStreamedResult(value, ending)) ending.ended(value);
  } else if (isIterable(value)) {
    if (!watchIterable(value, collecting(ending))) ending.ended(value);
  } else followHeld(value, ending);
  return value;
}

/** Several may wait for a stream that no other may stand for, so that it is a value. */
function followReadable(stream: ReadableStream<unknown>, ending: Ending, mayReplace: boolean): unknown {
  if (mayReplace || Object.getPrototypeOf(stream) !== ReadableStream.prototype)
    return watchReadableStream(stream, collecting(ending));
  ending.ended(stream);
  return stream;
}

function followHeld(value: object, ending: Ending): void {
  const name = findHeldStream(value);
  if (name === undefined) ending.ended(value);
  else watchHeldStream(value, name, ending);
}

/** Members of what `streamText`, `streamObject` and agents of the AI SDK give, each of them a stream of the same answer. */
const STREAMS = ['textStream', 'fullStream', 'stream', 'partialOutputStream', 'experimental_partialOutputStream', 'partialObjectStream', 'elementStream']; // prettier-ignore

/** Whether a value is such a result. Its getters are not asked: each of them divides the stream. */
const isStreamedResult = (value: object): boolean => 'textStream' in value && 'fullStream' in value;

/**
 * Says what the first stream gives that is read to its end of those that a result holds. The application reads them when it
 * wants, and the promises of the result read one by themselves.
 * @returns false where that cannot be seen.
 */
function watchStreamedResult(result: object, ending: Ending): boolean {
  let isOver = false;
  const watchReader = collecting({
    ...ending,
    ended(output, isWhole) {
      if (isOver) return undefined;
      isOver = true;
      return isWhole ? endWhole(result, output, ending) : ending.ended(output);
    },
  });
  /** Getters that stand on others are followed once. */
  let isInside = false;
  let isSet = false;
  for (const name of STREAMS.filter((each) => each in result)) {
    const { get, value, enumerable = false } = findMember(result, name);
    const followed = new WeakMap<object, unknown>();
    const watched = function (this: object): unknown {
      if (isInside || isOver) return get ? Reflect.apply(get, this, []) : value;
      isInside = true;
      try {
        const stream: unknown = get ? Reflect.apply(get, this, []) : value;
        if (typeof stream !== 'object' || stream === null) return stream;
        if (!followed.has(stream)) followed.set(stream, watchStream(stream, watchReader));
        return followed.get(stream);
      } finally {
        isInside = false;
      }
    };
    isSet = Reflect.defineProperty(result, name, { get: watched, enumerable, configurable: true }) || isSet;
  }
  return isSet;
}

function findMember(object: object, name: string): PropertyDescriptor {
  for (let one: object | null = object; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const found = Object.getOwnPropertyDescriptor(one, name);
    if (found) return found;
  }
  return {};
}

function watchStream(stream: object, watchReader: WatchReader): unknown {
  if (isReadableStream(stream)) return watchReadableStream(stream, watchReader);
  if (isIterator(stream)) watchIterator(stream, watchReader());
  else if (isIterable(stream)) watchIterable(stream, watchReader);
  return stream;
}

/** Reports the end of a result, for which a stream may wait: it is known by then. */
async function endWhole(result: object, output: unknown, ending: Ending): Promise<void> {
  // Should it not be known, the application does not wait for it.
  await Promise.race([reportEnd(result, output, ending), new Promise((resolve) => setTimeout(resolve, 0))]);
}

/**
 * The streams of a result do not fail with the call: its promises do, or say that the reason of the end is an error.
 * @param output what was read of the stream.
 */
async function reportEnd(result: object, output: unknown, ending: Ending): Promise<void> {
  let whole: unknown;
  try {
    const { text, object, finishReason } = result as Record<'text' | 'object' | 'finishReason', unknown>;
    const [given, reason] = await Promise.all([text ?? object, finishReason]);
    whole = given;
    if (reason === 'error') throw new Error('the stream ended with an error');
  } catch (error) {
    ending.failed((await findErrorPart(result)) ?? error, whole || (isEmpty(output) ? undefined : output));
    return;
  }
  // Parts of all kinds are many, and what they come to is at hand.
  ending.ended(typeof output === 'string' || whole === undefined || whole === '' ? output : whole);
}

const isEmpty = (output: unknown): boolean => Array.isArray(output) && output.length === 0;

/** @returns the error that a part of the whole stream holds, which may be read again; nothing where there is none. */
async function findErrorPart(result: object): Promise<unknown> {
  try {
    for await (const part of (result as { fullStream: AsyncIterable<{ type?: unknown; error?: unknown }> })
      .fullStream) {
      if (part.type === 'error') return part.error;
    }
  } catch {
    // The one that is known stands.
  }
  return undefined;
}

/** So many members of an object are looked at: those that hold a stream have few. */
const MEMBERS_MAX = 32;

/** @returns the name of the member of a plain object that is a stream which can only be iterated. */
function findHeldStream(holder: object): string | undefined {
  if (Object.getPrototypeOf(holder) !== Object.prototype) return undefined;
  const names = Object.keys(holder).slice(0, MEMBERS_MAX);
  return names.find((name) => isStream(Object.getOwnPropertyDescriptor(holder, name)!.value));
}

function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return false;
  return !isThenable(value) && !('getReader' in value) && (isIterator(value) || isIterable(value));
}

/** Follows a stream that a plain object holds beside other members; all of them are the output then. */
function watchHeldStream(holder: object, name: string, ending: Ending): void {
  const stream = (holder as Record<string, object>)[name]!;
  const whole = (items: unknown): unknown => ending.payloadBytes === undefined ? undefined : { ...holder, [name]: items }; // prettier-ignore
  const watchReader = collecting({
    ...ending,
    ended: (items, isWhole) => ending.ended(whole(items), isWhole),
    failed: (error, items) => ending.failed(error, items === undefined ? undefined : whole(items)),
  });
  if (isIterator(stream)) watchIterator(stream, watchReader());
  else if (!watchIterable(stream as AsyncIterable<unknown>, watchReader)) ending.ended(holder);
}

/** What helpers of the clients of OpenAI and Anthropic have in common that read a stream by themselves and give events. */
interface Runner {
  _emit: AnyFunction;
  ended: boolean;
}

/** Whether a value is such a helper: `chat.completions.stream()`, `responses.stream()`, `messages.stream()`, `runTools()`. */
const isRunner = (value: object): value is Runner =>
  ['on', 'off', 'done', 'abort', '_emit'].every((name) => hasMethod(value, name)) &&
  typeof (value as Partial<Runner>).ended === 'boolean';

/**
 * Says how a runner ends, whichever way its result is read, or when nobody reads it. Nothing listens to it that did not before,
 * since an error that nobody listens to is one that nobody handles.
 */
function watchRunner(runner: Runner, ending: Ending): void {
  if (runner.ended) return void ending.ended(messageOf(runner));
  const { _emit: emit } = runner;
  const events = collecting(ending)();
  let final: unknown;
  const isSet = setOwnMember(runner, '_emit', function (this: unknown, ...args: unknown[]) {
    const [event, value] = args;
    // The first of them is the whole answer, those that follow are parts of it.
    if (typeof event === 'string' && event.startsWith('final')) final ??= value;
    else if (event === 'event') {
      events.item?.(value);
      final = responseOf(value) ?? final;
    } else if (event === 'error' || event === 'abort') {
      const message = messageOf(runner);
      if (message === undefined) events.failed?.(value);
      else ending.failed(value, message);
    } else if (event === 'end') {
      const failure = failureOf(final);
      if (failure !== undefined) ending.failed(failure, final);
      else if (final === undefined) endWithMessage();
      else ending.ended(final);
    }
    return Reflect.apply(emit, this, args);
  });
  if (!isSet) return void ending.ended(undefined);
  function endWithMessage(): void {
    const message = messageOf(runner);
    if (message === undefined) events.ended?.(undefined);
    else ending.ended(message);
  }
  watchStop(runner, endWithMessage);
}

/** To stop iterating early aborts the runner, which is no failure. */
function watchStop(runner: Runner, stopped: () => void): void {
  if (!hasMethod(runner, Symbol.asyncIterator)) return;
  const { [Symbol.asyncIterator]: iterate } = runner as unknown as { [Symbol.asyncIterator]: AnyFunction };
  setOwnMember(runner, Symbol.asyncIterator, function (this: unknown, ...args: unknown[]) {
    const iterator = Reflect.apply(iterate, this, args) as { return?: AnyFunction };
    const { return: stop } = iterator;
    if (typeof stop === 'function') {
      setOwnMember(iterator, 'return', function (this: unknown, ...given: unknown[]) {
        stopped();
        return Reflect.apply(stop, this, given);
      });
    }
    return iterator;
  });
}

/** What a runner has of its answer: what it has put together so far, else its last message. */
function messageOf(runner: object): unknown {
  const { currentMessage, currentChatCompletionSnapshot, receivedMessages, _chatCompletions } = runner as {
    currentMessage?: unknown;
    currentChatCompletionSnapshot?: unknown;
    receivedMessages?: unknown[];
    _chatCompletions?: unknown[];
  };
  return currentMessage ?? currentChatCompletionSnapshot ?? receivedMessages?.at(-1) ?? _chatCompletions?.at(-1);
}

const ENDS = /^response\.(completed|incomplete|failed)$/;

/** The response that the last event of a stream of the Responses API holds. */
function responseOf(event: unknown): unknown {
  const { type, response } = (event ?? {}) as { type?: unknown; response?: unknown };
  return typeof type === 'string' && ENDS.test(type) ? response : undefined;
}

/** The error of a response that the provider gave up. */
function failureOf(response: unknown): unknown {
  const { status, error } = (response ?? {}) as { status?: unknown; error?: unknown };
  return status === 'failed' ? (error ?? new Error('the response failed')) : undefined;
}
