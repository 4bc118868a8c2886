import { setOwnMember, type AnyFunction } from './own-member.js';

/** What is called for a promise. */
export interface PromiseWatch {
  /**
   * Does not throw.
   * @param isReplaced whether everybody who waits gets what this returns; else they may get the value itself.
   * @returns the value to hand on: the one given, or what stands for it.
   */
  fulfilled(value: unknown, isReplaced: boolean): unknown;
  rejected(error: unknown): void;
}

type Thenable = object & { then: (...args: unknown[]) => unknown };

export const isThenable = (value: unknown): value is Thenable =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { then?: unknown }).then === 'function';

/**
 * Says how a promise ends.
 * @returns for a promise of the language itself another that ends as it does, so that a rejection nobody handles is still
 *   one. Where somebody hung members on it, itself. For all others (subclasses, lazy queries) the object itself: it is reported
 *   when somebody asks for the result, since to ask is what makes some of them begin.
 */
export function watchPromise(promise: Thenable, watch: PromiseWatch): unknown {
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
