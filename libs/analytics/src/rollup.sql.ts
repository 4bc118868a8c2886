import {
  lockTables,
  rawSql,
  rowsFrom,
  sql,
  tableOf,
  allSettledOrThrow,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { Scope } from '@spandrel/kernel';
import type { TimeRange } from './plan-range.js';
import {
  AnalyticsTotalSchema,
  GRAIN,
  ROLLUP_KEY,
  SUMMED,
  type AnalyticsTotalRow,
  type RollupKey,
  type RollupRow,
  rollupTable,
} from './rollup.entity.js';
import { compactLatencies } from './latency-histogram.js';

/** Types of the columns on both databases, in the order of the entity: rows of the program's own come without. */
const TYPES: Readonly<Record<keyof RollupRow, string>> = {
  projectId: 'text',
  grain: 'smallint',
  bucket: 'bigint',
  model: 'text',
  provider: 'text',
  status: 'smallint',
  llm: 'smallint',
  spanCount: 'bigint',
  tokens: 'double precision',
  durationMs: 'double precision',
  costUsd: 'bigint',
  costPico: 'bigint',
  costCount: 'bigint',
  unpricedCount: 'bigint',
  inputTokens: 'double precision',
  cachedTokens: 'double precision',
  latencies: 'text',
};

type Property = keyof RollupRow;

const columns = (properties: readonly Property[]): string =>
  properties.map((property) => rollupTable.column(property)).join(', ');

const typed = (properties: readonly Property[]): string =>
  properties.map((property) => `cast(d.${rollupTable.column(property)} as ${TYPES[property]})`).join(', ');

const plus = (property: Property): string => {
  const column = rollupTable.column(property);
  return `${column} = r.${column} + excluded.${column}`;
};

const INSERT = rawSql(`insert into analytics_rollup as r (${columns(rollupTable.properties)})
  select ${typed(rollupTable.properties)} from `);
/** `where true`: without it SQLite takes `on` for the condition of a join. */
const ADD = rawSql(` where true on conflict (${columns(ROLLUP_KEY)}) do update set
  ${SUMMED.map(plus).join(', ')},
  cost_usd = r.cost_usd + excluded.cost_usd + (r.cost_pico + excluded.cost_pico) / 1000000000000,
  cost_pico = (r.cost_pico + excluded.cost_pico) % 1000000000000,
  latencies = r.latencies || excluded.latencies`);
const DELETE_EMPTY = rawSql(`delete from analytics_rollup where span_count = 0 and (${columns(ROLLUP_KEY)}) in
  (select ${typed(ROLLUP_KEY)} from `);

/** A row of the program's own, `d`, and the stored one, `r`, stand for the same. */
const SAME_KEY = rawSql(
  ROLLUP_KEY.map((property) => {
    const column = rollupTable.column(property);
    return `r.${column} = cast(d.${column} as ${TYPES[property]})`;
  }).join(' and '),
);
const LATENCIES = rollupTable.select('r', [...ROLLUP_KEY, 'latencies'] as const);

const rollupsFrom = (rows: readonly RollupRow[], properties: readonly Property[]): Sql =>
  rowsFrom(
    'd',
    Object.fromEntries(
      properties.map((property) => [
        rollupTable.column(property),
        TYPES[property] === 'text'
          ? { type: 'text' as const, values: rows.map((row) => row[property] as string) }
          : { type: 'number' as const, values: rows.map((row) => row[property] as number) },
      ]),
    ),
  );

/**
 * Adds to the roll-ups of any projects; rows that come to no span go. Without rows too it waits for {@link lockRollups}
 * of another instance: a change that adds up to nothing must not pass a recount that is under way.
 * @param rows the changes, in the order of their keys.
 */
export async function addRollups(tx: WriteTx, rows: readonly RollupRow[]): Promise<void> {
  const adding = tx.run(sql`${INSERT}${rollupsFrom(rows, rollupTable.properties)}${ADD}`);
  const fewer = rows.filter(({ spanCount }) => spanCount < 0);
  await allSettledOrThrow(adding, fewer.length > 0 && tx.run(sql`${DELETE_EMPTY}${rollupsFrom(fewer, ROLLUP_KEY)})`));
  await compactSome(tx, rows);
}

/** How much is written behind a histogram, on average, until its bins are added up. */
const COMPACTED_EVERY = 256;

/**
 * Adds up the bins of some of the rows that were added to, chosen by chance, the more likely the more was written: so histograms
 * stay short, and hardly any write reads one (ADR 0027).
 */
async function compactSome(tx: WriteTx, rows: readonly RollupRow[]): Promise<void> {
  const chosen = rows.filter(({ latencies }) => Math.random() * COMPACTED_EVERY < latencies.length);
  if (chosen.length === 0) return;
  const found = await tx.all(
    LATENCIES.query`select ${LATENCIES} from ${rollupsFrom(chosen, ROLLUP_KEY)} join analytics_rollup r on ${SAME_KEY}`,
  );
  await compact(tx, found);
}

async function compact(tx: WriteTx, rows: readonly (RollupKey & Pick<RollupRow, 'latencies'>)[]): Promise<void> {
  const compacted = rows.map((row) => ({ ...row, latencies: compactLatencies(row.latencies) }));
  const changed = compacted.filter(({ latencies }, index) => latencies !== rows[index]!.latencies);
  for (const { latencies, ...key } of changed) {
    await tx.run(sql`update analytics_rollup set latencies = ${latencies} where ${isKey(key)}`);
  }
}

const isKey = ({ projectId, grain, bucket, model, provider, status, llm }: RollupKey): Sql =>
  sql`project_id = ${projectId} and grain = ${grain} and bucket = ${bucket} and model = ${model}
    and provider = ${provider} and status = ${status} and llm = ${llm}`;

/** Adds up the bins of every histogram, so that equal roll-ups have equal rows. */
export async function compactAll(tx: WriteTx): Promise<void> {
  for await (const rows of allRollups(tx)) await compact(tx, rows);
}

/** Adds to the numbers of traces of any projects; a project without traces has no row. @param totals in one order. */
export async function addTotals(tx: WriteTx, totals: readonly AnalyticsTotalRow[]): Promise<void> {
  const sent = totals.flatMap(({ projectId, traceCount }) => [
    tx.run(
      sql`insert into analytics_total as t (project_id, trace_count) values (${projectId}, ${traceCount})
        on conflict (project_id) do update set trace_count = t.trace_count + excluded.trace_count`,
    ),
    traceCount < 0 && tx.run(sql`delete from analytics_total where project_id = ${projectId} and trace_count = 0`),
  ]);
  await allSettledOrThrow(...sent);
}

/** Forgets what the roll-ups say of minutes of a range, of some projects. @param range milliseconds; `until` is exclusive. */
export async function deleteMinutes(tx: WriteTx, projectIds: readonly string[], range: TimeRange): Promise<void> {
  for (const projectId of projectIds) {
    await tx.run(sql`delete from analytics_rollup where project_id = ${projectId} and grain = ${GRAIN.minute}
      and bucket >= ${range.from} and bucket < ${range.until}`);
  }
}

/** From here to the end of the transaction no other instance commits a change of spans or of the number of traces. */
export const lockRollups = (tx: WriteTx): Promise<void> => lockTables(tx, 'analytics_rollup', 'analytics_total');

export async function deleteRollups(tx: WriteTx, { projectId }: Scope): Promise<void> {
  await tx.run(sql`delete from analytics_rollup where project_id = ${projectId}`);
  await tx.run(sql`delete from analytics_total where project_id = ${projectId}`);
}

export async function deleteAllRollups(tx: WriteTx): Promise<void> {
  await tx.run(sql`delete from analytics_rollup`);
  await tx.run(sql`delete from analytics_total`);
}

const ROLLUP = rollupTable.select('r');
const TOTAL = tableOf(AnalyticsTotalSchema, ['projectId']).select('t');

const ROWS_PER_STATEMENT = 2_000;

export async function* allRollups(tx: WriteTx): AsyncGenerator<RollupRow[]> {
  let last: RollupKey | undefined = BEFORE_ALL;
  while (last) {
    const { projectId, grain, bucket, model, provider, status, llm }: RollupKey = last;
    const rows: RollupRow[] = await tx.all(
      ROLLUP.query`select ${ROLLUP} from analytics_rollup r
        where (r.project_id, r.grain, r.bucket, r.model, r.provider, r.status, r.llm)
          > (${projectId}, ${grain}, ${bucket}, ${model}, ${provider}, ${status}, ${llm})
        order by r.project_id, r.grain, r.bucket, r.model, r.provider, r.status, r.llm limit ${ROWS_PER_STATEMENT}`,
    );
    if (rows.length > 0) yield rows;
    last = rows.length < ROWS_PER_STATEMENT ? undefined : rows.at(-1);
  }
}

const BEFORE_ALL: RollupKey = { projectId: '', grain: -1, bucket: 0, model: '', provider: '', status: 0, llm: 0 };

export const allTotals = (tx: WriteTx): Promise<AnalyticsTotalRow[]> =>
  tx.all(TOTAL.query`select ${TOTAL} from analytics_total t order by t.project_id`);
