import { Clusters } from './clusters.js';
import { DatapointScores } from './datapoint-scores.js';
import { Quantity } from './quantity.js';

/** What statistics take of a processed sample. */
export interface SampleMeasures {
  failed: boolean;
  /** The combined score; `null` when it has none. */
  score: number | null;
  /** Scores of the scorers, in the order of {@link RunSamplesOptions.scorers}; a scorer may have one though the sample failed. */
  scores: readonly (number | null)[];
  latencyMs: number | null;
  /** Dollars. */
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
  /** Datapoints of the run: more cannot be added. */
  capacity: number;
  /** A sample passes at this combined score or above. */
  passScore: number;
  scorers: readonly { name: string; passScore: number }[];
  /** Whether a failed sample without a score is left out or counts as 0. */
  failedAs: 'excluded' | 'zero';
  /** Whether datapoints are clustered by a member of their metadata. */
  clustered: boolean;
}

/** What is taken of a sample; `null` when it has none. */
type ValueOf = (sample: SampleMeasures) => number | null;

/**
 * The samples of a run, reduced to what its statistics need while they are read in slices: some 60 bytes a datapoint, 12 more a
 * scorer, 16 a sample. Datapoints are added in the order of the run, which is one order of sums: two databases that hold the
 * same run answer alike to the last digit.
 */
export class RunSamples {
  /** Ids in the order in which they were added. */
  readonly ids: string[] = [];
  readonly clusters: Clusters | null;
  readonly score: DatapointScores;
  readonly scorers: ReadonlyMap<string, DatapointScores>;
  readonly latencyMs: Quantity;
  readonly cost: Quantity;
  /** Processed samples, failed ones too. */
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
      (scoreOf: ValueOf): ValueOf =>
      (sample) =>
        scoreOf(sample) ?? (sample.failed ? failedScore : null);
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
    this.latencyMs.add(present(samples, latencyOf));
    this.cost.add(present(samples, costOf));
    this.clusters?.add(cluster);
    this.ids.push(id);
    this.samples += samples.length;
    for (const { failed } of samples) if (failed) this.failedSamples++;
  }
}

const latencyOf: ValueOf = ({ latencyMs }) => latencyMs;
const costOf: ValueOf = ({ cost }) => cost;

/**
 * The values that samples have. Arrays that begin empty and grow get room for 17 values at once: they were half of all memory
 * that statistics allocated, and collecting it held up requests (ADR 0046).
 */
function present(samples: readonly SampleMeasures[], valueOf: ValueOf): readonly number[] {
  const values = samples.map(valueOf);
  return values.every(isThere) ? values : values.filter(isThere);
}

const isThere = (value: number | null): value is number => value !== null;
