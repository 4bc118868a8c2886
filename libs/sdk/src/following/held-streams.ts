import { isIterable, isIterator, watchIterable, watchIterator } from './iterators.js';
import { isReadableStream, watchReadableStream } from './streams.js';
import { collecting, isThenable, type Ending, type WatchReader } from './watch.js';

/** Members of what `streamText`, `streamObject` and agents of the AI SDK give, each of them a stream of the same answer. */
const STREAMS = ['textStream', 'fullStream', 'stream', 'partialOutputStream', 'experimental_partialOutputStream', 'partialObjectStream', 'elementStream']; // prettier-ignore

/** Whether a value is such a result. Its getters are not asked: each of them divides the stream. */
export const isStreamedResult = (value: object): boolean => 'textStream' in value && 'fullStream' in value;

/**
 * Says what the first stream gives that is read to its end of those that a result holds. The application reads them when it
 * wants, and the promises of the result read one by themselves.
 * @returns false where that cannot be seen.
 */
export function watchStreamedResult(result: object, ending: Ending): boolean {
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
export function findHeldStream(holder: object): string | undefined {
  if (Object.getPrototypeOf(holder) !== Object.prototype) return undefined;
  const names = Object.keys(holder).slice(0, MEMBERS_MAX);
  return names.find((name) => isStream(Object.getOwnPropertyDescriptor(holder, name)!.value));
}

function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return false;
  return !isThenable(value) && !('getReader' in value) && (isIterator(value) || isIterable(value));
}

/** Follows a stream that a plain object holds beside other members; all of them are the output then. */
export function watchHeldStream(holder: object, name: string, ending: Ending): void {
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
