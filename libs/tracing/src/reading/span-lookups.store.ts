import { Injectable } from '@nestjs/common';
import { UNKNOWN_MODEL, type StatusName } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  nullable,
  onPostgres,
  onSqlite,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type Dialect,
  type RowOfShape,
  type Sql,
  type WriteTx,
  unindexed,
} from '@spandrel/storage';
import {
  type PartitionFilter,
  partitionsOfSpans,
  partitionsOfTraces,
  payloadSizes,
  type Read,
} from '../span-partitions.sql.js';
import { type SpanRow, STATUS } from '../span.entity.js';
import { spanTable } from '../tables.js';
import { aliasOf } from '../write/span-alias.js';
import { TraceLookups } from './trace-lookups.store.js';

/** Filters on a finished span and its trace; every text must be one that a column can hold. */
export interface FinishedSpanFilters {
  trace_id?: string | undefined;
  session_id?: string | undefined;
  kind?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  status?: StatusName | undefined;
  /** Milliseconds since the epoch, inclusive. */
  since?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  until?: number | undefined;
  tag?: string | undefined;
}

interface StartRange {
  from?: number | undefined;
  until?: number | undefined;
  behind?: { startedAt: number; id: string } | undefined;
}

const ID = shapeOf({ id: text() });
const ROW = spanTable.select('s');
const PLACE = shapeOf({ id: text(), traceId: text(), startedAt: integer(), model: nullable(text()) });
const WITH_MODEL = shapeOf({ spanId: text(), traceId: text(), model: text() });
/** What leads from a call to the span around it that names a model. */
const MODEL_LINK = spanTable.select('s', ['id', 'traceId', 'parentId', 'kindType', 'model']);
type ModelLink = Pick<SpanRow, 'id' | 'traceId' | 'parentId' | 'kindType' | 'model'>;
/** No call lies deeper below what names its model. */
const LEVELS_MAX = 32;
const OF_TRACE = shapeOf({ id: text(), traceId: text(), status: integer() });

/** What other features may ask about spans beyond the spans themselves. */
@Injectable()
export class SpanLookups {
  constructor(
    private readonly storage: Storage,
    private readonly traces: TraceLookups,
  ) {}

  /** Bytes of the payloads of spans, by their ids. */
  async sizesOf(scope: Scope, ids: readonly string[]): Promise<Map<string, number>> {
    return new Map((await payloadSizes(this.storage, scope, ids)).map(({ id, bytes }) => [id, bytes]));
  }

  async findExisting(tx: WriteTx, projectId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.all(
      ID.query`select k.id as id from ${keysOf(tx.dialect)} where k.project_id = ${projectId} and ${anyOf('k.id', ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Traces, starts (in ms since the epoch) and models of spans; nothing for those that are not there. */
  async findPlaces(tx: WriteTx, scope: Scope, ids: readonly string[]) {
    if (ids.length === 0) return new Map<string, RowOfShape<typeof PLACE>>();
    const { within } = await partitionsOfSpans(tx.dialect, (query) => tx.all(query), scope, ids);
    const rows = await tx.all(
      PLACE.query`select s.id as id, s.trace_id as "traceId", s.started_at as "startedAt", s.model as model from span s
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', ids)}${within('s')}`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Calls that name no model, each with that of the nearest span around it that names one: calls among some spans, and those
   * within one of them that names a model. Nothing is said of a call as long as a span between them is not stored.
   */
  async findModelsAround(scope: Scope, spans: readonly { spanId: string; traceId: string }[]) {
    const traceIds = [...new Set(spans.map(({ traceId }) => traceId))];
    const { dialect } = this.storage;
    const within = await partitionsOfTraces(dialect, (query) => this.storage.read(query), scope, traceIds);
    const ids = spans.flatMap(({ spanId, traceId }) => [spanId, aliasOf(spanId, traceId)]);
    const met = await this.withAncestors(scope, ids, within);
    const found: RowOfShape<typeof WITH_MODEL>[] = [];
    for (const span of met.asked) {
      const model = span.kindType === 'llm_call' && !namesModel(span) ? modelAround(met.byId, span) : undefined;
      if (model) found.push({ spanId: span.id, traceId: span.traceId, model });
    }
    const leading = met.asked.filter(namesModel);
    if (leading.length === 0) return found;
    const known = new Set(found.map(({ spanId }) => spanId));
    const calls = await this.callsWithin(scope, leading, within);
    return [...found, ...calls.filter(({ spanId }) => !known.has(spanId))];
  }

  /** Some spans, and those around them that a model of theirs may come from: each is read once, however many lie within it. */
  private async withAncestors(scope: Scope, ids: readonly string[], within: PartitionFilter) {
    const byId = new Map<string, ModelLink>();
    const seen = new Set(ids);
    let asked: readonly ModelLink[] = [];
    let level: readonly string[] = [...seen];
    for (let depth = 0; level.length > 0 && depth <= LEVELS_MAX; depth++) {
      const rows = await this.storage.read(
        MODEL_LINK.query`select ${MODEL_LINK} from ${eachById(scope, level, within)} limit ${level.length}`,
      );
      for (const row of rows) byId.set(row.id, row);
      if (depth === 0) asked = rows;
      const parents = rows.flatMap((span) => (namesModel(span) ? [] : (span.parentId ?? [])));
      level = [...new Set(parents)].filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    return { asked, byId };
  }

  /** Calls that name no model within spans that name one; not those within another that does. */
  private async callsWithin(scope: Scope, spans: readonly ModelLink[], within: PartitionFilter) {
    const { projectId } = scope;
    const { dialect } = this.storage;
    const ids = spans.map(({ id }) => id);
    // A model with thousands of spans below it takes long: SQLite reads in a thread then.
    const read: Read = (query) =>
      dialect === 'sqlite' ? this.storage.readLong(query, scope) : this.storage.read(query);
    return read(
      WITH_MODEL.query`with recursive down(id, trace_id, is_call, model, depth) as (
          select s.id, s.trace_id, 0, s.model, 0 from ${eachById(scope, ids, within)}
          union all
          select s.id, s.trace_id, case when s.kind_type = 'llm_call' then 1 else 0 end, down.model, down.depth + 1
            from down cross join span s
            where down.depth < ${LEVELS_MAX} and s.project_id = ${projectId} and s.parent_id = down.id
              and ${unindexed('s.trace_id')} = down.trace_id and (s.model is null or s.model = ${UNKNOWN_MODEL})${within('s')})
        select down.id as "spanId", down.trace_id as "traceId", down.model as model from down where down.is_call = 1`,
    );
  }

  /** Ids of the project's spans behind one, in order. */
  async listIds(
    tx: Pick<WriteTx, 'all' | 'dialect'>,
    projectId: string,
    afterId: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await tx.all(
      ID.query`select k.id as id from ${keysOf(tx.dialect)} where k.project_id = ${projectId} and k.id > ${afterId}
        order by k.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Ids of the spans of some traces behind one, in order. */
  async listIdsOfTraces(
    tx: Pick<WriteTx, 'all' | 'dialect'>,
    projectId: string,
    traceIds: readonly string[],
    afterId: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await tx.all(
      ID.query`select k.id as id from ${keysOf(tx.dialect)}
        where k.project_id = ${projectId} and ${anyOf('k.trace_id', traceIds)} and k.id > ${afterId}
        order by k.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Which of the spans are there, have finished and match all filters now. */
  async findMatching(scope: Scope, ids: readonly string[], filters: FinishedSpanFilters): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const read: Read = (query) => this.storage.readLong(query, scope);
    const { within } = await partitionsOfSpans(this.storage.dialect, read, scope, ids);
    const rows = await this.storage.readLong(
      ID.query`select s.id as id from span s join trace t on t.project_id = s.project_id and t.id = s.trace_id
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', ids)}${within('s')}
          and ${joinSql(conditionsOf(filters), ' and ')}`,
      scope,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The spans that started last and have finished, newest first, without their texts.
   * @param range starts in ms since the epoch, and the span behind which it goes on.
   */
  listNewestFinished(scope: Scope, limit: number, { from, until, behind }: StartRange = {}): Promise<SpanRow[]> {
    const conditions = [sql`s.project_id = ${scope.projectId} and s.status <> ${STATUS.running}`];
    if (from !== undefined) conditions.push(sql`s.started_at >= ${from}`);
    if (until !== undefined) conditions.push(sql`s.started_at < ${until}`);
    if (behind) conditions.push(sql`(s.started_at, s.id) < (${behind.startedAt}, ${behind.id})`);
    return this.storage.readLong(
      ROW.query`select ${ROW} from span s where ${joinSql(conditions, ' and ')}
        order by s.started_at desc, s.id desc limit ${limit}`,
      scope,
    );
  }

  /**
   * Tags of the traces of finished spans, by the ids of these; a span that runs or is gone is left out.
   * @param tx the transaction to read in, if it is to be what holds there.
   */
  async findTagsOfFinished(
    scope: Scope,
    ids: readonly string[],
    tx?: WriteTx,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { projectId } = scope;
    const read: Read = (query) => (tx ? tx.all(query) : this.storage.read(query));
    const { within } = await partitionsOfSpans(this.storage.dialect, read, scope, ids);
    // Two statements by key: without statistics Postgres joins tables of one project by scanning them.
    const spans = await read(
      OF_TRACE.query`select s.id as id, s.trace_id as "traceId", s.status as status from span s
        where s.project_id = ${projectId} and ${anyOf('s.id', ids)}${within('s')}`,
    );
    const finished = spans.filter(({ status }) => status !== STATUS.running);
    const facts = await this.traces.findFacts(
      projectId,
      finished.map(({ traceId }) => traceId),
      tx,
    );
    return new Map(finished.map(({ id, traceId }) => [id, facts.get(traceId)?.tags ?? []]));
  }
}

/** Spans by their ids, as `span s`: Postgres looks each up, whatever it knows of a table that grows. */
function eachById({ projectId }: Scope, ids: readonly string[], within: PartitionFilter): Sql {
  const asked = rowsFrom('asked', { id: { type: 'text', values: ids } });
  return sql`${onSqlite(sql`span s where s.project_id = ${projectId} and ${anyOf('s.id', ids)}`)}${onPostgres(
    sql`${asked} cross join lateral (select * from span i
      where i.project_id = ${projectId} and i.id = asked.id${within('i')} limit 1) s`,
  )}`;
}

const namesModel = ({ model }: ModelLink): boolean => model !== null && model !== UNKNOWN_MODEL;

/** The model of the nearest span around a call that names one, as far as all between them are there. */
function modelAround(byId: ReadonlyMap<string, ModelLink>, call: ModelLink): string | null | undefined {
  let span: ModelLink | undefined = call;
  for (let depth = 0; span && !namesModel(span) && depth < LEVELS_MAX; depth++) {
    span = byId.get(span.parentId ?? '');
    if (span?.traceId !== call.traceId) return undefined;
  }
  return span && namesModel(span) ? span.model : undefined;
}

/** The table that has all ids of spans: on Postgres the one without partitions. */
const keysOf = (dialect: Dialect): Sql => rawSql(dialect === 'sqlite' ? 'span k' : 'span_key k');

function conditionsOf(filters: FinishedSpanFilters): Sql[] {
  const conditions: Sql[] = [sql`s.status <> ${STATUS.running}`];
  const add = <T>(value: T | undefined, condition: (value: T) => Sql): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  add(filters.trace_id, (id) => sql`s.trace_id = ${id}`);
  add(filters.session_id, (id) => sql`t.session_id = ${id}`);
  add(filters.kind, (type) => sql`s.kind_type = ${type}`);
  add(filters.model, (model) => sql`s.model = ${model}`);
  add(filters.provider, (provider) => sql`s.provider = ${provider}`);
  add(filters.status, (status) => sql`s.status = ${STATUS[status]}`);
  add(filters.since, (since) => sql`s.started_at >= ${since}`);
  add(filters.until, (until) => sql`s.started_at < ${until}`);
  add(
    filters.tag,
    (tag) => sql`exists (select 1 from trace_tag g where g.project_id = t.project_id and g.tag = ${tag}
      and g.started_at = t.started_at and g.trace_id = t.id)`,
  );
  return conditions;
}
