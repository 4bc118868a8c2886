import { Injectable, Optional } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  compareTexts,
  forUpdate,
  integer,
  lockedInOrder,
  onPostgres,
  onSqlite,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  allSettledOrThrow,
  type Dialect,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { METADATA_COLUMNS } from './metadata/metadata.entity.js';
import { MetadataIndex } from './metadata/metadata-index.store.js';
import { deleteMarksOf } from './usage-attribution/usage-mark.sql.js';
import { isOtlpTraceId } from './usage-attribution/usage-attribution.js';
import { keysOf } from './span-partitions.sql.js';
import { TRACE_COLUMNS, traceTable, traceTagTable } from './tables.js';
import type { TraceRow, TraceTagRow } from './trace.entity.js';
import type { TraceCell } from './write/unit-of-work.js';

/**
 * Tables emptied with a project, in this order, each with the condition under which a row still has its owner and
 * stays. Other instances may write meanwhile: a writer to a trace locks the row of the trace, so once the traces are
 * gone no new row can belong to one of them, and the rows of a trace that is created meanwhile stay. The keys of spans,
 * on Postgres, go before the spans, as all writers lock them.
 */
const projectTables = (dialect: Dialect): readonly (readonly [ProjectTable, string | undefined])[] => [
  ['trace', undefined],
  ['trace_tag', ofTrace('trace_tag')],
  ...(dialect === 'postgres' ? ([['span_key', ofTrace('span_key')]] as const) : []),
  ['span', ofTrace('span')],
  [
    'span_payload',
    dialect === 'postgres'
      ? `select 1 from span_key s where s.project_id = span_payload.project_id and s.id = span_payload.span_id
          and s.started_at = span_payload.started_at`
      : 'select 1 from span s where s.project_id = span_payload.project_id and s.id = span_payload.span_id',
  ],
  ['usage_mark', ofTrace('usage_mark')],
];
type ProjectTable = 'trace' | 'trace_tag' | 'span_key' | 'span' | 'span_payload' | 'usage_mark';

const ofTrace = (table: ProjectTable): string =>
  `select 1 from trace t where t.project_id = ${table}.project_id and t.id = ${table}.trace_id`;

const ONE = shapeOf({ one: integer() });

/** Tags one statement deletes. */
const TAGS_PER_STATEMENT = 2_000;

/** Rows of traces, their tags, and the marks of their spans. */
@Injectable()
export class TraceStore {
  constructor(
    private readonly storage: Storage,
    @Optional() private readonly metadata?: MetadataIndex,
  ) {}

  /** @returns the trace, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<TraceRow | undefined> {
    const [trace] = await this.storage.read(
      TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from trace t where t.project_id = ${scope.projectId} and t.id = ${id}`,
    );
    return trace;
  }

  /** Traces to be changed, locked against other instances in the order of their ids. */
  async loadForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<TraceRow[]> {
    if (ids.length === 0) return [];
    return this.lock(tx, scope, ids, rowsFrom('n', textIds([...new Set(ids)].toSorted(compareTexts))));
  }

  /** Loads traces like {@link loadForWrite}, and beside them the traces of some spans. Postgres only. */
  async loadWithThoseOf(
    tx: WriteTx,
    scope: Scope,
    ids: readonly string[],
    spanIds: readonly string[],
  ): Promise<TraceRow[]> {
    if (spanIds.length === 0) return this.loadForWrite(tx, scope, ids);
    const ofSpans = sql`select k.trace_id from ${keysOf(scope.projectId, spanIds)}`;
    const named = sql`select u.id from (select m.id from ${rowsFrom('m', textIds(ids))} union ${ofSpans}) u`;
    return this.lock(tx, scope, ids, sql`(${named} order by u.id collate "C") n`);
  }

  /** @returns whether there is one of some traces; nothing is locked. */
  async exist(tx: WriteTx, { projectId }: Scope, ids: readonly string[]): Promise<boolean> {
    const found = await tx.all(
      ONE.query`select 1 as one from trace where project_id = ${projectId} and ${anyOf('id', ids)} limit 1`,
    );
    return found.length > 0;
  }

  /** Writes what the jobs made of the traces. */
  async save(tx: WriteTx, cells: Iterable<TraceCell>): Promise<void> {
    const inserted: TraceRow[] = [];
    const updated: TraceRow[] = [];
    const tagsGone: TraceTagRow[] = [];
    const tagsNew: TraceTagRow[] = [];
    for (const { before, now: made } of cells) {
      if (!made || before === made) continue;
      const now = this.metadata?.fillColumns(made) ?? made;
      (before ? updated : inserted).push(now);
      if (before && before.tags === now.tags && before.startedAt === now.startedAt) continue;
      if (before) tagsGone.push(...tagRows(before));
      tagsNew.push(...tagRows(now));
    }
    // Asked for together, done in this order.
    await allSettledOrThrow(
      tx.insert(traceTable, inserted),
      tx.update(traceTable, updated),
      ...this.deletingTags(tx, tagsGone),
      tx.insert(traceTagTable, tagsNew),
    );
  }

  /** Brings the columns of indexed metadata to what traces have as metadata. */
  async indexMetadata(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<void> {
    const traces = await this.loadForWrite(tx, scope, ids);
    const changed = traces
      .map((trace) => this.metadata!.fillColumns(trace))
      .filter((trace, at) => trace !== traces[at]);
    await tx.update(traceTable, changed, METADATA_COLUMNS);
  }

  /** Deletes traces of one project that have no spans any more. */
  async deleteSome(tx: WriteTx, scope: Scope, traces: readonly TraceRow[]): Promise<void> {
    if (traces.length === 0) return;
    const ids = traces.map(({ id }) => id);
    await tx.run(sql`delete from trace where project_id = ${scope.projectId} and ${anyOf('id', ids)}`);
    await this.deleteRestOf(tx, traces);
  }

  /** Deletes the tags and marks of traces of any projects, which are gone. */
  async deleteRestOf(tx: WriteTx, traces: readonly TraceRow[]): Promise<void> {
    for (const [projectId, gone] of Map.groupBy(traces, (trace) => trace.projectId)) {
      const ids = gone.map(({ id }) => id).filter(isOtlpTraceId);
      await deleteMarksOf(tx, projectId, ids);
    }
    await allSettledOrThrow(...this.deletingTags(tx, traces.flatMap(tagRows)));
  }

  /**
   * Deletes all traces and spans of the project. One that is alone in a database of this process's own is emptied by
   * unqualified deletes, which SQLite does without visiting the rows.
   * @returns how many there were.
   */
  async deleteAll(tx: WriteTx, scope: Scope): Promise<{ traces: number; spans: number }> {
    const alone = this.storage.exclusive && !(await this.hasOthers(tx, scope));
    const deleted: Partial<Record<ProjectTable, number>> = {};
    if (tx.dialect === 'postgres') await tx.disableStatementTimeout();
    for (const [table, belongsTo] of projectTables(tx.dialect)) {
      const ofProject = sql`project_id = ${scope.projectId}`;
      // Locked by the statement that deletes them: one behind it would also find traces that came since, and wait for them.
      const left =
        belongsTo === undefined
          ? lockedInOrder(traceTable, ofProject)
          : sql`${ofProject} and not exists (${rawSql(belongsTo)})`;
      deleted[table] = await tx.run(sql`delete from ${rawSql(table)}${alone ? rawSql('') : sql` where ${left}`}`);
    }
    return { traces: deleted.trace!, spans: deleted.span! };
  }

  /** @param inOrder on Postgres the ids as `n`: each trace is looked up by itself, as keys of spans are ({@link keysOf}). */
  private lock(tx: WriteTx, { projectId }: Scope, ids: readonly string[], inOrder: Sql): Promise<TraceRow[]> {
    const each = sql`select * from trace i where i.project_id = ${projectId} and i.id = n.id limit 1${forUpdate('i')}`;
    return tx.all(
      TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${onSqlite(
        sql`trace t where t.project_id = ${projectId} and ${anyOf('t.id', ids)}`,
      )}${onPostgres(sql`${inOrder} cross join lateral (${each}) t`)}`,
    );
  }

  private async hasOthers(tx: WriteTx, scope: Scope): Promise<boolean> {
    const others = await tx.all(ONE.query`select 1 as one from trace where project_id <> ${scope.projectId} limit 1`);
    return others.length > 0;
  }

  private deletingTags(tx: WriteTx, rows: readonly TraceTagRow[]): Promise<number>[] {
    const sent: Promise<number>[] = [];
    for (let at = 0; at < rows.length; at += TAGS_PER_STATEMENT) {
      const some = rows.slice(at, at + TAGS_PER_STATEMENT);
      const gone = rowsFrom('g', {
        project_id: { type: 'text', values: some.map(({ projectId }) => projectId) },
        tag: { type: 'text', values: some.map(({ tag }) => tag) },
        started_at: { type: 'number', values: some.map(({ startedAt }) => startedAt) },
        trace_id: { type: 'text', values: some.map(({ traceId }) => traceId) },
      });
      sent.push(
        tx.run(sql`delete from trace_tag where (project_id, tag, started_at, trace_id) in
          (select g.project_id, g.tag, cast(g.started_at as bigint), g.trace_id from ${gone})`),
      );
    }
    return sent;
  }
}

/** One row a distinct tag. */
const tagRows = ({ projectId, id, tags, startedAt }: TraceRow): TraceTagRow[] =>
  tags === '[]'
    ? []
    : [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ projectId, tag, startedAt, traceId: id }));

const textIds = (values: readonly string[]) => ({ id: { type: 'text' as const, values } });
