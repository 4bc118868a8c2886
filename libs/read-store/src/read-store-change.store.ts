import { Injectable } from '@nestjs/common';
import { newId, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  lockedInOrder,
  nullable,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  tableOf,
  writeInOrder,
  type WriteTx,
} from '@spandrel/storage';
import { TraceLookups } from '@spandrel/tracing';
import { ReadStoreDayStore } from './read-store-day.store.js';
import {
  CHANGE_KIND,
  ReadStoreChangeSchema,
  ReadStoreStateSchema,
  type ReadStoreChangeRow,
  type ReadStoreStateRow,
} from './read-store.entity.js';

const changeTable = tableOf(ReadStoreChangeSchema, ['projectId', 'kind', 'id']);
const CHANGE = changeTable.select('c');
const PENDING = changeTable.select('c', ['kind', 'id', 'notedAt']);
const STATE = tableOf(ReadStoreStateSchema, ['id']).select('read_store_state');
const WAITING = shapeOf({ count: integer(), oldest: nullable(integer()) });

export type NotedChange = Pick<ReadStoreChangeRow, 'projectId' | 'kind' | 'id'> & { moved: boolean };

/** All spans and traces of a project. */
export const wholeProject = (projectId: string): NotedChange[] =>
  [CHANGE_KIND.project, CHANGE_KIND.projectTraces].map((kind) => ({ projectId, kind, id: '', moved: false }));

/** Rows one transaction deletes: others that write the same spans wait for it, on SQLite all. */
const ROWS_PER_DELETE = 2_000;

/** Another server has gone on, or the content is another: nothing is confirmed. */
class BatchOutdated extends Error {}

@Injectable()
export class ReadStoreChangeStore {
  constructor(
    private readonly storage: Storage,
    private readonly traces: TraceLookups,
    private readonly days: ReadStoreDayStore,
  ) {}

  /** Notes changes, each once. */
  async note(tx: WriteTx, changes: readonly NotedChange[], now: number): Promise<void> {
    const keyOf = ({ projectId, kind, id }: NotedChange): string => `${projectId} ${kind} ${id}`;
    const moved = new Set(changes.flatMap((change) => (change.moved ? keyOf(change) : [])));
    await writeInOrder(changes, keyOf, (some) => {
      const rows = rowsFrom('r', {
        project_id: { type: 'text', values: some.map(({ projectId }) => projectId) },
        kind: { type: 'number', values: some.map(({ kind }) => kind) },
        id: { type: 'text', values: some.map(({ id }) => id) },
        moved: { type: 'number', values: some.map((change) => (moved.has(keyOf(change)) ? 1 : 0)) },
      });
      return tx.run(
        sql`insert into read_store_change (project_id, kind, id, seq, noted_at, moved, after_id)
          select r.project_id, r.kind, r.id, 1, ${now}, r.moved, null from ${rows} where 1 = 1
          on conflict (project_id, kind, id) do update set seq = read_store_change.seq + 1, after_id = null,
            moved = case when read_store_change.moved = 1 then 1 else excluded.moved end`,
      );
    });
  }

  /** What the store does not have of a project, some. */
  pendingOf(scope: Scope, limit: number) {
    return this.storage.readLong(
      PENDING.query`select ${PENDING} from read_store_change c where c.project_id = ${scope.projectId} limit ${limit}`,
      scope,
    );
  }

  /**
   * Changes to be loaded next: all deletions of traces before any span, since a span may have come after them. They are
   * read behind the spans, so that none is missed that was there before one of these.
   */
  async next(limit: number): Promise<ReadStoreChangeRow[]> {
    const spans = await this.oldest(CHANGE_KIND.span, limit);
    const rows = await this.oldest(CHANGE_KIND.traceRow, limit);
    const traces = await this.oldest(CHANGE_KIND.trace, limit);
    return traces.length < limit ? [...traces, ...spans, ...rows] : traces;
  }

  /** A project is emptied with the first of its spans, before its traces come. */
  async nextProject(): Promise<ReadStoreChangeRow | undefined> {
    const [spans] = await this.oldest(CHANGE_KIND.project, 1);
    return spans ?? (await this.oldest(CHANGE_KIND.projectTraces, 1))[0];
  }

  private oldest(kind: number, limit: number): Promise<ReadStoreChangeRow[]> {
    return this.storage.readLong(
      CHANGE.query`select ${CHANGE} from read_store_change c where c.kind = ${kind} order by c.noted_at limit ${limit}`,
    );
  }

  async waiting(): Promise<{ count: number; oldest: number | null }> {
    const [row] = await this.storage.readLong(
      WAITING.query`select count(*) as count, min(c.noted_at) as oldest from read_store_change c`,
    );
    return row!;
  }

  async state(): Promise<ReadStoreStateRow | undefined> {
    const [row] = await this.storage.read(STATE.query`select ${STATE} from read_store_state where id = 'spans'`);
    return row;
  }

  /** Begins with new content: all spans of all projects are to be loaded. @returns how many projects there are. @throws StartError */
  async begin(tx: WriteTx, now: number): Promise<number> {
    await this.days.assertNoneCold(tx);
    await tx.run(
      sql`insert into read_store_state (id, content, batch, confirmed, holder, lease_until)
        values ('spans', ${newId()}, 1, 0, '', 0) on conflict (id) do update set content = excluded.content,
          batch = read_store_state.batch + 1, confirmed = 0, holder = '', lease_until = 0`,
    );
    const projects: NotedChange[] = [];
    let projectId = await this.traces.findProjectBehind(tx, '');
    while (projectId !== null) {
      projects.push(...wholeProject(projectId));
      projectId = await this.traces.findProjectBehind(tx, projectId);
    }
    await this.note(tx, projects, now);
    return projects.length / wholeProject('').length;
  }

  /** Begins the next batch, unless another server is at one. @param now leases that ended before are over. */
  async take(tx: WriteTx, holder: string, now: number, leaseUntil: number): Promise<ReadStoreStateRow | undefined> {
    const [row] = await tx.all(
      STATE.query`update read_store_state set batch = batch + 1, holder = ${holder}, lease_until = ${leaseUntil}
        where id = 'spans' and (holder = ${holder} or lease_until < ${now}) returning ${STATE}`,
    );
    return row;
  }

  /** Keeps the batch that is under way for its holder until then; another's stays as it is. */
  async renew(holder: string, leaseUntil: number): Promise<void> {
    await this.storage.write((tx) =>
      tx.run(sql`update read_store_state set lease_until = ${leaseUntil} where id = 'spans' and holder = ${holder}`),
    );
  }

  /**
   * Takes away what the store has now, deletions of traces first; what changed meanwhile stays, and waits since then.
   * @param readAt before the changes were read, in ms since 1970. @throws BatchOutdated when it is no longer the last batch.
   */
  async confirm(
    { content, batch }: ReadStoreStateRow,
    changes: readonly ReadStoreChangeRow[],
    readAt: number,
  ): Promise<void> {
    for (let at = 0; at === 0 || at < changes.length; at += ROWS_PER_DELETE) {
      const some = changes.slice(at, at + ROWS_PER_DELETE);
      await this.storage.write(async (tx) => {
        await this.assertLast(tx, content, batch);
        if (some.length === 0) return;
        const loaded = rowsFrom('r', {
          project_id: { type: 'text', values: some.map(({ projectId }) => projectId) },
          kind: { type: 'number', values: some.map(({ kind }) => kind) },
          id: { type: 'text', values: some.map(({ id }) => id) },
          seq: { type: 'number', values: some.map(({ seq }) => seq) },
        });
        // By the key: SQLite would go through all of them for each row.
        const gone = sql`(project_id, kind, id, seq) in (select r.project_id, r.kind, r.id, r.seq from ${loaded})`;
        const keys = anyOf('id', [...new Set(some.map(({ id }) => id))]);
        const ofProjects = anyOf('project_id', [...new Set(some.map(({ projectId }) => projectId))]);
        const deleted = await tx.run(
          sql`delete from read_store_change where ${lockedInOrder(changeTable, sql`${ofProjects} and ${keys} and ${gone}`)}`,
        );
        if (deleted === some.length) return;
        // A trace to which spans are always added would otherwise wait since its first, however often it is loaded.
        const again = sql`(project_id, kind, id) in (select r.project_id, r.kind, r.id from ${loaded}) and noted_at < ${readAt}`;
        await tx.run(
          sql`update read_store_change set noted_at = ${readAt}
            where ${lockedInOrder(changeTable, sql`${ofProjects} and ${keys} and ${again}`)}`,
        );
      });
    }
  }

  /** Notes how far a project has been loaded. @throws BatchOutdated */
  async proceed({ content, batch }: ReadStoreStateRow, { projectId, kind, seq }: ReadStoreChangeRow, afterId: string) {
    await this.storage.write(async (tx) => {
      await this.assertLast(tx, content, batch);
      await tx.run(
        sql`update read_store_change set after_id = ${afterId}
          where project_id = ${projectId} and kind = ${kind} and id = '' and seq = ${seq}`,
      );
    });
  }

  /** @throws StartError when there are texts that the database does not have. */
  async forgetAll(tx: WriteTx): Promise<void> {
    await this.days.assertNoneCold(tx);
    await tx.run(sql`delete from read_store_day`);
    await tx.run(sql`delete from read_store_state`);
    await tx.run(sql`delete from read_store_change`);
  }

  private async assertLast(tx: WriteTx, content: string, batch: number): Promise<void> {
    const updated = await tx.run(
      sql`update read_store_state set confirmed = ${batch} where id = 'spans' and content = ${content} and batch = ${batch}`,
    );
    if (updated !== 1) throw new BatchOutdated('the read store was gone on with by another server');
  }
}

/** Has the read store filled from the start by the servers. @returns how many projects are to be loaded. @throws Unavailable; StartError when it alone has texts. */
export function rebuildReadStore(storage: Storage): Promise<number> {
  const changes = new ReadStoreChangeStore(storage, new TraceLookups(storage), new ReadStoreDayStore(storage));
  return storage.write((tx) => changes.begin(tx, Date.now()));
}
