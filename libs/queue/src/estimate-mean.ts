import { around, wilson, type Interval } from '@spandrel/scores';

/** Below so many units an interval says little: those that are alike by chance would have none. */
const UNITS_MIN = 30;

/**
 * The mean of some values with its 95% interval: Wilson's where all are 0 or 1, else that of the normal distribution.
 * @returns `null` for what cannot be said.
 */
export function estimateMean(values: readonly number[]): { mean: number | null; ci: Interval | null } {
  const count = values.length;
  if (count === 0) return { mean: null, ci: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < UNITS_MIN) return { mean, ci: null };
  if (values.every((value) => value === 0 || value === 1)) return { mean, ci: wilson(mean * count, count) };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { mean, ci: around(mean, variance / count) };
}
