import { setImmediate as nextTurn } from 'node:timers/promises';

/** Differences smaller than this are rounding of floating point and count as none (ADR 0046, rule 9). */
const TOLERANCE = 1e-12;

/** @returns the value, 0 where it is nothing but rounding. */
export const zeroWhenTiny = (value: number): number => (Math.abs(value) < TOLERANCE ? 0 : value);

export const isSame = (a: number, b: number): boolean => Math.abs(a - b) < TOLERANCE;

/** @returns whether `a >= b`, where a difference that is none makes them equal. */
export const isAtLeast = (a: number, b: number): boolean => a > b || isSame(a, b);

/** @returns whether a score is wrong or right with nothing between: the condition of the exact methods. */
export const isZeroOrOne = (score: number): boolean => isSame(score, 0) || isSame(score, 1);

/**
 * A sum that carries what each addition loses (Neumaier's variant of Kahan's). Its error does not grow with the number of
 * terms, so that another order of datapoints changes the last digit at most.
 */
export class Sum {
  private total = 0;
  private lost = 0;

  add(term: number): void {
    const next = this.total + term;
    this.lost += Math.abs(this.total) >= Math.abs(term) ? this.total - next + term : term - next + this.total;
    this.total = next;
  }

  get value(): number {
    return this.total + this.lost;
  }
}

/** @returns an array with room at an index: the same one, or a copy that is twice as long. */
export function withRoom<Values extends Float64Array | Uint8Array | Uint16Array | Int32Array>(
  values: Values,
  index: number,
): Values {
  if (index < values.length) return values;
  const larger = new (values.constructor as new (length: number) => Values)(Math.max(64, 2 * index));
  larger.set(values);
  return larger;
}

/**
 * Datapoints of one stretch: well below a millisecond of arithmetic. A request that writes to Postgres waits for a turn of the event
 * loop at each of its steps, so that one stretch holds it up several times (ADR 0046).
 */
const STRETCH = 5_000;

/** Goes over positions from 0 to `length`, a stretch at a time in their order, and lets requests have their turn before each. */
export async function inStretches(
  length: number,
  take: (from: number, to: number) => void | Promise<void>,
): Promise<void> {
  for (let from = 0; from < length; from += STRETCH) {
    await nextTurn();
    await take(from, Math.min(from + STRETCH, length));
  }
}
