import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, forUpdate, rawSql, sql, Storage, type WriteTx } from '@spandrel/storage';
import { TRACE_COLUMNS, traceTable, traceTagTable } from './tables.js';
import type { TraceRow, TraceTagRow } from './trace.entity.js';
import type { TraceCell } from './working-set.js';

/** Tables emptied with a project. */
const PROJECT_TABLES = ['span_payload', 'span', 'trace_tag', 'trace'] as const;

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
   * Deletes all traces and spans of the project. One that is alone in its database is emptied by unqualified deletes,
   * which SQLite does without visiting the rows.
   * @returns how many there were.
   */
  async deleteAll(tx: WriteTx, scope: Scope): Promise<{ traces: number; spans: number }> {
    const [counted] = await tx.all<{ traces: number; spans: number }>(
      sql`select count(*) as traces, coalesce(sum(span_count), 0) as spans from trace where project_id = ${scope.projectId}`,
    );
    const others = await tx.all(sql`select 1 as one from trace where project_id <> ${scope.projectId} limit 1`);
    const alone = others.length === 0;
    const where = alone ? rawSql('') : sql` where project_id = ${scope.projectId}`;
    for (const table of PROJECT_TABLES) await tx.run(sql`delete from ${rawSql(table)}${where}`);
    return counted!;
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
