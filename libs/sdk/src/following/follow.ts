import { Collected } from './collected.js';
import { isIterator, isModelStream, watchIterable, watchIterator } from './iterators.js';
import { isThenable, watchPromise } from './promises.js';
import { isNodeStream, isReadableStream, watchNodeStream, watchReadableStream } from './streams.js';
import type { Watch } from './watch.js';

/** What is reported of a result in the end, once: what it was, or what was thrown. */
export interface Ending {
  /** Makes a step of a generator. */
  run<Result>(step: () => Result): Result;
  ended(value: unknown): void;
  failed(error: unknown): void;
  /** So much of a stream is kept for `ended`; nothing when left out. */
  payloadBytes?: number | undefined;
}

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
  else if (isIterator(value)) watchIterator(value, collecting(ending));
  else if (isReadableStream(value)) {
    if (mayReplace) return watchReadableStream(value, collecting(ending));
    ending.ended(value);
  } else if (isNodeStream(value)) watchNodeStream(value, collecting(ending));
  else if (isModelStream(value)) watchIterable(value, collecting(ending));
  else ending.ended(value);
  return value;
}

function collecting(ending: Ending): Watch {
  const { payloadBytes } = ending;
  if (payloadBytes === undefined) return ending;
  const collected = new Collected(payloadBytes);
  return {
    run: (step) => ending.run(step),
    item: (item) => collected.add(item),
    ended: (returned) => ending.ended(collected.whole(returned)),
    failed: (error) => ending.failed(error),
  };
}
