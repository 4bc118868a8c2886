import { Injectable } from '@nestjs/common';
import {
  anyOf,
  deleteRows,
  forUpdateSkipLocked,
  integer,
  lockedInOrder,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  tableOf,
  text,
  type Sql,
  writeInOrder,
  type WriteTx,
} from '@spandrel/storage';
import { SearchTaskSchema, type SearchTaskRow } from './search-task.entity.js';

const taskTable = tableOf(SearchTaskSchema, ['projectId', 'kind', 'id']);
const TASK = taskTable.select('t');
const ID = shapeOf({ id: text() });
const COUNT = shapeOf({ count: integer() });

export type TaskKey = Pick<SearchTaskRow, 'projectId' | 'kind' | 'id'>;

/** Tasks of one project that one worker holds. */
export interface ClaimedTasks {
  projectId: string;
  /** The claim that holds the tasks. */
  claim: string;
  kind: number;
  ids: readonly string[];
}

const COLUMNS = rawSql('project_id, kind, id, due_at, claim, texted');

@Injectable()
export class SearchTaskStore {
  constructor(private readonly storage: Storage) {}

  /** Notes changes; a task that is there already is due at once, and anyone who is at it must do it again. */
  async note(tx: WriteTx, keys: readonly TaskKey[], now: number): Promise<void> {
    await insert(
      tx,
      keys,
      now,
      rawSql('(project_id, kind, id) do update set due_at = excluded.due_at, claim = null, texted = 0'),
    );
  }

  /** Notes what may need to be done, unless it is noted already. */
  async noteMissing(tx: WriteTx, keys: readonly TaskKey[], now: number): Promise<void> {
    await insert(tx, keys, now, rawSql('do nothing'));
  }

  /** Takes the tasks that are due, those that have waited longest first, and holds them until `until`. */
  claim(tx: WriteTx, { now, until, claim, limit }: { now: number; until: number; claim: string; limit: number }) {
    return tx.all(
      TASK.query`with picked as materialized (
          select k.project_id, k.kind, k.id from search_task k
          where k.due_at <= ${now} order by k.due_at limit ${limit}${forUpdateSkipLocked('k')})
        update search_task as t set due_at = ${until}, claim = ${claim}
        where (t.project_id, t.kind, t.id) in (select project_id, kind, id from picked)
        returning ${TASK}`,
    );
  }

  /** Takes tasks away that are still held. @returns ids of those. */
  async finish(tx: WriteTx, tasks: ClaimedTasks): Promise<string[]> {
    const rows = await tx.all(ID.query`delete from search_task where ${held(tasks)} returning id as id`);
    return rows.map(({ id }) => id);
  }

  /** Puts tasks off that are still held: the index has their texts, and their vectors are to come. */
  async release(tx: WriteTx, tasks: ClaimedTasks, dueAt: number): Promise<void> {
    await tx.run(sql`update search_task set due_at = ${dueAt}, claim = null, texted = 1 where ${held(tasks)}`);
  }

  /** Gives back everything that is held under a claim. */
  async releaseAll(tx: WriteTx, claim: string, projectIds: readonly string[], dueAt: number): Promise<void> {
    await tx.run(
      sql`update search_task set due_at = ${dueAt}, claim = null
        where ${lockedInOrder(taskTable, sql`${anyOf('project_id', projectIds)} and claim = ${claim}`)}`,
    );
  }

  async deleteOfProject(tx: WriteTx, projectId: string): Promise<void> {
    await deleteRows(tx, 'search_task', lockedInOrder(taskTable, sql`project_id = ${projectId}`));
  }

  async deleteAll(tx: WriteTx): Promise<void> {
    await deleteRows(tx, 'search_task', sql`1 = 1`);
  }

  /** How many tasks there are, of all projects. */
  async count(): Promise<number> {
    const [row] = await this.storage.readLong(COUNT.query`select count(*) as count from search_task`);
    return row!.count;
  }
}

async function insert(tx: WriteTx, keys: readonly TaskKey[], now: number, conflict: Sql): Promise<void> {
  const keyOf = ({ projectId, kind, id }: TaskKey): string => `${projectId} ${kind} ${id}`;
  await writeInOrder(keys, keyOf, (some) => {
    const rows = rowsFrom('r', {
      project_id: { type: 'text', values: some.map(({ projectId }) => projectId) },
      kind: { type: 'number', values: some.map(({ kind }) => kind) },
      id: { type: 'text', values: some.map(({ id }) => id) },
      due_at: { type: 'number', values: some.map(() => now) },
    });
    return tx.run(
      sql`insert into search_task (${COLUMNS})
        select r.project_id, r.kind, r.id, r.due_at, null, 0 from ${rows} where 1 = 1 on conflict ${conflict}`,
    );
  });
}

/** In the order in which changes are noted meanwhile. */
const held = ({ projectId, claim, kind, ids }: ClaimedTasks): Sql =>
  lockedInOrder(
    taskTable,
    sql`project_id = ${projectId} and kind = ${kind} and ${anyOf('id', ids)} and claim = ${claim}`,
  );
