import type { EvalStatistics, ScoreComparison } from '@spandrel/contract';
import { describeInterval, formatDifference, formatP } from '@spandrel/contract/browser';
import { formatLatency } from './numbers.js';

type Comparison = NonNullable<EvalStatistics['comparison']>;

/** What a difference rests on: `+0.233 (95% interval -0.026 to 0.493, p 0.065); 9 better, 2 worse, 19 the same`. */
export function describeDifference(score: ScoreComparison): string {
  const { diff, ci, p_value: p, better, worse, same } = score;
  const interval = ci === null ? '' : `${describeInterval(ci)}, `;
  return `${formatDifference(diff)} (${interval}p ${formatP(p)}); ${better} better, ${worse} worse, ${same} the same`;
}

/** How the latency differs: `Latency +120 ms (95% interval -261 ms to 502 ms, p 0.16).`; nothing where it is not known. */
export function describeLatency({ latency_ms: { diff, ci, p_value: p } }: Comparison): string[] {
  if (diff === null) return [];
  const interval = ci === null ? '' : `${describeInterval(ci, formatLatency)}, `;
  return [`Latency ${formatDifference(diff, formatLatency)} (${interval}p ${formatP(p)}).`];
}
