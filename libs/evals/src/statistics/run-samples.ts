import { isAtLeast, isZeroOrOne, Sum } from './numerics.js';
import { Quantity } from './quantity.js';

/**
 * Which datapoints belong together, for standard errors: questions about one document, say, are right or wrong together. `null`
 * in the place of clusters says that none were asked for and every datapoint is one by itself.
 */
export class Clusters {
  /** The number of the cluster of each datapoint, in the order of the datapoints. */
  readonly numbers: Int32Array;
  /** How many clusters there are; their numbers are below it. */
  total = 0;
  private added = 0;
  private readonly numberOf = new Map<string, number>();

  constructor(capacity: number) {
    this.numbers = new Int32Array(capacity);
  }

  /** Adds the next datapoint. @param key of its cluster; `undefined`: it belongs to none and is one by itself. */
  add(key: string | undefined): void {
    let number = key === undefined ? undefined : this.numberOf.get(key);
    if (number === undefined) {
      number = this.total++;
      if (key !== undefined) this.numberOf.set(key, number);
    }
    this.numbers[this.added++] = number;
  }
}

/**
 * @param metadata of a datapoint. @param member the top-level member that says where it belongs.
 * @returns a key for {@link Clusters.add}; `undefined` when the member is missing or `null`. Equal values have equal keys,
 * whatever the order of their members; the number 1 and the text "1" are two values.
 */
export function clusterKey(metadata: unknown, member: string): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, member)) return undefined;
  const value = (metadata as Record<string, unknown>)[member] ?? null;
  return value === null ? undefined : JSON.stringify(value, sortedMembers);
}

const sortedMembers = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/**
 * The scores of one scorer (or the combined ones), taken up a datapoint at a time. It keeps 12 bytes of each datapoint, however
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

/** What statistics take of a processed sample. */
export interface SampleMeasures {
  failed: boolean;
  score: number | null;
  /** Scores of the scorers, in the order of {@link RunSamplesOptions.scorers}; a scorer may have one though the sample failed. */
  scores: readonly (number | null)[];
  latencyMs: number | null;
  cost: number | null;
}

/** A datapoint with its processed samples in the order of repeats. */
export interface DatapointMeasures {
  id: string;
  /** A key that `clusterKey` made; looked at only where clusters are asked for. */
  cluster?: string | undefined;
  samples: readonly SampleMeasures[];
}

export interface RunSamplesOptions {
  capacity: number;
  /** A sample passes at this combined score or above. */
  passScore: number;
  scorers: readonly { name: string; passScore: number }[];
  /** Whether a failed sample without a score is left out or counts as 0. */
  failedAs: 'excluded' | 'zero';
  /** Whether datapoints are clustered by a member of their metadata. */
  clustered: boolean;
}

type ValueOf = (sample: SampleMeasures) => number | null;

/**
 * The samples of a run, reduced to what its statistics need while they are read in slices: some 60 bytes a datapoint, 12 more a
 * scorer, 16 a sample. Datapoints are added in the order of the run, which is one order of sums: two databases that hold the
 * same run answer alike to the last digit.
 */
export class RunSamples {
  readonly ids: string[] = [];
  readonly clusters: Clusters | null;
  readonly score: DatapointScores;
  readonly scorers: ReadonlyMap<string, DatapointScores>;
  readonly latencyMs: Quantity;
  readonly cost: Quantity;
  samples = 0;
  failedSamples = 0;
  /** The combined score and that of each scorer, with what each takes of a sample. */
  private readonly allScores: readonly { scores: DatapointScores; valueOf: ValueOf }[];

  constructor({ capacity, passScore, scorers, failedAs, clustered }: RunSamplesOptions) {
    this.clusters = clustered ? new Clusters(capacity) : null;
    this.score = new DatapointScores(capacity, passScore);
    this.scorers = new Map(scorers.map((scorer) => [scorer.name, new DatapointScores(capacity, scorer.passScore)]));
    this.latencyMs = new Quantity(capacity);
    this.cost = new Quantity(capacity);
    const failedScore = failedAs === 'zero' ? 0 : null;
    // A score of a scorer counts though another one failed the sample.
    const counted =
      (findScore: ValueOf): ValueOf =>
      (sample) =>
        findScore(sample) ?? (sample.failed ? failedScore : null);
    this.allScores = [
      { scores: this.score, valueOf: counted(({ score }) => score) },
      ...Array.from(this.scorers.values(), (scores, at) => ({
        scores,
        valueOf: counted((sample) => sample.scores[at] ?? null),
      })),
    ];
  }

  /** Adds the next datapoint. @throws RangeError when the run has no more. */
  add({ id, cluster, samples }: DatapointMeasures): void {
    for (const { scores, valueOf } of this.allScores) scores.add(present(samples, valueOf));
    this.latencyMs.add(present(samples, ({ latencyMs }) => latencyMs));
    this.cost.add(present(samples, ({ cost }) => cost));
    this.clusters?.add(cluster);
    this.ids.push(id);
    this.samples += samples.length;
    for (const { failed } of samples) if (failed) this.failedSamples++;
  }
}

/**
 * The values that samples have. Arrays that begin empty and grow get room for 17 values at once: they were half of all memory
 * that statistics allocated, and collecting it held up requests (ADR 0046).
 */
function present(samples: readonly SampleMeasures[], valueOf: ValueOf): readonly number[] {
  const values = samples.map(valueOf);
  return values.every(isThere) ? values : values.filter(isThere);
}

const isThere = (value: number | null): value is number => value !== null;
