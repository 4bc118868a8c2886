import type { WriteTx } from '@spandrel/storage';
import { sumSpans } from '@spandrel/tracing';
import type { TimeRange } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type RollupRow } from './rollup.entity.js';
import { bucketOf } from './time-series.store.js';

const MICRO_PER_USD = 1_000_000;
const PICO_PER_MICRO = 1_000_000;

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
