import { hasMethod, isThenable, setOwnMember, type AnyFunction, type Thenable } from './watch.js';

export interface PromiseWatch {
  /**
   * Does not throw.
   * @param isReplaced whether everybody who waits gets what this returns; else they may get the value itself.
   * @returns the value to hand on: the one given, or what stands for it.
   */
  fulfilled(value: unknown, isReplaced: boolean): unknown;
  rejected(error: unknown): void;
}

/**
 * Says how a promise ends.
 * @returns for a promise of the language itself another that ends as it does, so that a rejection nobody handles is still
 *   one. Where somebody hung members on it, itself. For all others (subclasses, lazy queries) the object itself: it is reported
 *   when somebody asks for the result, by any member that gives it, since to ask is what makes some of them begin.
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
  else if (!watchMembers(promise, [watch])) watch.fulfilled(promise, false);
  return promise;
}

/** The watches of objects whose members are replaced, so that they are replaced once. */
const waitingFor = new WeakMap<object, PromiseWatch[]>();

function watchMembers(promise: Thenable, watches: PromiseWatch[]): boolean {
  const all: PromiseWatch = {
    fulfilled(value) {
      for (const watch of watches.splice(0)) watch.fulfilled(value, false);
      return value;
    },
    rejected(error) {
      for (const watch of watches.splice(0)) watch.rejected(error);
    },
  };
  if (!setOwnMember(promise, 'then', watchedThen(promise.then, all))) return false;
  waitingFor.set(promise, watches);
  const state = { isReading: false };
  for (const name of readersOf(promise)) {
    const read = (promise as unknown as Record<string, AnyFunction>)[name]!;
    setOwnMember(promise, name, watchedReader(promise, name, read, all, state));
  }
  return true;
}

function watchedThen(then: AnyFunction, watch: PromiseWatch): AnyFunction {
  return function (onFulfilled, onRejected, ...others) {
    const fulfilled = (value: unknown): unknown => {
      watch.fulfilled(value, false);
      return typeof onFulfilled === 'function' ? (onFulfilled as AnyFunction)(value) : value;
    };
    return Reflect.apply(then, this, [fulfilled, watchedHandler(onRejected, watch), ...others]);
  };
}

const watchedHandler = (onRejected: unknown, watch: PromiseWatch) => (error: unknown) => {
  watch.rejected(error);
  if (typeof onRejected === 'function') return (onRejected as AnyFunction)(error);
  throw error;
};

/**
 * Watches what a member gives: a promise of the result, or the same call seen another way.
 * @param state whether one of these members runs: those that it calls give parts of what it gives.
 */
function watchedReader(
  promise: Thenable,
  name: string,
  read: AnyFunction,
  watch: PromiseWatch,
  state: { isReading: boolean },
): AnyFunction {
  return function (...args) {
    if (state.isReading) return Reflect.apply(read, this, args);
    const [first, ...others] = args;
    let given: unknown;
    state.isReading = true;
    try {
      given = Reflect.apply(read, this, name === 'catch' ? [watchedHandler(first, watch), ...others] : args);
    } finally {
      state.isReading = false;
    }
    if (given === promise || !isThenable(given)) return given;
    // What is named so is the client's own, and gives its inside; unless it is another view of the call.
    if (name.startsWith('_') && Object.getPrototypeOf(given) !== Object.getPrototypeOf(promise)) return given;
    const isStandard = name === 'catch' || name === 'finally';
    return watchPromise(given, {
      fulfilled(value) {
        // Nothing is what a member gives that does something else: it ends a process, or cancels.
        if (isStandard || value !== undefined) watch.fulfilled(isStandard ? value : withoutResponse(value), false);
        return value;
      },
      rejected: (error) => watch.rejected(error),
    });
  };
}

/** `withResponse()` gives the result beside the response that it was read from. */
function withoutResponse(value: unknown): unknown {
  const isPair = typeof value === 'object' && value !== null && 'data' in value && 'response' in value;
  return isPair ? value.data : value;
}

const methodsOf = new WeakMap<object, readonly string[]>();

/** Names of the methods by which a result can be read, beside `then`: all that a subclass of `Promise` adds. */
function readersOf(promise: object): string[] {
  const names = new Set(['catch', 'finally'].filter((name) => hasMethod(promise, name)));
  const prototypes: object[] = [];
  for (let one = prototypeOf(promise); one !== null; one = prototypeOf(one)) {
    if (isPromisePrototype(one)) return [...names, ...prototypes.flatMap((prototype) => ownMethods(prototype))];
    prototypes.push(one);
  }
  return [...names];
}

function ownMethods(prototype: object): readonly string[] {
  let names = methodsOf.get(prototype);
  if (names === undefined) {
    const all = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    names = all
      .filter(([name, { value }]) => typeof value === 'function' && !/^(constructor|then|catch|finally)$/.test(name))
      .map(([name]) => name);
    methodsOf.set(prototype, names);
  }
  return names;
}

const prototypeOf = (object: object): object | null => Object.getPrototypeOf(object) as object | null;

/** Whether it is a promise of the language itself, of any realm. */
function isOfLanguage(promise: object): boolean {
  if (Object.prototype.toString.call(promise) !== '[object Promise]') return false;
  return isPromisePrototype(prototypeOf(promise)!);
}

const isPromisePrototype = (prototype: object): boolean =>
  prototype === Promise.prototype ||
  (prototypeOf(prototypeOf(prototype) ?? {}) === null &&
    Object.hasOwn(prototype, 'finally') &&
    Object.prototype.toString.call(prototype) === '[object Promise]');
