import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  joinSql,
  lockedInOrder,
  rawSql,
  rowsFrom,
  sql,
  allSettledOrThrow,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { usageMarkTable } from '../tables.js';
import type { UsageMark, UsageMarks } from './usage-attribution.js';

/** Rows one statement writes: few numbers, so that statements are prepared once. */
const ROWS_PER_STATEMENT = [128, 16, 4, 1] as const;

const MARK = usageMarkTable.select('m', ['traceId', 'spanId']);

/** Marks of the spans that are asked for, by their ids as they were sent. */
export async function loadMarks(tx: WriteTx, { projectId }: Scope, spans: readonly UsageMark[]): Promise<UsageMark[]> {
  if (spans.length === 0) return [];
  // Written as a cross join, SQLite looks every span up by key; a join may read all marks of the project.
  const join = rawSql(tx.dialect === 'sqlite' ? 'cross join' : 'join');
  return tx.all(
    MARK.query`select ${MARK} from ${askedFor(spans)} ${join} usage_mark m
      on m.project_id = ${projectId} and m.trace_id = asked.trace_id and m.span_id = asked.span_id`,
  );
}

/**
 * Writes what became of the marks; a mark that is there already stays. All is asked for at once: what the caller asks for
 * next is done behind the last of the marks.
 */
export async function saveMarks(tx: WriteTx, { projectId }: Scope, { made, taken }: UsageMarks): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < made.length;) {
    const size = ROWS_PER_STATEMENT.find((rows) => rows <= made.length - at)!;
    const rows = made.slice(at, at + size).map(({ traceId, spanId }) => sql`(${projectId}, ${traceId}, ${spanId})`);
    sent.push(
      tx.run(
        sql`insert into usage_mark (project_id, trace_id, span_id) values ${joinSql(rows, ', ')} on conflict do nothing`,
      ),
    );
    at += size;
  }
  if (taken.length > 0) {
    const which = sql`project_id = ${projectId} and (trace_id, span_id) in (select asked.trace_id, asked.span_id from ${askedFor(taken)})`;
    sent.push(tx.run(sql`delete from usage_mark where ${lockedInOrder(usageMarkTable, which)}`));
  }
  await allSettledOrThrow(...sent);
}

/** Deletes the marks of traces that go, of one project. */
export async function deleteMarksOf(tx: WriteTx, projectId: string, traceIds: readonly string[]): Promise<void> {
  if (traceIds.length === 0) return;
  const which = sql`project_id = ${projectId} and ${anyOf('trace_id', traceIds)}`;
  await tx.run(sql`delete from usage_mark where ${lockedInOrder(usageMarkTable, which)}`);
}

const askedFor = (spans: readonly UsageMark[]): Sql =>
  rowsFrom('asked', {
    trace_id: { type: 'text', values: spans.map(({ traceId }) => traceId) },
    span_id: { type: 'text', values: spans.map(({ spanId }) => spanId) },
  });
