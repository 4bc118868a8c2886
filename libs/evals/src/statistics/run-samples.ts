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
  private readonly failedScore: number | null;

  constructor({ capacity, passScore, scorers, failedAs, clustered }: RunSamplesOptions) {
    this.clusters = clustered ? new Clusters(capacity) : null;
    this.score = new DatapointScores(capacity, passScore);
    this.scorers = new Map(scorers.map((scorer) => [scorer.name, new DatapointScores(capacity, scorer.passScore)]));
    this.latencyMs = new Quantity(capacity);
    this.cost = new Quantity(capacity);
    this.failedScore = failedAs === 'zero' ? 0 : null;
  }

  /** Adds the next datapoint. @throws RangeError when the run has no more. */
  add({ id, cluster, samples }: DatapointMeasures): void {
    this.score.add(this.counted(samples, (sample) => sample.score));
    let position = 0;
    for (const scores of this.scorers.values()) {
      const at = position++;
      scores.add(this.counted(samples, (sample) => sample.scores[at] ?? null));
    }
    this.latencyMs.add(present(samples, (sample) => sample.latencyMs));
    this.cost.add(present(samples, (sample) => sample.cost));
    this.clusters?.add(cluster);
    this.ids.push(id);
    this.samples += samples.length;
    for (const { failed } of samples) if (failed) this.failedSamples++;
  }

  /** Scores that count: a score of a scorer is kept though another one failed the sample. */
  private counted(samples: readonly SampleMeasures[], scoreOf: (sample: SampleMeasures) => number | null): number[] {
    return present(samples, (sample) => scoreOf(sample) ?? (sample.failed ? this.failedScore : null));
  }
}

function present(samples: readonly SampleMeasures[], valueOf: (sample: SampleMeasures) => number | null): number[] {
  const values: number[] = [];
  for (const sample of samples) {
    const value = valueOf(sample);
    if (value !== null) values.push(value);
  }
  return values;
}
