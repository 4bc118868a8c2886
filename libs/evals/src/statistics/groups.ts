import type { GroupStatistics, ScoreComparison } from '@spandrel/contract';
import { decideVerdict, type RunComparison } from './comparison.js';
import type { RunStatistics } from './run-statistics.js';

/** A comparison of one of several groups, whose verdict goes by the corrected p value. */
type GroupScoreComparison = ScoreComparison & { p_holm: number | null };

export interface MeasuredGroup {
  /** The value of each key; `null` where its datapoints have none. */
  group: Record<string, unknown>;
  statistics: RunStatistics;
  /** By the id of the baseline, each group as if it were the only one. */
  comparisons: Map<string, RunComparison>;
  /** The scores of the comparisons, corrected for all groups. */
  corrected: Map<string, { score: GroupScoreComparison; scorers: Record<string, GroupScoreComparison> }>;
}

/**
 * Holm's correction (1979): with m p values in rising order the i-th is max over j ≤ i of min(1, (m − j + 1) · p_j). The chance
 * that one of m true nulls or more is rejected at alpha is then alpha at most, however the tests depend on each other.
 * @param values `null` where nothing was tested, which does not count. @returns the corrected ones in their places.
 */
export function correctByHolm(values: readonly (number | null)[]): (number | null)[] {
  const order = values
    .flatMap((value, at) => (value === null ? [] : [{ value, at }]))
    .toSorted((a, b) => a.value - b.value);
  const corrected: (number | null)[] = values.map(() => null);
  let largest = 0;
  for (const [rank, { value, at }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (order.length - rank) * value));
    corrected[at] = largest;
  }
  return corrected;
}

/** Corrects the comparisons of all groups with one baseline: the combined score, and each scorer by itself. */
export function correctComparisons(groups: readonly MeasuredGroup[], baselineId: string): void {
  const compared = groups.map(({ comparisons }) => comparisons.get(baselineId)!);
  const scores = correctScores(compared, ({ score }) => score);
  const scorers = Object.keys(compared[0]?.scorers ?? {}).map(
    (name) => [name, correctScores(compared, (each) => each.scorers[name]!)] as const,
  );
  for (const [at, group] of groups.entries()) {
    const named = Object.fromEntries(scorers.map(([name, corrected]) => [name, corrected[at]!]));
    group.corrected.set(baselineId, { score: scores[at]!, scorers: named });
  }
}

function correctScores(
  compared: readonly RunComparison[],
  scoreOf: (comparison: RunComparison) => ScoreComparison,
): GroupScoreComparison[] {
  const values = correctByHolm(compared.map((each) => scoreOf(each).p_value));
  return compared.map((each, at) => {
    const score = scoreOf(each);
    const p = values[at]!;
    // Where the runs cannot be compared no p value says anything.
    const verdict = score.verdict === 'unknown' ? 'unknown' : decideVerdict({ ...score, p_value: p }, each.alpha);
    return { ...score, p_holm: p, verdict };
  });
}

/** A group as the answer has it. @param baselineId `undefined`: nothing is compared. */
export function groupResource(
  { group, statistics, corrected }: MeasuredGroup,
  baselineId: string | undefined,
): GroupStatistics {
  const { score, scorers, failed_samples: failed } = statistics;
  const compared = baselineId === undefined ? undefined : corrected.get(baselineId);
  return {
    ...{ group, n: score.datapoints, ...score, failed_samples: failed, scorers },
    comparison: compared ? { ...compared.score, scorers: compared.scorers } : null,
  };
}
