import { PlainReader } from '../recording/plain-reader.js';

/** Replaces a member of one object alone, not enumerable. @returns false where the object does not allow it. */
const setOwnMember = (object: object, name: PropertyKey, value: unknown): boolean =>
  Reflect.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** What is called for the result of a function. No method throws but `run`, which throws what its work throws. */
interface Watch {
  run<Result>(step: () => Result): Result;
  /** A generator or stream gave an item. */
  item?(item: unknown): void;
  /** It gave all that it will: a value, or what a generator returned after its items. */
  ended?(value: unknown): void;
  failed?(error: unknown): void;
}

interface PromiseWatch {
  /**
   * Does not throw.
   * @param isReplaced whether everybody who waits gets what this returns; else they may get the value itself.
   * @returns the value to hand on: the one given, or what stands for it.
   */
  fulfilled(value: unknown, isReplaced: boolean): unknown;
  rejected(error: unknown): void;
}

type Thenable = object & { then: (...args: unknown[]) => unknown };

const isThenable = (value: unknown): value is Thenable =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { then?: unknown }).then === 'function';

/**
 * Says how a promise ends.
 * @returns for a promise of the language itself another that ends as it does, so that a rejection nobody handles is still
 *   one. Where somebody hung members on it, itself. For all others (subclasses, lazy queries) the object itself: it is reported
 *   when somebody asks for the result, since to ask is what makes some of them begin.
 */
function watchPromise(promise: Thenable, watch: PromiseWatch): unknown {
  if (isOfLanguage(promise)) {
    // Node before 24 hangs symbols on promises while an AsyncLocalStorage is in use.
    const isPlain = Object.getOwnPropertyNames(promise).length === 0;
    const followed = promise.then(
      (value: unknown) => watch.fulfilled(value, isPlain),
      (error: unknown) => {
        watch.rejected(error);
        if (isPlain) throw error;
      },
    );
    return isPlain ? followed : promise;
  }
  const waiting = waitingFor.get(promise);
  if (waiting) waiting.push(watch);
  else if (!watchThen(promise, [watch])) watch.fulfilled(promise, false);
  return promise;
}

/** The watches of objects whose `then` is replaced, so that it is replaced once. */
const waitingFor = new WeakMap<object, PromiseWatch[]>();

function watchThen(promise: Thenable, watches: PromiseWatch[]): boolean {
  const { then } = promise;
  const takeAll = (): PromiseWatch[] => watches.splice(0);
  const replaced = function (this: unknown, onFulfilled: unknown, onRejected: unknown, ...others: unknown[]): unknown {
    const fulfilled = (value: unknown): unknown => {
      for (const watch of takeAll()) watch.fulfilled(value, false);
      return typeof onFulfilled === 'function' ? (onFulfilled as AnyFunction)(value) : value;
    };
    const rejected = (error: unknown): unknown => {
      for (const watch of takeAll()) watch.rejected(error);
      if (typeof onRejected === 'function') return (onRejected as AnyFunction)(error);
      throw error;
    };
    return Reflect.apply(then, this, [fulfilled, rejected, ...others]);
  };
  if (!setOwnMember(promise, 'then', replaced)) return false;
  waitingFor.set(promise, watches);
  return true;
}

/** Whether it is a promise of the language itself, of any realm. */
function isOfLanguage(promise: object): boolean {
  if (Object.prototype.toString.call(promise) !== '[object Promise]') return false;
  const prototype = Object.getPrototypeOf(promise) as object;
  return (
    prototype === Promise.prototype ||
    (Object.getPrototypeOf(Object.getPrototypeOf(prototype)) === null && Object.hasOwn(prototype, 'finally'))
  );
}

type AnyIterator = Record<'next' | 'return' | 'throw', unknown>;

/** Whether a value is an iterator that can be iterated: a generator, or what is written like one. */
export function isIterator(value: unknown): value is AnyIterator {
  if (typeof value !== 'object' || value === null) return false;
  const { next } = value as AnyIterator;
  return typeof next === 'function' && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Whether a value is the stream of a model's client: it can be iterated once, and divided for those who want it twice. */
const isModelStream = (value: object): value is AsyncIterable<unknown> =>
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
function watchIterable(stream: AsyncIterable<unknown>, watch: Watch): void {
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

interface NodeStream {
  emit: AnyFunction;
  pipe: AnyFunction;
}

/** Whether a value is a stream of Node from which something may still come. */
const isNodeStream = (value: object): value is NodeStream => {
  const { emit, pipe, read, readable } = value as Partial<Record<'emit' | 'pipe' | 'read' | 'readable', unknown>>;
  return [emit, pipe, read].every((method) => typeof method === 'function') && readable === true;
};

/** Shows the chunks that a stream of Node gives; it stays the same object, and nothing listens to it that did not before. */
function watchNodeStream(stream: NodeStream, watch: Watch): void {
  const { emit } = stream;
  setOwnMember(stream, 'emit', function (this: unknown, ...args: unknown[]) {
    const [event, value] = args;
    if (event === 'data') watch.item?.(value);
    else if (event === 'error') watch.failed?.(value);
    else if (event === 'end' || event === 'close') watch.ended?.(undefined);
    return Reflect.apply(emit, this, args);
  });
}

/** Whether a value is a web stream that nobody reads yet. */
const isReadableStream = (value: object): value is ReadableStream<unknown> =>
  typeof ReadableStream === 'function' &&
  Object.getPrototypeOf(value) === ReadableStream.prototype &&
  !(value as ReadableStream).locked;

/** @returns a stream that gives the very same chunks, when they are asked for, and reports them. */
function watchReadableStream(stream: ReadableStream<unknown>, watch: Watch): ReadableStream<unknown> {
  const isByteStream = readsIntoBuffers(stream);
  const reader = stream.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
      try {
        const { done, value } = await reader.read();
        if (done) {
          watch.ended?.(undefined);
          controller.close();
          // Who reads into a buffer of its own waits for it to come back.
          (controller as { byobRequest?: { respond(bytes: number): void } | null }).byobRequest?.respond(0);
        } else {
          watch.item?.(value);
          controller.enqueue(value);
        }
      } catch (error) {
        watch.failed?.(error);
        throw error;
      }
    },
    cancel(reason: unknown): Promise<void> {
      watch.ended?.(undefined);
      return reader.cancel(reason);
    },
  };
  const type = isByteStream ? { type: 'bytes' } : {};
  return new ReadableStream({ ...type, ...source } as typeof source, { highWaterMark: 0 });
}

/** Whether it can be read into buffers of the reader's own. */
function readsIntoBuffers(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Keeps the items of a generator or stream as they were when they came, up to what is recorded of them. */
function collectItems(payloadBytes: number) {
  const items: unknown[] = [];
  let units = 0;
  return {
    add(item: unknown): void {
      // So much more is kept than is recorded that it is seen to be cut.
      if (units > payloadBytes) return;
      // Secrets are left out when all of it is recorded, behind the application's own mask.
      const reader = new PlainReader(payloadBytes, false);
      items.push(reader.read(item, ''));
      // Others than texts are not joined: they have a comma each.
      units += reader.length + (typeof item === 'string' ? 0 : 1);
    },
    /** @returns texts as one text, all else as a list, beside what a generator `returned`. */
    whole(returned: unknown): unknown {
      if (items.length === 0 && returned !== undefined) return returned;
      const whole = items.length > 0 && items.every((item) => typeof item === 'string') ? items.join('') : items;
      return returned === undefined ? whole : { items: whole, returned };
    },
  };
}

/** What is reported of a result in the end, once: what it was, or what was thrown. */
interface Ending {
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
  const collected = collectItems(payloadBytes);
  return {
    run: (step) => ending.run(step),
    item: (item) => collected.add(item),
    ended: (returned) => ending.ended(collected.whole(returned)),
    failed: (error) => ending.failed(error),
  };
}
