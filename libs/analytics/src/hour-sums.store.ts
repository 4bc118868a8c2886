import { rawSql, sql, type WriteTx } from '@spandrel/storage';
import type { TimeRange } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type RollupRow } from './rollup.entity.js';
import { bucketOf, CAPPED, PARTED, ROUNDED } from './time-series.store.js';

const KEY = rawSql('project_id, bucket, model, provider, status, llm');
const MICRO_PER_USD = 1_000_000;
const PICO_PER_MICRO = 1_000_000;

type Found = Omit<RollupRow, 'grain' | 'model' | 'provider'> & {
  model: string | null;
  provider: string | null;
  costMicro: number;
};

/** What the spans that started in a range come to, of all projects: rows of the grain `hour`, added up by the database. */
export async function hourSums(tx: WriteTx, { from, until }: TimeRange): Promise<RollupRow[]> {
  const rows = await tx.all<Found>(
    sql`select project_id as "projectId", bucket, model, provider, status, llm, count(*) as "spanCount",
        sum(tokens) as tokens, sum(duration_ms) as "durationMs", sum(usd) as "costUsd",
        sum(pico / 1000000) as "costMicro", sum(pico % 1000000) as "costPico", sum(costs) as "costCount"
      from (select ${KEY}, tokens, duration_ms, costs, ${ROUNDED}
        from (select ${KEY}, tokens, duration_ms, costs, ${PARTED}
          from (select s.project_id, ${bucketOf('s.started_at', 'hour')} as bucket, s.model, s.provider, s.status,
              case when s.kind_type = 'llm_call' then 1 else 0 end as llm,
              coalesce(cast(s.total_tokens as double precision), 0) as tokens,
              coalesce(cast(s.duration_ms as double precision), 0) as duration_ms,
              case when s.cost is null then 0 else 1 end as costs, ${CAPPED}
            from span s where s.started_at >= ${from} and s.started_at < ${until}) capped) parted) priced
      group by ${KEY}`,
  );
  return rows.map(({ model, provider, costMicro, costUsd, costPico, ...row }) => ({
    ...row,
    grain: GRAIN.hour,
    model: nameKey(model),
    provider: nameKey(provider),
    costUsd: costUsd + Math.floor(costMicro / MICRO_PER_USD),
    costPico: (costMicro % MICRO_PER_USD) * PICO_PER_MICRO + costPico,
  }));
}
