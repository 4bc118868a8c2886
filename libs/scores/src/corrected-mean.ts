import type { ScoreQuality } from '@spandrel/contract';

/** Level of the intervals, and the quantile of the normal distribution that belongs to it. */
const LEVEL = 0.95;
const Z = 1.959963984540054;

/** Pairs below which nothing is corrected. */
const PAIRS_MIN = 20;

/**
 * What the verdicts of a judge and of people come to. `alone`: targets that the judge alone scored, f each; `pairs`: targets that both
 * scored, f by the judge and y by a person; sums over them.
 */
export interface JudgedSums {
  alone: { count: number; f: number; ff: number };
  pairs: { count: number; f: number; ff: number; y: number; yy: number; fy: number };
  isBinary: boolean;
}

type Interval = { low: number; high: number; level: number };

/** The judge's mean, people's, and the mean corrected by what people said (docs/evaluations.md#correcting-a-judge). */
export function measureQuality({ alone, pairs, isBinary }: JudgedSums): Omit<ScoreQuality, 'key'> {
  const judged = alone.count + pairs.count;
  const canCorrect = pairs.count >= PAIRS_MIN;
  const rates = isBinary ? ratesOf(pairs) : undefined;
  return {
    judge: { mean: judged === 0 ? null : (alone.f + pairs.f) / judged, n: alone.count },
    human: { mean: pairs.count === 0 ? null : pairs.y / pairs.count, k: pairs.count },
    corrected: canCorrect ? (rates ? correctRate(alone, pairs, rates) : correctMean(alone, pairs)) : null,
    true_pass_rate: rates?.passes ? { rate: rates.sensitivity, ci: wilson(pairs.fy, rates.passes) } : null,
    true_fail_rate: rates?.fails ? { rate: rates.specificity, ci: wilson(rates.trueFails, rates.fails) } : null,
  };
}

const NONE = { count: 0, f: 0, ff: 0 };
/** What is said where nothing was scored. */
export const NO_QUALITY = measureQuality({ alone: NONE, pairs: { ...NONE, y: 0, yy: 0, fy: 0 }, isBinary: false });

/**
 * The prediction-powered mean with the weight that makes its variance least (Angelopoulos, Duchi and Zrnic, PPI++, 2023): people's
 * mean, moved by how the judge's on all others differs from the judge's on these.
 */
function correctMean(alone: JudgedSums['alone'], pairs: JudgedSums['pairs']): ScoreQuality['corrected'] {
  const k = pairs.count;
  const n = alone.count;
  const meanY = pairs.y / k;
  const varY = (pairs.yy - k * meanY ** 2) / (k - 1);
  if (n < 2) return { mean: meanY, ci: around(meanY, varY / k) };
  const meanF = pairs.f / k;
  const varF = (pairs.ff - k * meanF ** 2) / (k - 1);
  const covariance = (pairs.fy - k * meanF * meanY) / (k - 1);
  const all = (alone.f + pairs.f) / (n + k);
  const varAll = (alone.ff + pairs.ff - (n + k) * all ** 2) / (n + k - 1);
  const weight = varAll > 0 ? Math.max(0, Math.min(1, covariance / ((1 + k / n) * varAll))) : 0;
  const mean = meanY + weight * (alone.f / n - meanF);
  const varAlone = (alone.ff - alone.f ** 2 / n) / (n - 1);
  const varRest = varY + weight ** 2 * varF - 2 * weight * covariance;
  return { mean, ci: around(mean, (weight ** 2 * varAlone) / n + varRest / k) };
}

interface Rates {
  passes: number;
  fails: number;
  trueFails: number;
  sensitivity: number;
  specificity: number;
}

function ratesOf({ count, f, y, fy }: JudgedSums['pairs']): Rates {
  const [passes, fails] = [y, count - y];
  const trueFails = count - f - y + fy;
  return { passes, fails, trueFails, sensitivity: fy / passes, specificity: trueFails / fails };
}

/**
 * The pass rate corrected by how often the judge passes what passes and fails what fails, with the interval of the delta method (Rogan
 * and Gladen, 1978). `null` where people found no pass or no fail, or where the judge is no better than chance.
 */
function correctRate(
  alone: JudgedSums['alone'],
  pairs: JudgedSums['pairs'],
  { passes, fails, sensitivity, specificity }: Rates,
): ScoreQuality['corrected'] {
  if (passes === 0 || fails === 0) return null;
  const youden = sensitivity + specificity - 1;
  if (youden <= 0) return null;
  const judged = alone.count + pairs.count;
  const passed = (alone.f + pairs.f) / judged;
  const mean = (passed + specificity - 1) / youden;
  const variance =
    (passed * (1 - passed)) / judged +
    (mean ** 2 * sensitivity * (1 - sensitivity)) / passes +
    ((1 - mean) ** 2 * specificity * (1 - specificity)) / fails;
  const { low, high, level } = around(mean, variance / youden ** 2);
  const within = (rate: number): number => Math.max(0, Math.min(1, rate));
  return { mean: within(mean), ci: { low: within(low), high: within(high), level } };
}

/** The interval of a mean, by the normal distribution. */
function around(mean: number, variance: number): Interval {
  const half = Z * Math.sqrt(Math.max(0, variance));
  return { low: mean - half, high: mean + half, level: LEVEL };
}

/** Wilson's interval of a share. */
export function wilson(hits: number, count: number): Interval {
  const share = hits / count;
  const spread = Z ** 2 / count;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / count + spread / (4 * count));
  // At the ends of the scale the root is exact in mathematics, and one digit off in floating point.
  return { low: hits === 0 ? 0 : center - half, high: hits === count ? 1 : center + half, level: LEVEL };
}

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
