import { join } from 'node:path';
import Database from 'better-sqlite3';
import { compactLatencies, LatencyHistogram } from '../../libs/analytics/src/latency-histogram.ts';

/** What a data directory holds, counted from its rows and not from its roll-ups. */
export interface Recount {
  integrity: unknown;
  /** Ids of traces whose roll-up differs from a recount of their spans. */
  wrongRollUps: string[];
  /** Rows of the analytics that differ from sums of the spans, or stand for none. */
  wrongAnalytics: number;
  /** Spans without payload, and payloads without span. */
  halves: number;
  traceIds: Set<string>;
  /** Status by id: 0 running, 1 completed, 2 failed. */
  spans: Map<string, number>;
}

/** Reads the database of a data directory, also while a server runs on it. */
export function recount(dataDir: string): Recount {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    const ids = <Row>(sql: string): Row[] => db.prepare(sql).all() as Row[];
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      wrongRollUps: ids<{ id: string }>(WRONG_ROLL_UPS).map(({ id }) => id),
      wrongAnalytics: ids<{ n: number }>(WRONG_ANALYTICS)[0]!.n + wrongLatencies(ids),
      halves: ids<{ n: number }>(HALVES)[0]!.n,
      traceIds: new Set(ids<{ id: string }>('select id from trace').map(({ id }) => id)),
      spans: new Map(
        ids<{ id: string; status: number }>('select id, status from span').map(({ id, status }) => [id, status]),
      ),
    };
  } finally {
    db.close();
  }
}

const WRONG_ROLL_UPS = `
  select t.id from trace t left join span s on s.project_id = t.project_id and s.trace_id = t.id
  group by t.project_id, t.id
  having t.span_count <> count(s.id)
    or t.running_count <> coalesce(sum(s.status = 0), 0)
    or t.error_count <> coalesce(sum(s.status = 2), 0)
    or t.total_tokens <> coalesce(sum(s.total_tokens), 0)
    or t.cost_count <> count(s.cost)
    or t.unpriced_count <> coalesce(sum(s.cost is null and s.total_tokens > 0 and s.status <> 0), 0)
    or abs(t.cost_usd + t.cost_pico / 1e12 - coalesce(sum(s.cost), 0)) > 1e-9
    or t.last_ended_at is not max(s.ended_at)
    or (select coalesce(sum(value ->> 1), 0) from json_each(t.models)) <> count(s.model)`;

const MINUTE = 'cast(floor(started_at / 60000.0) as integer) * 60000';
const HOUR = 'cast(floor(started_at / 3600000.0) as integer) * 3600000';
const NAMES =
  "coalesce('=' || model, '') as model, coalesce('=' || provider, '') as provider, status, kind_type = 'llm_call' as llm";

const COUNTED_ANALYTICS = [
  ['0', '0', NAMES],
  ['1', 'cast(floor(started_at / 86400000.0) as integer) * 86400000', NAMES],
  ['2', HOUR, NAMES],
  ['3', HOUR, "'' as model, '' as provider, status, 0 as llm"],
  ['4', MINUTE, NAMES],
]
  .map(
    ([grain, bucket, names]) => `
    select project_id, ${grain} as grain, ${bucket} as bucket, ${names}, count(*) as spans,
      coalesce(sum(total_tokens), 0) as tokens, coalesce(sum(duration_ms), 0) as ms, count(cost) as costs,
      coalesce(sum(cost is null and total_tokens > 0 and status <> 0), 0) as unpriced,
      cast(round(coalesce(sum(cost), 0) * 1e6) as integer) as micro
    from span group by 1, 2, 3, 4, 5, 6, 7`,
  )
  .join(' union all ');

const STORED_ANALYTICS = `
  select project_id, grain, bucket, model, provider, status, llm, span_count, tokens, duration_ms, cost_count, unpriced_count,
    cast(round((cost_usd + cost_pico / 1e12) * 1e6) as integer)
  from analytics_rollup`;

/** Hours whose histogram differs from that of their spans. */
function wrongLatencies(read: <Row>(sql: string) => Row[]): number {
  const counted = new Map<string, LatencyHistogram>();
  const histogramOf = (key: string): LatencyHistogram => {
    const found = counted.get(key) ?? new LatencyHistogram();
    counted.set(key, found);
    return found;
  };
  const spans = `select project_id, ${HOUR} as bucket, status, duration_ms as ms from span where duration_ms is not null`;
  for (const { project_id: project, bucket, status, ms } of read<LatencyRow & { ms: number }>(spans)) {
    histogramOf(`${project} ${bucket} ${status}`).add(ms, 1);
  }
  const stored = read<LatencyRow & { latencies: string }>(
    'select project_id, bucket, status, latencies from analytics_rollup where grain = 3',
  );
  return stored.filter(
    ({ project_id: project, bucket, status, latencies }) =>
      compactLatencies(latencies) !== histogramOf(`${project} ${bucket} ${status}`).toText(),
  ).length;
}

interface LatencyRow {
  project_id: string;
  bucket: number;
  status: number;
}

const COUNTED_TOTALS = 'select project_id, count(*) from trace group by project_id';
const STORED_TOTALS = 'select project_id, trace_count from analytics_total';

const differences = (a: string, b: string): string =>
  `(select count(*) from (select * from (${a}) except select * from (${b}))) +
   (select count(*) from (select * from (${b}) except select * from (${a})))`;

const WRONG_ANALYTICS = `
  select ${differences(COUNTED_ANALYTICS, STORED_ANALYTICS)} + ${differences(COUNTED_TOTALS, STORED_TOTALS)} as n`;

const HALVES = `
  select (select count(*) from span s where not exists
    (select 1 from span_payload p where p.project_id = s.project_id and p.span_id = s.id))
  + (select count(*) from span_payload p where not exists
    (select 1 from span s where p.project_id = s.project_id and p.span_id = s.id)) as n`;
