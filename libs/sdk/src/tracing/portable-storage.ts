/** What the SDK uses of `AsyncLocalStorage`. */
interface Storage<Store> {
  getStore(): Store | undefined;
  run<Result>(store: Store, work: () => Result): Result;
}

type StorageClass = new <Store>() => Storage<Store>;

interface Platform {
  AsyncLocalStorage?: StorageClass;
  process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage?: StorageClass } | undefined };
}

/** Where nothing follows a program through `await`: what is open is open until the function has returned. */
class StackStorage<Store> implements Storage<Store> {
  private store: Store | undefined;

  getStore(): Store | undefined {
    return this.store;
  }

  run<Result>(store: Store, work: () => Result): Result {
    const outer = this.store;
    this.store = store;
    try {
      return work();
    } finally {
      this.store = outer;
    }
  }
}

/** @returns the platform's class, which edge runtimes have as a global; in browsers one that follows no `await`. */
export function findStorage({ AsyncLocalStorage: own, process }: Platform): StorageClass {
  return own ?? process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage ?? StackStorage;
}

/** What stands for `node:async_hooks` in the builds for browsers and edge runtimes (scripts/build-sdk.mjs). */
export const AsyncLocalStorage = findStorage(globalThis as Platform);
