/** Differences smaller than this are rounding of floating point and count as none (ADR 0046, rule 9). */
const TOLERANCE = 1e-12;

/** @returns the value, 0 where it is nothing but rounding. */
export const zeroWhenTiny = (value: number): number => (Math.abs(value) < TOLERANCE ? 0 : value);

export const isSame = (a: number, b: number): boolean => Math.abs(a - b) < TOLERANCE;

/** @returns whether `a >= b`, where a difference that is none makes them equal. */
export const isAtLeast = (a: number, b: number): boolean => a > b || isSame(a, b);

/** @returns whether a score is wrong or right with nothing between: the condition of the exact methods. */
export const isZeroOrOne = (score: number): boolean => isSame(score, 0) || isSame(score, 1);
