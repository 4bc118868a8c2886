import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
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

/** Writes what became of the marks; one that is there already stays. */
export async function saveMarks(tx: WriteTx, { projectId }: Scope, { made, taken }: UsageMarks): Promise<void> {
  const sent: Promise<unknown>[] = [];
  if (made.length > 0) {
    sent.push(
      tx.run(sql`insert into usage_mark (project_id, trace_id, span_id)
        select ${projectId}, asked.trace_id, asked.span_id from ${askedFor(made)} where 1 = 1 on conflict do nothing`),
    );
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
