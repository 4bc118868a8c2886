import type { GateMetric, JudgedGate } from '@spandrel/contract';
import { formatDifference, formatScore, NONE } from '@spandrel/contract/browser';
import { formatDollars, formatLatency } from './numbers.js';

/** Metrics that are no scores; others are shown as scores, counts among them. */
const FORMATS: Partial<Record<GateMetric, (value: number) => string>> = {
  latency_p50: formatLatency,
  latency_p95: formatLatency,
  total_cost: formatDollars,
  mean_cost: formatDollars,
  diff: formatDifference,
  diff_ci_low: formatDifference,
};

/** What a gate found, in the words of its metric: `0.85`, `1.49 s`, `no difference`. */
export function formatActual({ metric, actual }: Pick<JudgedGate, 'metric' | 'actual'>): string {
  if (actual === null) return NONE;
  if (typeof actual === 'string') return actual.replaceAll('_', ' ');
  return (FORMATS[metric] ?? formatScore)(actual);
}
