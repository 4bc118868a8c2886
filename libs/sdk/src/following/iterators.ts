import { hasMethod, isThenable, setOwnMember, type AnyFunction, type Watch, type WatchReader } from './watch.js';

type AnyIterator = Record<'next' | 'return' | 'throw', unknown>;

/** Whether a value is an iterator that can be iterated: a generator, or what is written like one. */
export function isIterator(value: unknown): value is AnyIterator {
  if (typeof value !== 'object' || value === null) return false;
  return hasMethod(value, 'next') && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/**
 * Says what an iterator gives. It stays the same object: its own methods are put in front of those it has.
 * It has ended when it says so, when it throws, and when who reads it stops early.
 */
export function watchIterator(iterator: AnyIterator, watch: Watch, isAsync = Symbol.asyncIterator in iterator): void {
  const stopped = (value: unknown): unknown => (watch.stopped ?? watch.ended)?.(value);
  for (const name of ['next', 'return', 'throw'] as const) {
    const method = iterator[name];
    if (typeof method === 'function') {
      const stepWatch = name === 'next' ? watch : { ...watch, ended: stopped };
      const isSet = setOwnMember(iterator, name, function (this: unknown, ...args: unknown[]) {
        return watchStep(() => Reflect.apply(method as AnyFunction, this, args) as unknown, stepWatch);
      });
      if (!isSet) return void watch.ended?.(undefined);
    } else if (name === 'return' && watch.ended) {
      // Who stops early calls it when it is there.
      setOwnMember(iterator, name, (value: unknown) => {
        stopped(undefined);
        const result = { done: true, value };
        return isAsync ? Promise.resolve(result) : result;
      });
    }
  }
}

/** Runs a step that gives `{ done, value }`, now or later, and says what it gave. @returns it; throws what it throws. */
export function watchStep(make: () => unknown, watch: Watch): unknown {
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

/**
 * Whether a value is a stream that can only be iterated, as those of models' clients are. Streams of a platform have other ways
 * to be read, and a page of a list, which goes on to the next one when it is iterated, has its items at hand.
 */
export function isIterable(value: object): value is AsyncIterable<unknown> {
  if (!hasMethod(value, Symbol.asyncIterator)) return false;
  if (['getReader', 'pipe', 'emit'].some((name) => name in value)) return false;
  return hasMethod(value, 'tee') || !Object.values(Object.getOwnPropertyDescriptors(value)).some(isVisibleList);
}

const isVisibleList = ({ enumerable, value }: PropertyDescriptor): boolean =>
  enumerable === true && Array.isArray(value);

/**
 * Says what the first iteration of a stream gives, and the first of each part that it is divided into.
 * @returns false where that cannot be seen.
 */
export function watchIterable(stream: AsyncIterable<unknown>, watchReader: WatchReader): boolean {
  const iterate = stream[Symbol.asyncIterator] as AnyFunction;
  let isFirst = true;
  const isSet = setOwnMember(stream, Symbol.asyncIterator, function (this: unknown, ...args: unknown[]) {
    if (!isFirst) return Reflect.apply(iterate, this, args);
    isFirst = false;
    const watch = watchReader();
    const iterator = watch.run(() => Reflect.apply(iterate, this, args));
    if (typeof iterator === 'object' && iterator !== null && hasMethod(iterator, 'next')) {
      watchIterator(iterator as AnyIterator, watch, true);
    }
    return iterator;
  });
  if (isSet && hasMethod(stream, 'tee')) {
    const { tee } = stream as unknown as { tee: AnyFunction };
    setOwnMember(stream, 'tee', function (this: unknown, ...args: unknown[]) {
      const parts = Reflect.apply(tee, this, args);
      if (Array.isArray(parts)) for (const part of parts) if (isIterable(part as object)) watchIterable(part as AsyncIterable<unknown>, watchReader); // prettier-ignore
      return parts;
    });
  }
  return isSet;
}
