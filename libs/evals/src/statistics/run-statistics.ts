import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Distributions } from './distributions.js';
import type { QuantityStatistics } from './quantity.js';
import type { RunSamples } from './run-samples.js';
import { scoreStatistics, type ScoreStatistics } from './score-statistics.js';

/** What the samples of a run come to, as the wire has it. */
export interface RunStatistics {
  /** Processed samples, failed ones too. */
  samples: number;
  failed_samples: number;
  /** The combined score. */
  score: ScoreStatistics;
  scorers: Record<string, ScoreStatistics>;
  latency_ms: QuantityStatistics;
  /** Dollars; `total` is `null` when no sample has a cost. */
  cost: QuantityStatistics & { total: number | null };
}

/**
 * Computes one score after the other and lets requests have their turn between them.
 * @param ks numbers of tries of `pass_k`, each up to the number of repeats.
 */
export async function runStatistics(
  run: RunSamples,
  ks: readonly number[],
  distributions: Distributions,
): Promise<RunStatistics> {
  const score = await scoreStatistics(run.score, run.clusters, ks, distributions);
  const scorers: [string, ScoreStatistics][] = [];
  for (const [name, scores] of run.scorers) {
    await nextTurn();
    scorers.push([name, await scoreStatistics(scores, run.clusters, ks, distributions)]);
  }
  await nextTurn();
  const latency = run.latencyMs.statistics();
  await nextTurn();
  return {
    samples: run.samples,
    failed_samples: run.failedSamples,
    score,
    scorers: Object.fromEntries(scorers),
    latency_ms: latency,
    cost: { ...run.cost.statistics(), total: run.cost.total },
  };
}
