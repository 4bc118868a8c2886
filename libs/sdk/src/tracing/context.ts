import { AsyncLocalStorage } from 'node:async_hooks';
import { isIterator, watchIterator } from '../following/iterators.js';
import type { Context } from './open-context.js';

const KEY = Symbol.for('@spandrel/sdk context 1');
const shared = globalThis as { [KEY]?: AsyncLocalStorage<Context> };

/** One for all instances of the SDK in a process, and for each copy of the package that is loaded. */
export const context: AsyncLocalStorage<Context> = (shared[KEY] ??= new AsyncLocalStorage());

/** Runs a function, and each step of a generator that it makes, in a context. */
export function inContext<Result>(current: Context, work: () => Result): Result {
  const result = context.run(current, work);
  if (isIterator(result)) watchIterator(result, { run: (step) => context.run(current, step) });
  return result;
}
