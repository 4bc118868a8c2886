import { isAtLeast, isZeroOrOne } from './tolerance.js';
import { Sum } from './sum.js';

/**
 * The scores of one scorer (or the combined ones), taken up a datapoint at a time. Of each datapoint it keeps 12 bytes, however
 * often it was repeated: 100,000 datapoints are 1.2 MB a scorer.
 */
export class DatapointScores {
  /** mᵢ: the mean score of each datapoint, NaN where it has none. */
  private readonly allMeans: Float64Array;
  /** nᵢ: counted samples of each datapoint. */
  private readonly allCounts: Uint16Array;
  /** cᵢ: those that passed. */
  private readonly allPasses: Uint16Array;
  private added = 0;
  private variances = new Sum();
  private varied = 0;
  /** Counted samples of all datapoints. */
  samples = 0;
  private least = Number.POSITIVE_INFINITY;
  private most = Number.NEGATIVE_INFINITY;
  /** Whether no datapoint has more than one sample. */
  allSingle = true;
  /** Whether every score is 0 or 1. */
  allBinary = true;

  /** @param capacity datapoints at most. @param passScore a sample passes at this score or above. */
  constructor(
    capacity: number,
    private readonly passScore: number,
  ) {
    this.allMeans = new Float64Array(capacity);
    this.allCounts = new Uint16Array(capacity);
    this.allPasses = new Uint16Array(capacity);
  }

  /** Datapoints that were added, also those without a score. */
  get length(): number {
    return this.added;
  }

  get means(): Float64Array {
    return this.allMeans.subarray(0, this.added);
  }

  get counts(): Uint16Array {
    return this.allCounts.subarray(0, this.added);
  }

  get passes(): Uint16Array {
    return this.allPasses.subarray(0, this.added);
  }

  /** The lowest score of a sample; `null` when there is none. */
  get min(): number | null {
    return this.samples === 0 ? null : this.least;
  }

  /** The highest score of a sample; `null` when there is none. */
  get max(): number | null {
    return this.samples === 0 ? null : this.most;
  }

  /** Rule 6: the root of the mean variance within datapoints; `null` when none has two samples. */
  get withinSd(): number | null {
    return this.varied === 0 ? null : Math.sqrt(this.variances.value / this.varied);
  }

  /** Adds the next datapoint. @param scores those counted, in the order of repeats; none: it is left out. */
  add(scores: readonly number[]): void {
    if (this.added === this.allMeans.length) throw new RangeError(`more than ${this.added} datapoints`);
    const i = this.added++;
    const n = scores.length;
    let sum = 0;
    let passes = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const score of scores) {
      sum += score;
      if (isAtLeast(score, this.passScore)) passes++;
      if (score < least) least = score;
      if (score > most) most = score;
      if (!isZeroOrOne(score)) this.allBinary = false;
    }
    // Repeats that are all alike have their value as mean: their sum may be rounded.
    const mean = n === 0 ? Number.NaN : least === most ? least : sum / n;
    this.allMeans[i] = mean;
    this.allCounts[i] = n;
    this.allPasses[i] = passes;
    if (n === 0) return;
    this.samples += n;
    if (least < this.least) this.least = least;
    if (most > this.most) this.most = most;
    if (n > 1) this.addVariance(scores, mean);
  }

  /** The unbiased variance, in a second pass: Σx² − n·m² would lose the digits of a small one. */
  private addVariance(scores: readonly number[], mean: number): void {
    this.allSingle = false;
    let squares = 0;
    for (const score of scores) squares += (score - mean) ** 2;
    this.variances.add(squares / (scores.length - 1));
    this.varied++;
  }
}
