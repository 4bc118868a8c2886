import { addCost, costOf, sumSpans } from '@spandrel/tracing';
import type { WriteTx } from '@spandrel/storage';
import type { TimeRange } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type RollupRow } from './rollup.entity.js';
import { bucketOf } from './span-sums.sql.js';

/**
 * Sums over spans, as the queries give them. Costs come in three whole numbers, each of which stays far from 2^53:
 * dollars, millionths, and trillionths beyond those.
 */
export interface Sums {
  spans: number;
  tokens: number;
  inputTokens: number;
  cachedTokens: number;
  finished: number;
  durationMs: number;
  errors: number;
  priced: number;
  unpriced: number;
  usd: number;
  micro: number;
  pico: number;
}

const NO_SUMS: Sums = {
  ...{
    spans: 0,
    tokens: 0,
    inputTokens: 0,
    cachedTokens: 0,
    finished: 0,
    durationMs: 0,
    errors: 0,
    priced: 0,
    unpriced: 0,
  },
  ...{ usd: 0, micro: 0, pico: 0 },
};

export const noSums = (): Sums => ({ ...NO_SUMS });

export function addSums(to: Sums, more: Sums): void {
  for (const sum of Object.keys(NO_SUMS) as (keyof Sums)[]) to[sum] += more[sum];
}

const MICRO_PER_USD = 1_000_000;
const PICO_PER_MICRO = 1_000_000;

/** A cost in trillionths of a dollar as the whole millionths and the rest, which {@link Sums} have. */
export const splitPico = (pico: number): Pick<Sums, 'micro' | 'pico'> => ({
  micro: Math.floor(pico / PICO_PER_MICRO),
  pico: pico % PICO_PER_MICRO,
});

/** Dollars, 0 for nothing that costs; `null` when nothing but unpriced spans stands behind the cost. */
export function costOfSums({
  priced,
  unpriced,
  usd,
  micro,
  pico,
}: Pick<Sums, 'priced' | 'unpriced' | 'usd' | 'micro' | 'pico'>): number | null {
  if (priced === 0 && unpriced > 0) return null;
  const wholeUsd = usd + Math.floor(micro / MICRO_PER_USD);
  return costOf(addCost({ usd: wholeUsd, pico: (micro % MICRO_PER_USD) * PICO_PER_MICRO }, { usd: 0, pico }));
}

/** Milliseconds; `null` when no span has ended. */
export const latencyOfSums = ({ finished, durationMs }: Pick<Sums, 'finished' | 'durationMs'>): number | null =>
  finished === 0 ? null : durationMs / finished;

/** What the spans that started in a range come to, of all projects: rows of the grain `hour`. */
export async function hourSums(tx: WriteTx, range: TimeRange): Promise<Omit<RollupRow, 'latencies'>[]> {
  const rows = await sumSpans(tx, range, (column) => bucketOf(column, 'hour'));
  return rows.map(({ model, provider, costMicro, costUsd, costPico, ...row }) => ({
    ...row,
    grain: GRAIN.hour,
    model: nameKey(model),
    provider: nameKey(provider),
    costUsd: costUsd + Math.floor(costMicro / MICRO_PER_USD),
    costPico: (costMicro % MICRO_PER_USD) * PICO_PER_MICRO + costPico,
  }));
}
