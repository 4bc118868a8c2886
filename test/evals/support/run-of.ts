import type { SamplePreference } from '../../../libs/evals/src/statistics/preference.js';
import { clusterKey, RunSamples, type RunSamplesOptions } from '../../../libs/evals/src/statistics/run-samples.js';

/** Makes a run out of scores: a list a datapoint, one a repeat; `null` is a failed sample. */
export interface RunShape extends Partial<Pick<RunSamplesOptions, 'failedAs'>> {
  passScore?: number;
  /** The category of each datapoint, `null` for none; left out: no groups were asked for. */
  groups?: readonly (string | number | null)[];
  /** The cluster of each datapoint; left out: none were asked for. */
  clusters?: readonly (string | undefined)[];
  /** Whether its scores compare with a baseline; the preferences of each sample are then those of `preferences`. */
  preferences?: readonly (readonly (SamplePreference | undefined)[])[];
  /** Ids of the datapoints, `0`, `1` … when left out. */
  ids?: readonly string[];
}

/** A run of one scorer named `only`, whose scores are the combined ones. */
export function runOf(
  datapoints: readonly (readonly (number | null)[])[],
  { clusters, groups, ids, preferences, passScore = 1, failedAs = 'excluded' }: RunShape = {},
): RunSamples {
  const run = new RunSamples({
    repeats: Math.max(1, ...datapoints.map(({ length }) => length)),
    passRule: [{ at: null, passScore }],
    scorers: [{ name: 'only', passScore, isComparing: preferences !== undefined }],
    failedAs,
    clustered: clusters !== undefined,
    groupBy: groups ? ['category'] : [],
  });
  for (const [i, scores] of datapoints.entries()) {
    run.add({
      id: ids?.[i] ?? String(i),
      cluster: clusterKey({ in: clusters?.[i] }, 'in'),
      group: [clusterKey({ category: groups?.[i] }, 'category')],
      samples: scores.map((score, repeat) => ({
        failed: score === null,
        score,
        scores: [score],
        latencyMs: score === null ? null : 100,
        cost: null,
        ...(preferences && { preferences: [preferences[i]?.[repeat]] }),
      })),
    });
  }
  return run;
}

/** Scores written as digits, a word a datapoint: `111 101` is two datapoints of three repeats. */
export const digits = (text: string): number[][] => text.split(' ').map((word) => Array.from(word, Number));

/** Datapoints of one sample each. */
export const single = (scores: readonly number[]): number[][] => scores.map((score) => [score]);
