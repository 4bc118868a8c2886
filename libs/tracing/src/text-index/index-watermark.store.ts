import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, rowsFrom, shapeOf, sql, type WriteTx, Storage, text } from '@spandrel/storage';
import type { StoredSpan } from '../span.entity.js';
import type { Cell } from '../write/unit-of-work.js';

const UNTIL = shapeOf({ startedUntil: integer() });

/** The watermark where nothing is indexed: no span starts before it. */
export const NOTHING_INDEXED = Number.MIN_SAFE_INTEGER;

const MARK_MAX = 2 ** 48 - 1;

/**
 * Keeps the slices of texts (ADR 0037) exact while spans are written: a change of texts before the watermark is noted in
 * the same transaction, so that searches read that span until the slice's filter holds it. Most spans are younger than all
 * slices, and cost nothing here.
 */
@Injectable()
export class IndexWatermark {
  /**
   * The watermarks on SQLite, where this process alone moves them, in its own transactions: at least as pending as what is
   * committed.
   */
  private readonly known = new Map<string, number>();

  /**
   * The watermark of a project. To be asked in the transaction that writes, which on Postgres has its id by then: what
   * moves the end waits for all transactions with earlier ids before slices are made (`BuildTextIndex`).
   */
  async endOf(tx: WriteTx, { projectId }: Scope): Promise<number> {
    const known = this.known.get(projectId);
    if (known !== undefined) return known;
    const [row] = await tx.all(
      UNTIL.query`select c.started_until as "startedUntil" from text_watermark c where c.project_id = ${projectId}`,
    );
    const end = row?.startedUntil ?? NOTHING_INDEXED;
    if (tx.dialect === 'sqlite') this.known.set(projectId, end);
    return end;
  }

  /** Notes that this transaction is about to move a watermark. */
  move(tx: WriteTx, { projectId }: Scope, startedUntil: number): void {
    if (tx.dialect === 'sqlite')
      this.known.set(projectId, Math.max(startedUntil, this.known.get(projectId) ?? NOTHING_INDEXED));
  }

  /** Notes those of some changed spans whose texts are new where slices are. @param end the watermark, as {@link endOf} said. */
  async notePending(tx: WriteTx, { projectId }: Scope, end: number, cells: Iterable<Cell<StoredSpan>>): Promise<void> {
    if (end === NOTHING_INDEXED) return;
    const pending: StoredSpan[] = [];
    for (const { before, now } of cells) if (now && now.startedAt < end && hasNewText(before, now)) pending.push(now);
    if (pending.length === 0) return;
    const rows = rowsFrom('r', {
      started_at: { type: 'number', values: pending.map(({ startedAt }) => startedAt) },
      span_id: { type: 'text', values: pending.map(({ id }) => id) },
    });
    await tx.run(
      sql`insert into text_pending (project_id, started_at, span_id, mark)
        select ${projectId}, cast(r.started_at as bigint), r.span_id, cast(${randomInt(MARK_MAX)} as bigint) from ${rows}
        where 1 = 1 on conflict (project_id, started_at, span_id) do update set mark = excluded.mark`,
    );
  }
}

const hasNewText = (before: StoredSpan | null, now: StoredSpan): boolean =>
  before !== now &&
  (before === null ||
    before.startedAt !== now.startedAt ||
    before.input !== now.input ||
    before.output !== now.output ||
    before.error !== now.error);

const NEXT = shapeOf({ next: text() });
const OVER = shapeOf({ over: integer() });

const PAUSE_MS = 50;
const WAIT_MS_MAX = 30_000;

/** Waits for transactions that may not have seen what is committed now. */
@Injectable()
export class WriteBarrier {
  constructor(private readonly storage: Storage) {}

  /**
   * Waits until all transactions of writers are over that have begun by now: every later one sees what is committed now. On
   * SQLite there is one at a time, and nothing to wait for.
   * @returns whether they are; a transaction may take longer than can be waited for.
   */
  async execute(stopped: AbortSignal): Promise<boolean> {
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
}
