import { setOwnMember, type AnyFunction } from './own-member.js';
import { isThenable } from './promises.js';
import type { Watch } from './watch.js';

type AnyIterator = Record<'next' | 'return' | 'throw', unknown>;

/** Whether a value is an iterator that can be iterated: a generator, or what is written like one. */
export function isIterator(value: unknown): value is AnyIterator {
  if (typeof value !== 'object' || value === null) return false;
  const { next } = value as AnyIterator;
  return typeof next === 'function' && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Whether a value is the stream of a model's client: it can be iterated once, and divided for those who want it twice. */
export const isModelStream = (value: object): value is AsyncIterable<unknown> =>
  // A web stream has other ways to be read, too.
  Symbol.asyncIterator in value && typeof (value as { tee?: unknown }).tee === 'function' && !('getReader' in value);

/**
 * Says what an iterator gives. It stays the same object: its own methods are put in front of those it has.
 * It has ended when it says so, when it throws, and when who reads it stops early.
 */
export function watchIterator(iterator: AnyIterator, watch: Watch): void {
  const isAsync = Symbol.asyncIterator in iterator;
  for (const name of ['next', 'return', 'throw'] as const) {
    const method = iterator[name];
    if (typeof method === 'function') {
      const isSet = setOwnMember(iterator, name, function (this: unknown, ...args: unknown[]) {
        return step(() => Reflect.apply(method as AnyFunction, this, args) as unknown, watch);
      });
      if (!isSet) return watch.ended?.(undefined);
    } else if (name === 'return' && watch.ended) {
      // Who stops early calls it when it is there.
      setOwnMember(iterator, name, (value: unknown) => {
        watch.ended?.(undefined);
        const result = { done: true, value };
        return isAsync ? Promise.resolve(result) : result;
      });
    }
  }
}

/** Says what the first iteration of a stream gives. */
export function watchIterable(stream: AsyncIterable<unknown>, watch: Watch): void {
  const iterate = stream[Symbol.asyncIterator] as AnyFunction;
  let isFirst = true;
  setOwnMember(stream, Symbol.asyncIterator, function (this: unknown, ...args: unknown[]) {
    const iterator = watch.run(() => Reflect.apply(iterate, this, args));
    if (isFirst && isIterator(iterator)) watchIterator(iterator, watch);
    isFirst = false;
    return iterator;
  });
}

function step(make: () => unknown, watch: Watch): unknown {
  let result: unknown;
  try {
    result = watch.run(make);
  } catch (error) {
    watch.failed?.(error);
    throw error;
  }
  if (!isThenable(result)) return see(result, watch);
  return result.then(
    (given: unknown) => see(given, watch),
    (error: unknown) => {
      watch.failed?.(error);
      throw error;
    },
  );
}

/** Looks at what `next`, `return` or `throw` gave, and gives it on. */
function see(result: unknown, watch: Watch): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const { done, value } = result as IteratorResult<unknown>;
  if (done) watch.ended?.(value);
  else watch.item?.(value);
  return result;
}
