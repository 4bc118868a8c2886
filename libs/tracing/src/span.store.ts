import { Injectable, Optional } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  integer,
  nullable,
  onPostgres,
  orderBy,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitBySize,
  text,
  allSettledOrThrow,
  type Position,
  type Selection,
  type Sorting,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import {
  fittingSpans,
  PAYLOAD_SIZE,
  joinByIds,
  partitionsOfSpans,
  partitionsOfTraces,
  type PartitionHint,
  SPAN_KEYS,
} from './span-partitions.sql.js';
import { METADATA_COLUMNS } from './metadata/metadata.entity.js';
import { MetadataIndex } from './metadata/metadata-index.store.js';
import { ColdTexts, isCold } from './reading/cold-texts.js';
import type { ReadStorePort } from './reading/read-store-port.js';
import { COLD_COLUMNS, type DatedPayloadRow, type SpanLink, type StoredSpan } from './span.entity.js';
import { payloadTableOf, SPAN_COLUMNS, spanKeyTable, spanPayloadTable, spanTable, spanTablesOf } from './tables.js';
import type { Cell, TraceCell } from './write/unit-of-work.js';

const ID = shapeOf({ id: text() });
const SIZED = shapeOf({ id: text(), bytes: integer() });
const BYTES = shapeOf({ bytes: integer() });
const LATEST = shapeOf({ latest: nullable(integer()) });

/** What joins `span_payload p` to `span s`. */
export const PAYLOAD_OF_SPAN: Sql = sql`p.project_id = s.project_id and p.span_id = s.id${onPostgres(
  rawSql(' and p.started_at = s.started_at'),
)}`;

const WHOLE_SPANS: Sql = sql`select ${SPAN_COLUMNS} from span s join span_payload p on ${PAYLOAD_OF_SPAN}`;

const WITH_METADATA = spanTable.select('s').beside(spanPayloadTable.select('p', ['metadata']));
const LINK = spanTable.select('s', ['id', 'traceId', 'parentId', 'cover']);

const START_ORDER: Sorting = {
  list: 'trace',
  column: 's.started_at',
  idColumn: 's.id',
  type: 'integer',
  nullable: false,
  order: 'asc',
};

/** What ending or covering a span changes as a rule: few columns of an index. */
const ENDED = [
  'status',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cachedTokens',
  'cost',
  'endedAt',
  'durationMs',
  'cover',
] as const;
const NOT_ENDED = spanTable.notKey.filter((property) => !(ENDED as readonly string[]).includes(property));

/** What completing, failing or correcting a span writes again of its payload; the input rarely changes. */
const PAYLOAD_WITHOUT_INPUT = ['kind', 'output', 'metadata', 'error'] as const;

const DELETED_BYTES_MAX = 4 * 1024 * 1024;

@Injectable()
export class SpanStore {
  constructor(
    private readonly storage: Storage,
    @Optional() private readonly metadata?: MetadataIndex,
    @Optional() private readonly cold?: ColdTexts,
  ) {}

  /** @returns the span, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<StoredSpan | undefined> {
    const { within } = await partitionsOfSpans(this.storage.reads(), scope, [id]);
    const found = await this.storage.read(
      SPAN_COLUMNS.query`${WHOLE_SPANS} where s.project_id = ${scope.projectId} and s.id = ${id}${within('s')}${within('p')}`,
    );
    return (await this.completed(scope, found))[0];
  }

  /** Ids of the spans of a trace in start order, behind a position: up to `limit`; none at the end. */
  async idsInStartOrder(scope: Scope, traceId: string, from: Position | undefined, limit: number): Promise<string[]> {
    const within = await partitionsOfTraces(this.storage.reads(scope), scope, [traceId]);
    const rows = await this.storage.readLong(
      ID.query`select s.id as id from span s where s.project_id = ${scope.projectId} and s.trace_id = ${traceId}${within('s')}
        and ${behind(START_ORDER, 'valued', from)} order by ${orderBy(START_ORDER, 'valued')} limit ${limit}`,
      scope,
    );
    return rows.map(({ id }) => id);
  }

  /** Spans of a trace in start order, behind a position: up to `limit`, as many as {@link loadSome} takes; none at the end. */
  async ofTrace(scope: Scope, traceId: string, from: Position | undefined, limit: number): Promise<StoredSpan[]> {
    return this.loadSome(scope, await this.idsInStartOrder(scope, traceId, from, limit));
  }

  /**
   * Whole spans in the order of their ids: as many from the first on as fit into memory together, at least
   * one, so that no answer outgrows memory however large its spans are.
   */
  async loadSome(scope: Scope, ids: readonly string[]): Promise<StoredSpan[]> {
    if (ids.length === 0) return [];
    const spans = await this.completed(scope, await fittingSpans(this.storage, scope, ids));
    const byId = new Map(spans.map((span) => [span.id, span]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** @throws TextsUnavailable */
  private async completed(scope: Scope, spans: StoredSpan[]): Promise<StoredSpan[]> {
    return this.cold ? this.cold.complete(scope, spans) : spans;
  }

  /** Has the texts of spans that are cold in the database again, for as long as nobody takes them away. @throws TextsUnavailable */
  async bringBack(scope: Scope, ids: readonly string[], port: ReadStorePort): Promise<void> {
    for (let left = ids; left.length > 0;) {
      const spans = await this.loadSome(scope, left);
      const texts = new Map(spans.map((span) => [span.id, span]));
      await this.storage.write(async (tx) => {
        const cold = (await this.loadForWrite(tx, scope, [...texts.keys()])).filter(isCold);
        const rows = cold.map((span) => ({ ...span, ...textsIn(texts.get(span.id)!), ...NOT_COLD, spanId: span.id }));
        await tx.update(payloadTableOf(tx.dialect), rows, ['input', 'output', ...COLD_COLUMNS]);
        await port.registered?.broughtBack(
          tx,
          scope,
          cold.map(({ startedAt }) => startedAt),
        );
      });
      const last = spans.at(-1);
      left = last ? left.slice(left.indexOf(last.id) + 1) : [];
    }
  }

  /** Spans to be changed, locked against other instances in the order of their ids; of cold ones without their texts. */
  async loadForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<StoredSpan[]> {
    return this.loadLocked(tx, scope, ids, await this.lock(tx, scope, ids));
  }

  /** Locks spans as {@link loadForWrite} does. @returns where they lie, for {@link loadLocked}. */
  lock(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<PartitionHint> {
    return partitionsOfSpans(tx, scope, ids, true);
  }

  loadLocked(tx: WriteTx, scope: Scope, ids: readonly string[], at: PartitionHint): Promise<StoredSpan[]> {
    return this.readLocked(SPAN_COLUMNS, tx, scope, ids, at);
  }

  private async readLocked<Row>(
    columns: Selection<Row>,
    tx: WriteTx,
    scope: Scope,
    ids: readonly string[],
    { any, within }: PartitionHint,
  ): Promise<Row[]> {
    if (!any) return [];
    return tx.all(columns.query`select ${columns} from ${joinByIds(scope, ids, 'both', within)} order by s.id`);
  }

  /** Brings the columns of indexed metadata to what spans have as metadata. */
  async indexMetadata(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<void> {
    const spans = await this.readLocked(WITH_METADATA, tx, scope, ids, await this.lock(tx, scope, ids));
    const changed = spans.map((span) => this.metadata!.fillColumns(span)).filter((span, at) => span !== spans[at]);
    await tx.update(spanTablesOf(tx.dialect).span, changed, METADATA_COLUMNS);
  }

  /** What leads from spans to their parents; nothing is locked. */
  async links(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<SpanLink[]> {
    const { any, within } = await partitionsOfSpans(tx, scope, ids);
    if (!any) return [];
    return tx.all(
      LINK.query`select ${LINK} from span s where s.project_id = ${scope.projectId} and ${anyOf('s.id', ids)}${within('s')}`,
    );
  }

  /** Ids of the spans that name one of some parents as theirs, in the trace of that. */
  async childrenOf(tx: WriteTx, scope: Scope, parents: readonly { id: string; traceId: string }[]): Promise<string[]> {
    if (parents.length === 0) return [];
    const traceIds = [...new Set(parents.map(({ traceId }) => traceId))];
    const ids = [...new Set(parents.map(({ id }) => id))];
    const within = await partitionsOfTraces(tx, scope, traceIds);
    const rows = await tx.all(
      LINK.query`select ${LINK} from span s where s.project_id = ${scope.projectId} and s.parent_id is not null
        and ${anyOf('s.parent_id', ids)}${within('s')}`,
    );
    const named = new Set(parents.map(({ id, traceId }) => `${traceId} ${id}`));
    return rows.filter(({ traceId, parentId }) => named.has(`${traceId} ${parentId}`)).map(({ id }) => id);
  }

  /** Writes what the jobs made of the spans. */
  async save(tx: WriteTx, scope: Scope, cells: Iterable<Cell<StoredSpan>>): Promise<void> {
    const inserted: StoredSpan[] = [];
    const ended: StoredSpan[] = [];
    const changed: StoredSpan[] = [];
    const payloads: DatedPayloadRow[] = [];
    const payloadsWithInput: DatedPayloadRow[] = [];
    const deleted: string[] = [];
    const moved: { from: StoredSpan; to: StoredSpan }[] = [];
    for (const { before, now: made } of cells) {
      if (before === made) continue;
      const now = made && (this.metadata?.fillColumns(made) ?? made);
      if (!now) {
        if (before) deleted.push(before.id);
      } else if (!before) {
        inserted.push(now);
      } else {
        if (before.startedAt !== now.startedAt || before.traceId !== now.traceId) moved.push({ from: before, to: now });
        (NOT_ENDED.every((property) => before[property] === now[property]) ? ended : changed).push(now);
        if (before.input !== now.input) payloadsWithInput.push(payloadRow(now));
        else if (payloadDiffers(before, now)) payloads.push(payloadRow(now));
      }
    }
    const tables = spanTablesOf(tx.dialect);
    // Asked for together, done in this order.
    await allSettledOrThrow(
      tx.dialect === 'postgres' && tx.insert(spanKeyTable, inserted),
      tx.insert(tables.span, inserted),
      tx.insert(tables.payload, inserted.map(payloadRow)),
      ...this.move(tx, moved),
      tx.update(tables.span, ended, ENDED),
      tx.update(tables.span, changed),
      tx.update(tables.payload, payloads, PAYLOAD_WITHOUT_INPUT),
      tx.update(tables.payload, payloadsWithInput),
    );
    await this.delete(tx, scope, deleted);
  }

  /** Looks up the latest ends of traces that may have lost theirs. */
  async recountEnds(tx: WriteTx, scope: Scope, cells: readonly TraceCell[]): Promise<void> {
    for (const cell of cells) {
      if (cell.recount && cell.now) {
        cell.now = { ...cell.now, lastEndedAt: await this.latestEnd(tx, scope, cell.now.id) };
      }
    }
  }

  /** The latest end among the spans of a trace; `null` when none has ended. */
  private async latestEnd(tx: WriteTx, scope: Scope, traceId: string): Promise<number | null> {
    const within = await partitionsOfTraces(tx, scope, [traceId]);
    const [row] = await tx.all(
      LATEST.query`select max(s.ended_at) as latest from span s
        where s.project_id = ${scope.projectId} and s.trace_id = ${traceId}${within('s')}`,
    );
    return row?.latest ?? null;
  }

  /** Bytes of the texts of all spans of a trace, found without reading them. */
  async bytesOfTrace(scope: Scope, traceId: string): Promise<number> {
    const within = await partitionsOfTraces(this.storage.reads(scope), scope, [traceId]);
    const [row] = await this.storage.readLong(
      BYTES.query`select coalesce(sum(${PAYLOAD_SIZE}), 0) as bytes from span s join span_payload p on ${PAYLOAD_OF_SPAN}
        where s.project_id = ${scope.projectId} and s.trace_id = ${traceId}${within('s')}`,
      scope,
    );
    return row!.bytes;
  }

  /** Ids of up to `limit` spans of a trace; of fewer large ones on SQLite, which copies and deletes on the event loop. */
  async idsOfTrace(tx: WriteTx, { projectId }: Scope, traceId: string, limit: number): Promise<string[]> {
    const [table, bytes] =
      tx.dialect === 'sqlite'
        ? [sql`span k join span_payload p on p.project_id = k.project_id and p.span_id = k.id`, PAYLOAD_SIZE]
        : [SPAN_KEYS, rawSql('0')];
    const rows = await tx.all(
      SIZED.query`select k.id as id, ${bytes} as bytes from ${table}
        where k.project_id = ${projectId} and k.trace_id = ${traceId} limit ${limit}`,
    );
    return limitBySize(rows, DELETED_BYTES_MAX).map(({ id }) => id);
  }

  async delete(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { within } = await partitionsOfSpans(tx, scope, ids, true);
    if (tx.dialect === 'postgres') {
      await tx.run(sql`delete from span_key where project_id = ${scope.projectId} and ${anyOf('id', ids)}`);
    }
    await tx.run(
      sql`delete from span_payload where project_id = ${scope.projectId} and ${anyOf('span_id', ids)}${within('span_payload')}`,
    );
    await tx.run(sql`delete from span where project_id = ${scope.projectId} and ${anyOf('id', ids)}${within('span')}`);
  }

  /**
   * On Postgres a start is part of the key, and where a row lies. A span that is deleted and made again in one transaction
   * may come to another trace.
   */
  private move(tx: WriteTx, moves: readonly { from: StoredSpan; to: StoredSpan }[]): Promise<unknown>[] {
    if (tx.dialect === 'sqlite') return [];
    return moves.flatMap(({ from, to }) => {
      const key = tx.run(
        sql`update span_key set started_at = ${to.startedAt}, trace_id = ${to.traceId}
          where project_id = ${from.projectId} and id = ${from.id}`,
      );
      if (from.startedAt === to.startedAt) return [key];
      const rows = (
        [
          ['span', 'id'],
          ['span_payload', 'span_id'],
        ] as const
      ).map(([table, idColumn]) =>
        tx.run(
          sql`update ${rawSql(table)} set started_at = ${to.startedAt} where project_id = ${from.projectId}
            and ${rawSql(idColumn)} = ${from.id} and started_at = ${from.startedAt}`,
        ),
      );
      return [key, ...rows];
    });
  }
}

const NOT_COLD = { coldDigest: null, inputBytes: null, outputBytes: null };

const textsIn = ({ input, output }: StoredSpan) => ({ input, output });

/** A row may have more than its table has columns for. */
const payloadRow = (span: StoredSpan): DatedPayloadRow => ({ ...span, spanId: span.id });

const payloadDiffers = (a: StoredSpan, b: StoredSpan): boolean =>
  a.kind !== b.kind || a.output !== b.output || a.metadata !== b.metadata || a.error !== b.error;
