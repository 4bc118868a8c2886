import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  betweenStarts,
  integer,
  nullable,
  objectFromJsonText,
  plannedOnce,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitBySize,
  limitIdsBySize,
  text,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import { ColdTexts, isCold, TextsUnavailable } from '../reading/cold-texts.js';
import type { SpanTexts } from '../reading/read-store-port.js';
import { joinByIds, startsOfTraces } from '../span-partitions.sql.js';
import { STATUS } from '../span.entity.js';
import { spanTable } from '../tables.js';
import { PREVIEWED_BYTES_MAX } from './preview-text.js';
import { NO_PREVIEW, withPreviews, type OutlinedSpan } from './span-outline.js';

/** A kind or an error up to this size is read together with the row of its span. */
const SMALL_BYTES = 16 * 1024;
/** What one read brings into memory of larger ones, and of texts to be previewed, about. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;

/** The error lies behind the texts: SQLite would read through them to find that there is none. */
const ERROR = `case when s.status = ${STATUS.failed} then p.error end`;

const ROW = spanTable.select('s');
const OUTLINE = ROW.and(
  shapeOf({
    kind: nullable(text()),
    error: nullable(text()),
    kindBytes: integer(),
    errorBytes: integer(),
    inputBytes: integer(),
    outputBytes: integer(),
    coldDigest: nullable(integer()),
  }),
);
type OutlineRow = RowOfShape<typeof OUTLINE>;

const LARGE = shapeOf({ id: text(), kind: text(), error: nullable(text()) });
const PLACES = shapeOf({ traceId: text(), root: nullable(text()), calls: nullable(text()), last: nullable(text()) });
const METADATA = shapeOf({ id: text(), metadata: nullable(text()) });
const TEXTS = shapeOf({ id: text(), input: nullable(text()), output: nullable(text()) });

/** Where in a trace its question and its answer may be. */
export interface TalkPlaces {
  /** The first span without a parent; `null` where that is a call of a model. */
  root: string | null;
  /** Calls of models: the first and the last ones. */
  calls: readonly string[];
}

/** Spans at either end of a trace that are looked at for its first and its last calls of models. */
const ENDS_SPANS = 32;
const LAST_CALLS = 4;

/** Spans without their texts, which stay where they are: none is read to be left out. */
@Injectable()
export class SpanOutlineStore {
  constructor(
    private readonly storage: Storage,
    @Optional() private readonly cold?: ColdTexts,
  ) {}

  /** Where the question and the answer of traces may be, by trace. */
  async talkPlaces(scope: Scope, traceIds: readonly string[]): Promise<Map<string, TalkPlaces>> {
    if (traceIds.length === 0) return new Map();
    const { projectId } = scope;
    const reader = this.storage.reads(scope);
    const starts = reader.dialect === 'postgres' ? await startsOfTraces(reader, scope, traceIds) : undefined;
    // Walks the spans of a trace from its ends: by the index on kinds all calls of the project would be walked.
    const walk = (direction: 'asc' | 'desc', which: string, most: number) => sql`select s.id, s.parent_id, s.started_at,
        coalesce(s.kind_type, '') as kind_type from span s
      where s.project_id = ${projectId} and s.trace_id = t.id${betweenStarts('s.started_at', starts?.from, starts?.until)}
        and ${rawSql(which)}
      order by s.started_at ${rawSql(direction)}, s.id ${rawSql(direction)} limit ${rawSql(String(most))}`;
    const isCall = rawSql("e.kind_type = 'llm_call'");
    const ends = (direction: 'asc' | 'desc') => walk(direction, '1 = 1', ENDS_SPANS);
    const calls = (direction: 'asc' | 'desc', most: number) => sql`select e.id from (${ends(direction)}) e
      where ${isCall} order by e.started_at ${rawSql(direction)}, e.id ${rawSql(direction)}
      limit ${rawSql(String(most))}`;
    const rows = await reader.all(
      PLACES.query`select t.id as "traceId",
          (select case when ${isCall} then null else e.id end from (${ends('asc')}) e where e.parent_id is null
            order by e.started_at, e.id limit 1) as "root",
          (select string_agg(c.id, ' ') from (select f.id from (${calls('asc', 1)}) f
            union all select l.id from (${calls('desc', LAST_CALLS)}) l) c) as "calls",
          (select w.id from (${walk('desc', "coalesce(s.kind_type, '') = 'llm_call'", 1)}) w) as "last"
        from trace t where t.project_id = ${projectId} and ${anyOf('t.id', traceIds)}`,
    );
    return new Map(
      rows.map(({ traceId, root, calls: ids, last }) => [
        traceId,
        { root, calls: [...new Set([...(ids?.split(' ') ?? []), ...(last === null ? [] : [last])])] },
      ]),
    );
  }

  /**
   * Outlines in the order of their ids: as many from the first on as fit into memory together, at least one. Only kinds
   * and errors count, so that it is all of them unless these are very large.
   * @param preview code points of each preview; 0 for none. @param asTalk whether these are questions and answers alone.
   */
  async loadSome(scope: Scope, ids: readonly string[], preview: number, asTalk = false): Promise<OutlinedSpan[]> {
    if (ids.length === 0) return [];
    const { storage } = this;
    const outlines = OUTLINE.query`select ${ROW}, ${smallOnly('p.kind')} as kind, ${smallOnly(ERROR)} as error,
          octet_length(p.kind) as "kindBytes", coalesce(octet_length(${rawSql(ERROR)}), 0) as "errorBytes",
          coalesce(octet_length(p.input), p.input_bytes, 0) as "inputBytes",
          coalesce(octet_length(p.output), p.output_bytes, 0) as "outputBytes", p.cold_digest as "coldDigest"
        from ${joinByIds(scope, ids, 'both')}`;
    const rows = await storage.readLong(plannedOnce(outlines), scope);
    const taken = limitIdsBySize(
      ids,
      rows.map((row) => ({ id: row.id, bytes: isLarge(row) ? row.kindBytes + row.errorBytes : 0 })),
      BYTES_AT_ONCE,
    );
    const large = await this.large(scope, taken, rows);
    const byId = new Map(rows.map((row) => [row.id, outlined({ ...row, ...large.get(row.id) })]));
    const spans = taken.flatMap((id) => byId.get(id) ?? []);
    return preview === 0 ? spans : this.previewed(scope, spans, preview, asTalk);
  }

  /** The metadata that callers gave spans, by id; none where it is large. */
  async metadataOf(scope: Scope, ids: readonly string[]): Promise<Map<string, Record<string, unknown>>> {
    if (ids.length === 0) return new Map();
    const query = METADATA.query`select p.span_id as id, ${smallOnly('p.metadata')} as metadata
      from ${joinByIds(scope, ids, 'p')}`;
    const rows = await this.storage.readLong(plannedOnce(query), scope);
    return new Map(rows.map(({ id, metadata }) => [id, objectFromJsonText(metadata)]));
  }

  /** The texts of spans that are cold; none while they cannot be had: outlines go on without previews. */
  private async coldTexts(scope: Scope, spans: readonly OutlinedSpan[]): Promise<Map<string, SpanTexts>> {
    if (spans.length === 0 || !this.cold) return new Map();
    return this.cold.textsOf(scope, spans).catch((error: unknown) => {
      if (error instanceof TextsUnavailable) return new Map<string, SpanTexts>();
      throw error;
    });
  }

  private async large(
    scope: Scope,
    taken: readonly string[],
    rows: readonly OutlineRow[],
  ): Promise<Map<string, RowOfShape<typeof LARGE>>> {
    const wanted = new Set(taken);
    const large = rows.filter((row) => isLarge(row) && wanted.has(row.id));
    if (large.length === 0) return new Map();
    const query = LARGE.query`select s.id as id, p.kind as kind, ${rawSql(ERROR)} as error
      from ${joinByIds(
        scope,
        large.map(({ id }) => id),
        'both',
      )}`;
    const texts = await this.storage.readLong(plannedOnce(query), scope);
    return new Map(texts.map((row) => [row.id, row]));
  }

  /** The outlines with their previews, some at a time: texts are read, previewed and forgotten. */
  private async previewed(
    scope: Scope,
    spans: readonly OutlinedSpan[],
    preview: number,
    asTalk: boolean,
  ): Promise<OutlinedSpan[]> {
    const done: OutlinedSpan[] = [];
    while (done.length < spans.length) {
      const left = spans.slice(done.length).map((span) => ({ span, bytes: previewedBytes(span) }));
      const slice = limitBySize(left, BYTES_AT_ONCE).map(({ span }) => span);
      const previewed = slice.filter((span) => previewedBytes(span) > 0);
      const previewing = previewed.filter((span) => !isCold(span)).map(({ id }) => id);
      const query = TEXTS.query`select p.span_id as id, ${beginning('p.input', preview)} as input,
          ${beginning('p.output', preview)} as output from ${joinByIds(scope, previewing, 'p')}`;
      const rows = await this.storage.readLong(plannedOnce(query), scope);
      const texts = new Map<string, SpanTexts>(rows.map((row) => [row.id, row]));
      for (const [id, { input, output }] of await this.coldTexts(scope, previewed.filter(isCold))) {
        texts.set(id, { input: beginningOf(input, preview), output: beginningOf(output, preview) });
      }
      for (const span of slice) done.push(withPreviews(span, texts.get(span.id) ?? NO_TEXTS, preview, asTalk));
      await nextTurn();
    }
    return done;
  }
}

const NO_TEXTS = { input: null, output: null };

const smallOnly = (column: string): Sql =>
  rawSql(`case when octet_length(${column}) <= ${SMALL_BYTES} then ${column} end`);

const beginning = (column: string, codePoints: number): Sql =>
  sql`case when octet_length(${rawSql(column)}) <= ${rawSql(String(PREVIEWED_BYTES_MAX))} then ${rawSql(column)}
    else substr(${rawSql(column)}, 1, ${codePoints}) end`;

/** What {@link beginning} has of a text. */
const beginningOf = (json: string | null, codePoints: number): string | null =>
  json === null || Buffer.byteLength(json) <= PREVIEWED_BYTES_MAX
    ? json
    : [...json.slice(0, 2 * codePoints)].slice(0, codePoints).join('');

const isLarge = ({ kindBytes, errorBytes }: OutlineRow): boolean => kindBytes > SMALL_BYTES || errorBytes > SMALL_BYTES;

const previewedBytes = ({ inputBytes, outputBytes }: OutlinedSpan): number =>
  Math.min(inputBytes, PREVIEWED_BYTES_MAX) + Math.min(outputBytes, PREVIEWED_BYTES_MAX);

const outlined = ({ kind, kindBytes: _kind, errorBytes: _error, ...row }: OutlineRow): OutlinedSpan => ({
  ...row,
  ...NO_PREVIEW,
  kind: kind ?? '{}',
});
