import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Interval } from '@spandrel/contract';

/** Differences smaller than this are rounding of floating point and count as none (ADR 0046, rule 9). */
export const TOLERANCE = 1e-12;

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

/** The distributions of the estimators. Degrees of freedom and counts are whole numbers. */
export interface Distributions {
  /** P(T ≤ t) of Student's t. @param df degrees of freedom, 1 at least. */
  tCdf: (t: number, df: number) => number;
  /** The t below which a share of Student's t lies. @param share above 0 and below 1. @param df 1 at least. */
  tQuantile: (share: number, df: number) => number;
  /** P(X ≤ successes) of X ~ Binomial(trials, p). @param successes 0 to `trials`. */
  binomialCdf: (successes: number, trials: number, p: number) => number;
}

let loaded: Promise<Distributions> | undefined;

/**
 * Loads the library that computes them (ADR 0046): some 20 ms of processor time, which a server that shows no statistics does
 * not spend. Its functions are WebAssembly and must not be called before they are compiled, which is why they come as an object.
 */
export async function loadDistributions(): Promise<Distributions> {
  loaded ??= import('cephes').then(async ({ compiled, stdtr, stdtri, bdtr }) => {
    await compiled;
    return {
      tCdf: (t, df) => stdtr(df, t),
      tQuantile: (share, df) => stdtri(df, share),
      binomialCdf: (successes, trials, p) => bdtr(successes, trials, p),
    };
  });
  return loaded;
}

/** The normal distribution's 97.5% quantile. */
const Z_975 = 1.959963984540054;

/**
 * Wilson's interval of a share, (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n). It stays honest where the normal interval
 * fails: with few trials, and with none or all of them successes.
 * @param share of the trials that were successes. @param trials 1 at least.
 */
export function wilsonInterval(share: number, trials: number): Interval {
  const zz = Z_975 ** 2 / trials;
  const middle = share + zz / 2;
  const half = Z_975 * Math.sqrt((share * (1 - share)) / trials + zz / (4 * trials));
  const [low, high] = [(middle - half) / (1 + zz), (middle + half) / (1 + zz)];
  // At the ends of the scale the root is exact in mathematics, and one digit off in floating point.
  return { low: isSame(low, 0) ? 0 : low, high: isSame(high, 1) ? 1 : high, level: 0.95, method: 'wilson' };
}

/**
 * mean ± t·se, by Student's t since the se is itself estimated.
 * @param df degrees of freedom: clusters less one. @param bounds the scale; what reaches over it is cut.
 */
export function tInterval(
  mean: number,
  se: number,
  df: number,
  bounds: readonly [number, number],
  { tQuantile }: Distributions,
): Interval {
  const half = se === 0 ? 0 : tQuantile(0.975, df) * se;
  const [least, most] = bounds;
  return { low: Math.max(mean - half, least), high: Math.min(mean + half, most), level: 0.95, method: 't' };
}

/**
 * McNemar's exact test: pairs that stayed the same say nothing, and those that changed would fall on either side like a
 * coin, X ~ Binomial(b + c, ½).
 * @param gained b, @param lost c: pairs that went from 0 to 1, from 1 to 0. @returns p = min(1, 2·P(X ≤ min(b, c))).
 */
export function mcnemarP(gained: number, lost: number, { binomialCdf }: Distributions): number {
  if (gained + lost === 0) return 1;
  return Math.min(1, 2 * binomialCdf(Math.min(gained, lost), gained + lost, 0.5));
}

/**
 * The paired t test, p = 2·P(T ≥ |diff|/se).
 * @param clusters 2 at least; degrees of freedom are one less.
 */
export function pairedTP(diff: number, se: number, clusters: number, { tCdf }: Distributions): number {
  if (se === 0) return diff === 0 ? 1 : 0;
  return 2 * tCdf(-Math.abs(diff) / se, clusters - 1);
}
