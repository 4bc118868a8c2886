import { NONE } from '../../components/format/format-count.js';

const DIGITS = 3;

/** A score from 0 to 1 with three digits at most: `0.667`. @param score `null` where there is none. */
export function formatScore(score: number | null | undefined): string {
  return score === null || score === undefined ? NONE : String(Number(score.toFixed(DIGITS)));
}

/** A change of a score with its sign: `+0.25`, `-1`, `0`. */
export function formatDelta(delta: number | null): string {
  if (delta === null) return NONE;
  const words = formatScore(delta);
  if (words === '0' || words === '-0') return '0';
  return delta > 0 ? `+${words}` : words;
}
