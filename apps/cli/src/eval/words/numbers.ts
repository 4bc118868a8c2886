import type { Interval } from '@spandrel/contract';
import { costText, countText, durationText } from '../../client/output/units.js';

/** Stands where there is no value. */
export const NONE = '–';

const DIGITS = 3;

type Maybe = number | null | undefined;

/** A score with three digits at most: `0.667`. */
export const formatScore = (score: Maybe): string =>
  isNone(score) ? NONE : noMinusZero(String(Number(score.toFixed(DIGITS))));

/** A difference with its sign: `+0.25`. @param format writes the amount. */
export function formatDifference(difference: Maybe, format: (amount: Maybe) => string = formatScore): string {
  const words = format(difference);
  return !isNone(difference) && difference > 0 && /[1-9]/.test(words) ? `+${words}` : words;
}

/** Milliseconds: `85 ms`, `1.49 s`. */
export const formatLatency = (ms: Maybe): string => durationText(ms) || NONE;

/** Dollars: `$1.20`, `$0.00032`. */
export const formatDollars = (dollars: Maybe): string => costText(dollars) || NONE;

/** `0.397 to 0.892`. @param format writes a bound. */
export const formatInterval = (
  ci: Pick<Interval, 'low' | 'high'> | null,
  format: (value: number) => string = formatScore,
): string => (ci === null ? NONE : `${format(ci.low)} to ${format(ci.high)}`);

/** A p value, never as none: `< 0.001`. */
export function formatP(p: Maybe): string {
  if (isNone(p)) return NONE;
  return p < 0.001 ? '< 0.001' : formatScore(p);
}

/** `1 datapoint`, `2,000 datapoints`. */
export const formatCounted = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

const isNone = (value: Maybe): value is null | undefined => value === null || value === undefined;
const noMinusZero = (words: string): string => (words === '-0' ? '0' : words);
