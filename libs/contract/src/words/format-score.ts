import { NONE } from './format-count.js';

const DIGITS = 3;

type Maybe = number | null | undefined;

/** Bounds between which a value lies. */
export interface Bounds {
  low: number;
  high: number;
  /** How often such an interval holds the value, from 0 to 1. */
  level: number;
}

/** A score from 0 to 1 with three digits at most: `0.667`; an en dash where there is none. */
export function formatScore(score: Maybe): string {
  return score === null || score === undefined ? NONE : String(Number(score.toFixed(DIGITS)));
}

/**
 * A difference with its sign: `+0.25`, `-80 ms`; without one where no digit of it is shown.
 * @param format writes an amount that is not negative, as a score unless given.
 */
export function formatDifference(difference: Maybe, format: (amount: number) => string = formatScore): string {
  if (difference === null || difference === undefined) return NONE;
  const words = format(Math.abs(difference));
  if (words === format(0)) return words;
  return `${difference > 0 ? '+' : '-'}${words}`;
}

/** The bounds of an interval: `0.397 to 0.892`. @param format writes a bound, as a score unless given. */
export function formatInterval(
  ci: Pick<Bounds, 'low' | 'high'> | null,
  format: (bound: number) => string = formatScore,
): string {
  return ci === null ? NONE : `${format(ci.low)} to ${format(ci.high)}`;
}

/** An interval with its level: `95% interval 0.397 to 0.892`, or `no interval`. @param format writes a bound. */
export function describeInterval(ci: Bounds | null, format?: (bound: number) => string): string {
  return ci === null ? 'no interval' : `${Number((ci.level * 100).toFixed(2))}% interval ${formatInterval(ci, format)}`;
}

/** A p value: `0.065`, and `< 0.001` for what three digits would show as none. */
export function formatP(p: Maybe): string {
  if (p === null || p === undefined) return NONE;
  return p < 0.001 ? '< 0.001' : formatScore(p);
}
