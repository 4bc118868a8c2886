import { Injectable } from '@nestjs/common';
import { UNKNOWN_MODEL, type Search } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  nullable,
  rawSql,
  shapeOf,
  sql,
  startedIn,
  Storage,
  text,
  type Reader,
  type RowOfShape,
  type Sql,
  type WriteTx,
  unindexed,
} from '@spandrel/storage';
import { hasTag } from '../listing/trace-filter.sql.js';
import {
  type PartitionFilter,
  joinByIds,
  partitionsOfSpans,
  partitionsOfTraces,
  payloadSizes,
  SPAN_KEYS,
} from '../span-partitions.sql.js';
import { type SpanRow, STATUS } from '../span.entity.js';
import { spanTable } from '../tables.js';
import { aliasOf } from '../write/span-alias.js';
import { TraceLookups } from './trace-lookups.store.js';

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
      ID.query`select k.id as id from ${SPAN_KEYS} where k.project_id = ${projectId} and ${anyOf('k.id', ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Traces, starts (in ms since the epoch) and models of spans; nothing for those that are not there. */
  async findPlaces(tx: WriteTx, scope: Scope, ids: readonly string[]) {
    if (ids.length === 0) return new Map<string, RowOfShape<typeof PLACE>>();
    const { within } = await partitionsOfSpans(tx, scope, ids);
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
    const within = await partitionsOfTraces(this.storage.reads(), scope, traceIds);
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
        MODEL_LINK.query`select ${MODEL_LINK} from ${joinByIds(scope, level, 's', within)} limit ${level.length}`,
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
    const ids = spans.map(({ id }) => id);
    // A model with thousands of spans below it takes long: SQLite reads in a thread then.
    const reader = this.storage.reads(this.storage.dialect === 'sqlite' ? scope : undefined);
    return reader.all(
      WITH_MODEL.query`with recursive down(id, trace_id, is_call, model, depth) as (
          select s.id, s.trace_id, 0, s.model, 0 from ${joinByIds(scope, ids, 's', within)}
          union all
          select s.id, s.trace_id, case when s.kind_type = 'llm_call' then 1 else 0 end, down.model, down.depth + 1
            from down cross join span s
            where down.depth < ${LEVELS_MAX} and s.project_id = ${projectId} and s.parent_id = down.id
              and ${unindexed('s.trace_id')} = down.trace_id and (s.model is null or s.model = ${UNKNOWN_MODEL})${within('s')})
        select down.id as "spanId", down.trace_id as "traceId", down.model as model from down where down.is_call = 1`,
    );
  }

  /** Ids of the project's spans behind one, in order. */
  async listIds(reader: Pick<Reader, 'all'>, projectId: string, afterId: string, limit: number): Promise<string[]> {
    const rows = await reader.all(
      ID.query`select k.id as id from ${SPAN_KEYS} where k.project_id = ${projectId} and k.id > ${afterId}
        order by k.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Ids of the spans of some traces behind one, in order. */
  async listIdsOfTraces(
    reader: Pick<Reader, 'all'>,
    projectId: string,
    traceIds: readonly string[],
    afterId: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await reader.all(
      ID.query`select k.id as id from ${SPAN_KEYS}
        where k.project_id = ${projectId} and ${anyOf('k.trace_id', traceIds)} and k.id > ${afterId}
        order by k.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Which of the spans are there, have finished and match all filters now, whose texts columns can hold. */
  async findMatching(scope: Scope, ids: readonly string[], filters: Search['filters']): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const reader = this.storage.reads(scope);
    const { within } = await partitionsOfSpans(reader, scope, ids);
    const rows = await reader.all(
      ID.query`select s.id as id from span s join trace t on t.project_id = s.project_id and t.id = s.trace_id
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', ids)}${within('s')}
          and ${conditionsOf(filters)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The spans that started last and have finished, newest first, without their texts.
   * @param range starts in ms since the epoch, and the span behind which it goes on.
   */
  listNewestFinished(scope: Scope, limit: number, { from, until, behind }: StartRange = {}): Promise<SpanRow[]> {
    const left = behind ? sql` and (s.started_at, s.id) < (${behind.startedAt}, ${behind.id})` : sql``;
    return this.storage.readLong(
      ROW.query`select ${ROW} from span s where s.project_id = ${scope.projectId} and s.status <> ${STATUS.running}
        ${startedIn('s.started_at', { since: from, until })}${left} order by s.started_at desc, s.id desc limit ${limit}`,
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
    const reader = tx ?? this.storage.reads();
    const { within } = await partitionsOfSpans(reader, scope, ids);
    // Two statements by key: without statistics Postgres joins tables of one project by scanning them.
    const spans = await reader.all(
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

const FILTERED = {
  trace_id: 's.trace_id',
  session_id: 't.session_id',
  kind: 's.kind_type',
  model: 's.model',
  provider: 's.provider',
} as const;

function conditionsOf(filters: Search['filters']): Sql {
  const { status, tag } = filters;
  const conditions = [sql`s.status <> ${STATUS.running}${startedIn('s.started_at', filters)}`];
  for (const name of Object.keys(FILTERED) as (keyof typeof FILTERED)[]) {
    if (filters[name] !== undefined) conditions.push(sql`${rawSql(FILTERED[name])} = ${filters[name]}`);
  }
  if (status !== undefined) conditions.push(sql`s.status = ${STATUS[status]}`);
  if (tag !== undefined) conditions.push(hasTag(tag));
  return joinSql(conditions, ' and ');
}
