/** The distributions of the estimators. Degrees of freedom and counts are whole numbers. */
export interface Distributions {
  /** P(T ≤ t) of Student's t. @param df degrees of freedom, 1 at least. */
  tCdf: (t: number, df: number) => number;
  /** The t below which a share of Student's t lies. @param share above 0 and below 1. @param df 1 at least. */
  tQuantile: (share: number, df: number) => number;
  /** P(X ≤ successes) of X ~ Binomial(trials, p). @param successes 0 to `trials`. */
  binomialCdf: (successes: number, trials: number, p: number) => number;
  /** The z below which a share of the standard normal distribution lies. @param share above 0 and below 1. */
  normalQuantile: (share: number) => number;
}

let loaded: Promise<Distributions> | undefined;

/**
 * Loads the library that computes them (ADR 0046): some 20 ms of processor time, which a server that shows no statistics does
 * not spend. Its functions are WebAssembly and must not be called before they are compiled, which is why they come as an object.
 */
export async function loadDistributions(): Promise<Distributions> {
  loaded ??= import('cephes').then(async ({ compiled, stdtr, stdtri, bdtr, ndtri }) => {
    await compiled;
    return {
      tCdf: (t, df) => stdtr(df, t),
      tQuantile: (share, df) => stdtri(df, share),
      binomialCdf: (successes, trials, p) => bdtr(successes, trials, p),
      normalQuantile: ndtri,
    };
  });
  return loaded;
}
