import { findHeldStream, isStreamedResult, watchHeldStream, watchStreamedResult } from './held-streams.js';
import { isIterable, isIterator, watchIterable, watchIterator } from './iterators.js';
import { watchPromise } from './promises.js';
import { isRunner, watchRunner } from './runners.js';
import { isNodeStream, isReadableStream, watchNodeStream, watchReadableStream } from './streams.js';
import { collecting, isThenable, type Ending } from './watch.js';

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
