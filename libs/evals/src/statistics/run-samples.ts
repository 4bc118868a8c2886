import { GROUP_VALUE_LENGTH_MAX, GROUPS_MAX, type EvalStatistics } from '@spandrel/contract';
import { decidePass, type PassRule } from '../eval-item.js';
import { isAtLeast, isZeroOrOne, Sum } from './distributions.js';
import { Preferences, type SamplePreference } from './preference.js';

/** Values that are sorted at a time; sorting them takes some 1 ms, which holds up no request for long. */
const BLOCK = 1 << 14;

/** Values of which any quantile can be asked: kept in sorted blocks. */
export class OrderStatistics {
  private readonly full: Float64Array[] = [];
  private current: number[] = [];

  add(value: number): void {
    if (this.current.length === BLOCK) {
      this.full.push(Float64Array.from(this.current).sort());
      this.current = [];
    }
    this.current.push(value);
  }

  get count(): number {
    return this.full.length * BLOCK + this.current.length;
  }

  /** Quantiles of type 7, linear between order statistics: h = (n−1)·q (ADR 0046, rule 7). `null` without values. */
  quantiles(shares: readonly number[]): (number | null)[] {
    if (this.count === 0) return shares.map(() => null);
    const blocks = [...this.full, Float64Array.from(this.current).sort()];
    return shares.map((share) => {
      const h = (this.count - 1) * share;
      const below = Math.floor(h);
      const value = nthOfBlocks(blocks, below);
      return h === below ? value : value + (h - below) * (nthOfBlocks(blocks, below + 1) - value);
    });
  }
}

/**
 * The value that has `rank` others before it in the order of all blocks. The middle of the largest part that is left divides
 * all parts, until it is the one.
 */
function nthOfBlocks(blocks: readonly Float64Array[], rank: number): number {
  const parts = blocks.map((values) => ({ values, from: 0, to: values.length }));
  for (;;) {
    let widest = parts[0]!;
    for (const part of parts) if (part.to - part.from > widest.to - widest.from) widest = part;
    const pivot = widest.values[(widest.from + widest.to) >> 1]!;
    const bounds = parts.map((part) => ({ before: lowerBound(part, pivot), through: upperBound(part, pivot) }));
    const before = bounds.reduce((sum, bound) => sum + bound.before, 0);
    const through = bounds.reduce((sum, bound) => sum + bound.through, 0);
    if (rank >= before && rank < through) return pivot;
    for (const [i, part] of parts.entries()) {
      if (rank < before) part.to = bounds[i]!.before;
      else part.from = bounds[i]!.through;
    }
  }
}

interface Part {
  values: Float64Array;
  from: number;
  to: number;
}

const lowerBound = (part: Part, pivot: number): number => firstIndex(part, (value) => value >= pivot);
const upperBound = (part: Part, pivot: number): number => firstIndex(part, (value) => value > pivot);

/** The first index of a part at which something holds that goes on holding; its end when it holds nowhere. */
function firstIndex({ values, from, to }: Part, holds: (value: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(values[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What samples took or cost, taken up a datapoint at a time. */
export class Quantity {
  /** The mean of each datapoint's samples, NaN where it has none. */
  readonly means: number[] = [];
  private readonly values = new OrderStatistics();
  private readonly sum = new Sum();
  private max: number | null = null;

  /** The sum over all samples; `null` when no sample has one. */
  get total(): number | null {
    return this.values.count === 0 ? null : this.sum.value;
  }

  /** Adds the next datapoint. @param values of its samples, in the order of repeats; none: it is left out. */
  add(values: readonly number[]): void {
    let sum = 0;
    for (const value of values) {
      sum += value;
      this.sum.add(value);
      this.values.add(value);
      if (this.max === null || value > this.max) this.max = value;
    }
    this.means.push(values.length === 0 ? Number.NaN : sum / values.length);
  }

  /** What the values come to; how sure their mean is depends on clusters, and is added. */
  statistics(): EvalStatistics['latency_ms'] {
    const { count } = this.values;
    const [p50 = null, p95 = null] = this.values.quantiles([0.5, 0.95]);
    return { count, mean: count === 0 ? null : this.sum.value / count, ci: null, p50, p95, max: this.max };
  }
}

/**
 * Which datapoints belong together, for standard errors: questions about one document, say, are right or wrong together. `null`
 * in the place of clusters says that none were asked for and every datapoint is one by itself.
 */
export class Clusters {
  /** The number of the cluster of each datapoint, in the order of the datapoints. */
  readonly numbers: number[] = [];
  /** How many clusters there are; their numbers are below it. */
  total = 0;
  private readonly numberOf = new Map<string, number>();

  /** Whether a datapoint belongs to a cluster. */
  get areNamed(): boolean {
    return this.numberOf.size > 0;
  }

  /** Adds the next datapoint. @param key of its cluster; `undefined`: it belongs to none and is one by itself. */
  add(key: string | undefined): void {
    let number = key === undefined ? undefined : this.numberOf.get(key);
    if (number === undefined) {
      number = this.total++;
      if (key !== undefined) this.numberOf.set(key, number);
    }
    this.numbers.push(number);
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

/** The value of a key; a whole number with more digits than JavaScript keeps is the text of these. */
export function clusterValue(key: string): unknown {
  const value: unknown = JSON.parse(key);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && String(value) !== key ? key : value;
}

const sortedMembers = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/**
 * The scores of one scorer (or the combined ones), taken up a datapoint at a time. It keeps three numbers of each datapoint,
 * however often it was repeated.
 */
export class DatapointScores {
  /** mᵢ: the mean score of each datapoint, NaN where it has none. */
  readonly means: number[] = [];
  /** nᵢ: counted samples of each datapoint. */
  readonly counts: number[] = [];
  /** cᵢ: those that passed. */
  readonly passes: number[] = [];
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

  /** Datapoints that were added, also those without a score. */
  get length(): number {
    return this.means.length;
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

  /** Adds the next datapoint. @param scores those counted, in the order of repeats; none: it is left out. @param passes of them. */
  add(scores: readonly number[], passes: number): void {
    const n = scores.length;
    let sum = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const score of scores) {
      sum += score;
      if (score < least) least = score;
      if (score > most) most = score;
      if (!isZeroOrOne(score)) this.allBinary = false;
    }
    // Repeats that are all alike have their value as mean: their sum may be rounded.
    const mean = n === 0 ? Number.NaN : least === most ? least : sum / n;
    this.means.push(mean);
    this.counts.push(n);
    this.passes.push(passes);
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

export interface SampleMeasures {
  failed: boolean;
  /** From 0; its place among the samples when left out. */
  repeat?: number;
  score: number | null;
  /** Scores of the scorers, in the order of {@link RunSamplesOptions.scorers}; a scorer may have one though the sample failed. */
  scores: readonly (number | null)[];
  latencyMs: number | null;
  /** Dollars, of the call and of its judges. */
  cost: number | null;
  /** Whether an earlier run had the answer, so that the cost is not that of a call. */
  isReused?: boolean;
  /** Whom judges preferred, in the order of the scorers; absent where none compares with a baseline. */
  preferences?: readonly (SamplePreference | undefined)[];
}

/** A datapoint with its processed samples in the order of repeats. */
export interface DatapointMeasures {
  id: string;
  /** A key that `clusterKey` made; looked at only where clusters are asked for. */
  cluster?: string | undefined;
  /** Keys that `clusterKey` made, one for each key of the groups that are asked for. */
  group?: readonly (string | undefined)[];
  samples: readonly SampleMeasures[];
}

export interface RunSamplesOptions {
  /** Tries of each datapoint; 1 when left out. */
  repeats?: number;
  passRule: PassRule;
  scorers: readonly { name: string; passScore: number; isComparing?: boolean }[];
  /** Whether a failed sample without a score is left out or counts as 0. */
  failedAs: 'excluded' | 'zero';
  /** Whether datapoints are clustered by a member of their metadata. */
  clustered: boolean;
  /** Members of the metadata whose values make groups. */
  groupBy?: readonly string[];
}

type ValueOf = (sample: SampleMeasures) => number | null;

/**
 * The samples of a run, reduced to what its statistics need while they are read in slices: some numbers a datapoint, a scorer and
 * a sample. Datapoints are added in the order of the run, which is one order of sums: two databases that hold the
 * same run answer alike to the last digit.
 */
export class RunSamples {
  readonly ids: string[] = [];
  readonly clusters: Clusters | null;
  readonly groups: Groups | null;
  readonly score: DatapointScores;
  readonly scorers: ReadonlyMap<string, DatapointScores>;
  /** By the names of the scorers that compare with a baseline. */
  readonly preferences = new Map<string, Preferences>();
  readonly latencyMs: Quantity;
  readonly cost: Quantity;
  /** Positions of the datapoints that have an answer of an earlier run. */
  readonly reused = new Set<number>();
  samples = 0;
  failedSamples = 0;
  readonly repeats: number;
  /** What became of each sample, by datapoint and repeat: 0 not processed, 1 completed, 2 failed. */
  readonly outcomes: number[] = [];
  /** The combined score that counts of a sample, and that of each scorer. */
  private readonly scoreOf: ValueOf;
  private readonly scoresOf: readonly { name: string; scores: DatapointScores; passScore: number; valueOf: ValueOf }[];

  constructor(private readonly options: RunSamplesOptions) {
    const { repeats = 1, scorers, failedAs, clustered, groupBy = [] } = options;
    this.repeats = repeats;
    this.clusters = clustered ? new Clusters() : null;
    this.groups = groupBy.length > 0 ? new Groups(groupBy, { ...options, groupBy: [] }) : null;
    this.score = new DatapointScores();
    this.scorers = new Map(scorers.map(({ name }) => [name, new DatapointScores()]));
    for (const { name, isComparing } of scorers) if (isComparing) this.preferences.set(name, new Preferences());
    this.latencyMs = new Quantity();
    this.cost = new Quantity();
    const failedScore = failedAs === 'zero' ? 0 : null;
    // A score of a scorer counts though another one failed the sample.
    const counted =
      (findScore: ValueOf): ValueOf =>
      (sample) =>
        findScore(sample) ?? (sample.failed ? failedScore : null);
    this.scoreOf = counted(({ score }) => score);
    this.scoresOf = scorers.map(({ name, passScore }, at) => ({
      name,
      scores: this.scorers.get(name)!,
      passScore,
      valueOf: counted((sample) => sample.scores[at] ?? null),
    }));
  }

  add(datapoint: DatapointMeasures): void {
    const { id, cluster, samples } = datapoint;
    this.groups?.add(datapoint);
    this.score.add(present(samples, this.scoreOf), this.countPasses(samples));
    for (const [at, { name, scores, passScore, valueOf }] of this.scoresOf.entries()) {
      const values = present(samples, valueOf);
      scores.add(values, countAtLeast(values, passScore));
      this.preferences.get(name)?.add(samples.map(({ preferences }) => preferences?.[at]));
    }
    this.latencyMs.add(present(samples, ({ latencyMs }) => latencyMs));
    this.cost.add(present(samples, ({ cost }) => cost));
    if (samples.some(({ isReused }) => isReused)) this.reused.add(this.ids.length);
    this.clusters?.add(cluster);
    for (let repeat = 0; repeat < this.repeats; repeat++) this.outcomes.push(0);
    for (const [at, { failed, repeat = at }] of samples.entries()) {
      if (repeat < this.repeats) this.outcomes[this.ids.length * this.repeats + repeat] = failed ? 2 : 1;
      if (failed) this.failedSamples++;
    }
    this.ids.push(id);
    this.samples += samples.length;
  }

  /** Samples that pass, of those whose combined score counts. */
  private countPasses(samples: readonly SampleMeasures[]): number {
    let passes = 0;
    for (const sample of samples) {
      const score = this.scoreOf(sample);
      const scoreAt = (at: number | null): number | null =>
        at === null ? score : (this.scoresOf[at]?.valueOf(sample) ?? null);
      if (score !== null && decidePass(this.options.passRule, scoreAt)) passes++;
    }
    return passes;
  }
}

export interface SampleGroup {
  /** The keys that `clusterKey` made, one for each of {@link Groups.keys}. */
  values: readonly (string | undefined)[];
  samples: RunSamples;
}

/** The samples of a run by the values of its datapoints' metadata. */
export class Groups {
  private readonly byValues = new Map<string, SampleGroup>();
  /** Why the run cannot be divided so; `null` where it can. */
  fault: string | null = null;

  constructor(
    readonly keys: readonly string[],
    private readonly options: RunSamplesOptions,
  ) {}

  add(datapoint: DatapointMeasures): void {
    if (this.fault !== null) return;
    const { group: values = [] } = datapoint;
    const text = values.join('\n');
    let group = this.byValues.get(text);
    if (group === undefined) {
      this.fault = this.findFault(values);
      if (this.fault !== null) return this.byValues.clear();
      this.byValues.set(text, (group = { values, samples: new RunSamples(this.options) }));
    }
    group.samples.add(datapoint);
  }

  private findFault(values: SampleGroup['values']): string | null {
    const by = this.keys.join(', ');
    if (this.byValues.size === GROUPS_MAX) return `there are more than ${GROUPS_MAX} groups by ${by}`;
    const isLong = values.some((value) => value !== undefined && value.length > GROUP_VALUE_LENGTH_MAX);
    return isLong ? `values of ${by} are longer than ${GROUP_VALUE_LENGTH_MAX} characters` : null;
  }

  /** Keys that no datapoint has. */
  get missingKeys(): string[] {
    const all = [...this.byValues.values()];
    return this.fault === null
      ? this.keys.filter((_key, at) => all.every(({ values }) => values[at] === undefined))
      : [];
  }

  /** The groups in the order of their values; those that lack one come last. */
  list(): SampleGroup[] {
    return [...this.byValues.values()].toSorted((a, b) => compareValues(a.values, b.values));
  }
}

function compareValues(a: SampleGroup['values'], b: SampleGroup['values']): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  const [one, other] = [a[at], b[at]];
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  const difference = Number(one) - Number(other);
  if (!Number.isNaN(difference) && difference !== 0) return difference;
  return one < other ? -1 : 1;
}

/**
 * The values that samples have. Arrays that begin empty and grow get room for 17 values at once: they were half of all memory
 * that statistics allocated, and collecting it held up requests (ADR 0046).
 */
function present(samples: readonly SampleMeasures[], valueOf: ValueOf): readonly number[] {
  const values = samples.map(valueOf);
  return values.every(isThere) ? values : values.filter(isThere);
}

function countAtLeast(values: readonly number[], least: number): number {
  let count = 0;
  for (const value of values) if (isAtLeast(value, least)) count++;
  return count;
}

const isThere = (value: number | null): value is number => value !== null;
