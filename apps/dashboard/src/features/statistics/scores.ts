/** The ends of a scale on which several values are shown. */
export interface Scale {
  low: number;
  high: number;
}

/** Scores, and rates: every bar of a list has this scale, so that rows can be compared by eye. */
export const SCORES: Scale = { low: 0, high: 1 };
/** Differences of scores. */
export const DIFFERENCES: Scale = { low: -1, high: 1 };

/** A scale around 0 with room for an amount and its bounds; `null` where there is no amount. */
export function scaleAround(amounts: readonly (number | null | undefined)[]): Scale | null {
  const furthest = Math.max(0, ...amounts.map((amount) => Math.abs(amount ?? 0)));
  return furthest === 0 ? null : { low: -furthest, high: furthest };
}

/** Where a value is on a scale, from 0 to 100; what is beyond an end is at the end. */
export function placeOn({ low, high }: Scale, value: number): number {
  const share = (value - low) / (high - low);
  return Math.min(Math.max(share, 0), 1) * 100;
}
