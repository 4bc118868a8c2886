import { randomInt } from 'node:crypto';
import type { Scope } from '@spandrel/kernel';
import { integer, rowsFrom, shapeOf, sql, type Reader, type WriteTx } from '@spandrel/storage';
import type { StoredSpan } from '../span.entity.js';
import type { Cell } from '../write/unit-of-work.js';

const UNTIL = shapeOf({ startedUntil: integer() });

/** The watermark where nothing is indexed: no span starts before it. */
export const NOTHING_INDEXED = Number.MIN_SAFE_INTEGER;

const MARK_MAX = 2 ** 48 - 1;

/**
 * The watermark of a project: spans that start before it lie in slices. A writer asks in its transaction, which on Postgres
 * has its id by then: what moves the watermark waits for all transactions with earlier ids before slices are made.
 */
export async function indexedUntil(reader: Reader, { projectId }: Scope): Promise<number> {
  const [row] = await reader.all(
    UNTIL.query`select c.started_until as "startedUntil" from text_watermark c where c.project_id = ${projectId}`,
  );
  return row?.startedUntil ?? NOTHING_INDEXED;
}

/**
 * Notes those of some changed spans whose texts are new where slices are, in the same transaction: searches read them until
 * the filters of the slices hold them (ADR 0037).
 * @param end the watermark, as {@link indexedUntil} said.
 */
export async function notePendingTexts(
  tx: WriteTx,
  { projectId }: Scope,
  end: number,
  cells: Iterable<Cell<StoredSpan>>,
): Promise<void> {
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

const hasNewText = (before: StoredSpan | null, now: StoredSpan): boolean =>
  before !== now &&
  (before === null ||
    before.startedAt !== now.startedAt ||
    before.input !== now.input ||
    before.output !== now.output ||
    before.error !== now.error);
