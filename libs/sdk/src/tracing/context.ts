import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutgoingSpan } from '../delivery/queue.js';
import { isIterator, watchIterator } from '../following/iterators.js';
import type { Trace } from './trace.js';

export interface Context {
  readonly trace: Trace;
  /** The id of the span that new spans are children of; null in a trace without one. */
  readonly spanId: string | null;
  /** Undefined where the span belongs to the caller of this process. */
  readonly span: OutgoingSpan | undefined;
}

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
