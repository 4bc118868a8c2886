import { isIterator, watchIterator } from '../following/iterators.js';
import { context } from './context.js';
import type { Context } from './open-context.js';

/**
 * Runs a function with the trace and span given as the current ones, and so each step of a generator that it makes.
 * @returns what the function returns; throws what it throws.
 */
export function inContext<Result>(current: Context, work: () => Result): Result {
  const result = context.run(current, work);
  if (isIterator(result)) watchIterator(result, { run: (step) => context.run(current, step) });
  return result;
}
