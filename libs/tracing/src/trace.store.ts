import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, forUpdate, rawSql, sql, Storage, type WriteTx } from '@spandrel/storage';
import { TRACE_COLUMNS, traceTable, traceTagTable } from './tables.js';
import type { TraceRow, TraceTagRow } from './trace.entity.js';
import type { TraceCell } from './working-set.js';

/**
 * Tables emptied with a project, in this order, and what makes their rows its leavings. Other instances may write
 * meanwhile: who writes to a trace holds its row, so once the traces are gone no row comes that belongs to one of them,
 * and the rows of a trace that comes meanwhile are left to it.
 */
const PROJECT_TABLES = [
  ['trace', undefined],
  ['trace_tag', 'select 1 from trace t where t.project_id = trace_tag.project_id and t.id = trace_tag.trace_id'],
  ['span', 'select 1 from trace t where t.project_id = span.project_id and t.id = span.trace_id'],
  ['span_payload', 'select 1 from span s where s.project_id = span_payload.project_id and s.id = span_payload.span_id'],
] as const;

/** Rows of traces and their tags. */
@Injectable()
export class TraceStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the trace, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<TraceRow | undefined> {
    const [trace] = await this.storage.read<TraceRow>(
      sql`select ${TRACE_COLUMNS} from trace t where t.project_id = ${scope.projectId} and t.id = ${id}`,
    );
    return trace;
  }

  /** Traces to be changed, locked against other instances in the order of their ids. */
  loadForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<TraceRow[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return tx.all<TraceRow>(
      sql`select ${TRACE_COLUMNS} from trace t
        where t.project_id = ${scope.projectId} and ${anyOf('t.id', ids)} order by t.id${forUpdate('t')}`,
    );
  }

  /** Writes what the jobs made of the traces. */
  async save(tx: WriteTx, cells: Iterable<TraceCell>): Promise<void> {
    const inserted: TraceRow[] = [];
    const updated: TraceRow[] = [];
    const tagsGone: TraceTagRow[] = [];
    const tagsNew: TraceTagRow[] = [];
    for (const { before, now } of cells) {
      if (!now || before === now) continue;
      (before ? updated : inserted).push(now);
      if (before && before.tags === now.tags && before.startedAt === now.startedAt) continue;
      if (before) tagsGone.push(...tagRows(before));
      tagsNew.push(...tagRows(now));
    }
    await tx.insert(traceTable, inserted);
    await tx.update(traceTable, updated);
    await this.deleteTags(tx, tagsGone);
    await tx.insert(traceTagTable, tagsNew);
  }

  async delete(tx: WriteTx, trace: TraceRow): Promise<void> {
    await this.deleteTags(tx, tagRows(trace));
    await tx.run(sql`delete from trace where project_id = ${trace.projectId} and id = ${trace.id}`);
  }

  /**
   * Deletes all traces and spans of the project. One that is alone in a database of this process's own is emptied by
   * unqualified deletes, which SQLite does without visiting the rows.
   * @returns how many there were.
   */
  async deleteAll(tx: WriteTx, scope: Scope): Promise<{ traces: number; spans: number }> {
    const alone = this.storage.exclusive && !(await this.hasOthers(tx, scope));
    const deleted = { trace: 0, trace_tag: 0, span: 0, span_payload: 0 };
    for (const [table, belongsTo] of PROJECT_TABLES) {
      const ofProject = sql` where project_id = ${scope.projectId}`;
      const left = belongsTo === undefined ? ofProject : sql`${ofProject} and not exists (${rawSql(belongsTo)})`;
      deleted[table] = await tx.run(sql`delete from ${rawSql(table)}${alone ? rawSql('') : left}`);
    }
    return { traces: deleted.trace, spans: deleted.span };
  }

  private async hasOthers(tx: WriteTx, scope: Scope): Promise<boolean> {
    const others = await tx.all(sql`select 1 as one from trace where project_id <> ${scope.projectId} limit 1`);
    return others.length > 0;
  }

  private async deleteTags(tx: WriteTx, rows: readonly TraceTagRow[]): Promise<void> {
    for (const { projectId, tag, startedAt, traceId } of rows) {
      await tx.run(
        sql`delete from trace_tag where project_id = ${projectId} and tag = ${tag} and started_at = ${startedAt} and trace_id = ${traceId}`,
      );
    }
  }
}

/** One row a distinct tag. */
const tagRows = ({ projectId, id, tags, startedAt }: TraceRow): TraceTagRow[] =>
  tags === '[]'
    ? []
    : [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ projectId, tag, startedAt, traceId: id }));
