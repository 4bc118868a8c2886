import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  atStarts,
  betweenStarts,
  forUpdate,
  forUpdateSkipLocked,
  integer,
  nullable,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type RowOfShape,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { projectsWithRecords } from '../reading/counted-spans.sql.js';
import { ColdTexts } from '../reading/cold-texts.js';
import { PAYLOAD_OF_SPAN } from '../span.store.js';
import { spanPayloadTable, spanTable } from '../tables.js';
import { gramsOfHex, hexOfGrams } from './gram-filter.sql.js';
import { indexedUntil, NOTHING_INDEXED } from './pending-texts.sql.js';
import { SLICE_STATE } from './text-index.entity.js';

const NUMBER = shapeOf({ number: integer() });
const COVER = shapeOf({ startedUntil: integer() });
const RANGE = shapeOf({ startedFrom: integer(), startedUntil: integer() });
const SLICE = RANGE.and(shapeOf({ state: integer(), spans: integer() }));
const GRAMS = shapeOf({ grams: text() });
const SIZED = shapeOf({ id: text(), startedAt: integer(), bytes: integer() });
const TEXTS = spanTable
  .select('s', ['id', 'traceId', 'startedAt'])
  .beside(spanPayloadTable.select('p', ['input', 'output', 'error', 'coldDigest']));
const LATE = shapeOf({ startedAt: integer(), spanId: text(), mark: integer() });
const START = shapeOf({ startedAt: nullable(integer()) });
const NEXT = shapeOf({ next: text() });
const OVER = shapeOf({ over: integer() });

const PAUSE_MS = 50;
const WAIT_MS_MAX = 30_000;

/** The starts of a slice; `startedUntil` is not within. */
export type SliceRange = RowOfShape<typeof RANGE>;
export type TextSlice = RowOfShape<typeof SLICE>;
export type SizedSpan = RowOfShape<typeof SIZED>;
type SpanTexts = RowOfShape<typeof TEXTS>;
export type PendingText = RowOfShape<typeof LATE>;

/** Background reads leave room for those that somebody waits for. */
const PATIENT: LongReadOptions = { patient: true };

/** Slices of texts, and what they are made of. */
@Injectable()
export class TextIndexStore {
  constructor(
    private readonly storage: Storage,
    private readonly cold: ColdTexts,
  ) {}

  /** Every project that has traces or spans. */
  projects(): AsyncGenerator<string> {
    return projectsWithRecords(this.storage.reads(PATIENT));
  }

  /** The watermark of the project, {@link NOTHING_INDEXED} where there is none. */
  watermark(scope: Scope): Promise<number> {
    return indexedUntil(this.storage.reads(), scope);
  }

  /**
   * Waits until all transactions of writers that have begun by now are over: every later one sees what is committed now.
   * @returns whether they are; on SQLite, with one at a time, at once.
   */
  async waitForWriters(stopped: AbortSignal): Promise<boolean> {
    if (this.storage.dialect === 'sqlite') return true;
    // Ids are given in order, and to this one now.
    const [row] = await this.storage.read(NEXT.query`select pg_current_xact_id()::text as next`);
    const until = Date.now() + WAIT_MS_MAX;
    while (!stopped.aborted) {
      const [state] = await this.storage.read(
        OVER.query`select case when pg_snapshot_xmin(pg_current_snapshot()) >= cast(${row!.next} as xid8) then 1 else 0 end as over`,
      );
      if (state!.over === 1) return true;
      if (Date.now() > until) return false;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
    return false;
  }

  /** Takes the project for a server until a moment. @returns whether no other one has it. */
  async lease({ projectId }: Scope, server: string, now: number, until: number): Promise<boolean> {
    return this.storage.write(async (tx) => {
      await makeCover(tx, projectId);
      const taken = await tx.run(
        sql`update text_watermark set leased_by = ${server}, leased_until = ${until}
          where project_id = ${projectId} and (leased_by = ${server} or leased_until < ${now})`,
      );
      return taken > 0;
    });
  }

  /** The latest start of a span within a range, where so many spans start in it; `null` where they are fewer. */
  async lastStart(
    { projectId }: Scope,
    { startedFrom, startedUntil }: SliceRange,
    count: number,
  ): Promise<number | null> {
    const within = sql`s.project_id = ${projectId} and s.started_at >= ${startedFrom} and s.started_at < ${startedUntil}`;
    const enough = await this.storage.readLong(
      NUMBER.query`select 1 as number from span s where ${within} order by s.started_at, s.id limit 1 offset ${count - 1}`,
      PATIENT,
    );
    if (enough.length === 0) return null;
    const [row] = await this.storage.readLong(
      START.query`select max(s.started_at) as "startedAt" from span s where ${within}`,
      PATIENT,
    );
    return row?.startedAt ?? null;
  }

  /** The earliest start of a span; `null` when there is none. */
  async firstStart({ projectId }: Scope): Promise<number | null> {
    const [row] = await this.storage.readLong(
      START.query`select min(s.started_at) as "startedAt" from span s where s.project_id = ${projectId}`,
      PATIENT,
    );
    return row?.startedAt ?? null;
  }

  /** Moves a watermark unless somebody else has; what is new in it becomes an open slice. */
  async moveEnd(tx: WriteTx, { projectId }: Scope, from: number, until: number): Promise<void> {
    await makeCover(tx, projectId);
    const moved = await tx.run(
      sql`update text_watermark set started_until = ${until} where project_id = ${projectId} and started_until = ${from}`,
    );
    if (moved === 0) return;
    await addOpen(tx, projectId, from, until);
  }

  /** The newest slice that is open. */
  async newestOpen({ projectId }: Scope): Promise<SliceRange | undefined> {
    const [row] = await this.storage.readLong(
      RANGE.query`select t.started_from as "startedFrom", t.started_until as "startedUntil" from text_slice t
        where t.project_id = ${projectId} and t.state = 0 order by t.started_from desc limit 1`,
      PATIENT,
    );
    return row;
  }

  /** The slices that have to do with a range of starts, oldest first. */
  async slicesIn({ projectId }: Scope, { startedFrom, startedUntil }: SliceRange): Promise<TextSlice[]> {
    return this.storage.readLong(
      SLICE.query`select t.started_from as "startedFrom", t.started_until as "startedUntil", t.state as state,
        t.spans as spans from text_slice t where t.project_id = ${projectId}
        and t.started_until > ${startedFrom} and t.started_from < ${startedUntil} order by t.started_from`,
      PATIENT,
    );
  }

  /** Spans that start within a range, newest first; with the bytes of their texts, which are not read. */
  async newestSpans(
    { projectId }: Scope,
    { startedFrom, startedUntil }: SliceRange,
    limit: number,
  ): Promise<SizedSpan[]> {
    return this.storage.readLong(
      SIZED.query`select s.id as id, s.started_at as "startedAt", coalesce((select coalesce(octet_length(p.input), 0)
          + coalesce(octet_length(p.output), 0) + coalesce(octet_length(p.error), 0)
          + coalesce(p.input_bytes, 0) + coalesce(p.output_bytes, 0) from span_payload p
          where p.project_id = s.project_id and p.span_id = s.id${betweenStarts('p.started_at', startedFrom, startedUntil)}
          limit 1), 0) as bytes
        from span s where s.project_id = ${projectId} and s.started_at >= ${startedFrom}
        and s.started_at < ${startedUntil} order by s.started_at desc, s.id desc limit ${limit}`,
      PATIENT,
    );
  }

  /** The texts of some spans. @throws TextsUnavailable */
  async texts(scope: Scope, spans: readonly { id: string; startedAt: number }[]): Promise<SpanTexts[]> {
    const ids = spans.map(({ id }) => id);
    const starts = spans.map(({ startedAt }) => startedAt);
    const found = await this.storage.readLong(
      TEXTS.query`select ${TEXTS} from span s join span_payload p on ${PAYLOAD_OF_SPAN} where s.project_id = ${scope.projectId}
        and ${anyOf('s.id', ids)}${atStarts('s.started_at', starts)}${atStarts('p.started_at', starts)}`,
      PATIENT,
    );
    return this.cold.complete(scope, found);
  }

  /** Up to `limit` pending spans within a range, oldest first. */
  async pendingTexts(
    { projectId }: Scope,
    { startedFrom, startedUntil }: SliceRange,
    limit: number,
  ): Promise<PendingText[]> {
    return this.storage.readLong(
      LATE.query`select l.started_at as "startedAt", l.span_id as "spanId", l.mark as mark from text_pending l
        where l.project_id = ${projectId} and l.started_at >= ${startedFrom} and l.started_at < ${startedUntil}
        order by l.started_at, l.span_id limit ${limit}`,
      PATIENT,
    );
  }

  /**
   * Takes pending spans out that have not changed since they were read. The `cross join` has SQLite look each of them up: the
   * other way round, a hundred thousand stop the server for hours.
   */
  async deletePending(tx: WriteTx, { projectId }: Scope, pending: readonly PendingText[]): Promise<void> {
    if (pending.length === 0) return;
    const rows = rowsFrom('r', {
      started_at: { type: 'number', values: pending.map(({ startedAt }) => startedAt) },
      span_id: { type: 'text', values: pending.map(({ spanId }) => spanId) },
      mark: { type: 'number', values: pending.map(({ mark }) => mark) },
    });
    // Who changes one of them just now has its row, and it stays.
    await tx.run(
      sql`delete from text_pending where (project_id, started_at, span_id) in (select l.project_id, l.started_at, l.span_id
        from ${rows} cross join text_pending l where l.project_id = ${projectId} and l.started_at = cast(r.started_at as bigint)
        and l.span_id = r.span_id and l.mark = cast(r.mark as bigint)${forUpdateSkipLocked('l')})`,
    );
  }

  /** Whether a slice is still as it was read; the project is held. */
  async isStill(tx: WriteTx, { projectId }: Scope, range: TextSlice): Promise<boolean> {
    const rows = await tx.all(
      NUMBER.query`select 1 as number from text_slice where ${slice(projectId, range)} and state = ${range.state}`,
    );
    return rows.length > 0;
  }

  /** Cuts the newest part off an open slice. @returns whether it was as it was read. */
  async cut(tx: WriteTx, { projectId }: Scope, open: SliceRange, startedFrom: number): Promise<boolean> {
    const cut = await tx.run(
      sql`update text_slice set started_until = ${startedFrom} where ${slice(projectId, open)} and state = 0`,
    );
    if (cut === 0) return false;
    await addOpen(tx, projectId, startedFrom, open.startedUntil);
    return true;
  }

  /** Gives an open slice its filter; without one it is to be read always. @returns whether it was as it was read. */
  async finish(
    tx: WriteTx,
    { projectId }: Scope,
    open: SliceRange,
    spans: number,
    grams: string | undefined,
  ): Promise<boolean> {
    const state = grams === undefined ? SLICE_STATE.unfiltered : SLICE_STATE.filtered;
    const made = await tx.run(
      sql`update text_slice set state = ${state}, spans = ${spans}, grams = ${grams === undefined ? null : gramsOfHex(grams)}
        where ${slice(projectId, open)} and state = 0`,
    );
    return made > 0;
  }

  /** The filter of a slice, held against others; `undefined` when it has none any more. */
  async gramsOf(tx: WriteTx, { projectId }: Scope, range: SliceRange): Promise<string | undefined> {
    const [row] = await tx.all(
      GRAMS.query`select ${hexOfGrams('t.grams')} as grams from text_slice t
        where ${slice(projectId, range)} and t.state = ${SLICE_STATE.filtered}${forUpdate('t')}`,
    );
    return row?.grams;
  }

  /** Writes a filter that holds more than before. @param spans how many spans there are more. */
  async replaceGrams(
    tx: WriteTx,
    { projectId }: Scope,
    range: SliceRange,
    grams: string,
    spans: number,
  ): Promise<void> {
    await tx.run(
      sql`update text_slice set grams = ${gramsOfHex(grams)}, spans = spans + ${spans} where ${slice(projectId, range)}`,
    );
  }

  /** Keeps others from changing the slices of a project until the transaction ends. */
  async hold(tx: WriteTx, { projectId }: Scope): Promise<void> {
    await tx.all(
      COVER.query`select c.started_until as "startedUntil" from text_watermark c
        where c.project_id = ${projectId}${forUpdate('c')}`,
    );
  }

  /**
   * Makes the slices of a range one that is open, to be cut and made again; the project is held.
   * @returns whether the range begins and ends with slices.
   */
  async reopen(tx: WriteTx, { projectId }: Scope, { startedFrom, startedUntil }: SliceRange): Promise<boolean> {
    const within = sql`project_id = ${projectId} and started_from >= ${startedFrom} and started_until <= ${startedUntil}`;
    const slices = await tx.all(
      RANGE.query`select started_from as "startedFrom", started_until as "startedUntil" from text_slice
        where ${within} order by started_from`,
    );
    if (slices[0]?.startedFrom !== startedFrom || slices.at(-1)?.startedUntil !== startedUntil) return false;
    await tx.run(sql`delete from text_slice where ${within} and started_from > ${startedFrom}`);
    await tx.run(
      sql`update text_slice set state = ${SLICE_STATE.open}, spans = 0, grams = null, started_until = ${startedUntil}
        where project_id = ${projectId} and started_from = ${startedFrom}`,
    );
    return true;
  }
}

const slice = (projectId: string, { startedFrom, startedUntil }: SliceRange): Sql =>
  sql`project_id = ${projectId} and started_from = ${startedFrom} and started_until = ${startedUntil}`;

const makeCover = (tx: WriteTx, projectId: string): Promise<number> =>
  tx.run(
    sql`insert into text_watermark (project_id, started_until, leased_by, leased_until)
      values (${projectId}, ${NOTHING_INDEXED}, '', 0) on conflict (project_id) do nothing`,
  );

const addOpen = (tx: WriteTx, projectId: string, from: number, until: number): Promise<number> =>
  tx.run(
    sql`insert into text_slice (project_id, started_from, started_until, state, spans)
      values (${projectId}, ${from}, ${until}, ${SLICE_STATE.open}, 0)`,
  );
