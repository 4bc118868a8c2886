import { addCost, costOf } from '@spandrel/tracing';

/**
 * Sums over spans, as the queries give them. Costs come in three whole numbers, each of which stays far from 2^53:
 * dollars, millionths, and trillionths beyond those.
 */
export interface Sums {
  spans: number;
  tokens: number;
  /** Spans that have ended, and their milliseconds. */
  finished: number;
  durationMs: number;
  errors: number;
  usd: number;
  micro: number;
  pico: number;
}

const MICRO_PER_USD = 1_000_000;
const PICO_PER_MICRO = 1_000_000;

/** Dollars; 0 when no cost is known. */
export function costOfSums({ usd, micro, pico }: Pick<Sums, 'usd' | 'micro' | 'pico'>): number {
  const wholeUsd = usd + Math.floor(micro / MICRO_PER_USD);
  return costOf(addCost({ usd: wholeUsd, pico: (micro % MICRO_PER_USD) * PICO_PER_MICRO }, { usd: 0, pico }));
}

/** Milliseconds; `null` when no span has ended. */
export const latencyOfSums = ({ finished, durationMs }: Pick<Sums, 'finished' | 'durationMs'>): number | null =>
  finished === 0 ? null : durationMs / finished;
