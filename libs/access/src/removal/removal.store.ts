import { Injectable } from '@nestjs/common';
import {
  anyOf,
  deleteSome,
  forUpdateSkipLocked,
  leafTables,
  sql,
  Storage,
  tableOf,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { formatTimestamp, type ProjectResource } from '@spandrel/contract';
import { RemovalSchema, type RemovalRow } from './removal.entity.js';

const TABLE = tableOf(RemovalSchema, ['id']);
const COLUMNS = TABLE.select('r');

/** Somebody else has become the one who removes. */
export class LeaseLost extends Error {}

/** A part of what is removed: rows of one table. */
export interface RemovedRows {
  table: string;
  leaf: string;
  by: 'project_id' | 'org_id';
  limit: number;
}

/** Rows of removals, and the rows that they take away. */
@Injectable()
export class RemovalStore {
  constructor(private readonly storage: Storage) {}

  insert(tx: WriteTx, row: RemovalRow): Promise<void> {
    return tx.insert(TABLE, [row]);
  }

  /** Removals of some projects or organizations that are under way. */
  async underWay(ids: readonly string[]): Promise<ReadonlyMap<string, RemovalRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.storage.read(
      COLUMNS.query`select ${COLUMNS} from removal r where ${anyOf('r.id', ids)} and r.finished_at is null`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Takes the removal that has waited longest, until `until`. An organization waits for its projects, a finished one for its lease.
   */
  async claim(owner: string, now: number, until: number): Promise<RemovalRow | undefined> {
    return this.storage.write(async (tx) => {
      const [row] = await tx.all(
        COLUMNS.query`with picked as materialized (
            select k.id from removal k where k.lease_until <= ${now} and (k.kind = 'project' or not exists
              (select 1 from removal p where p.org_id = k.org_id and p.kind = 'project' and p.finished_at is null))
            order by (k.finished_at is not null), k.requested_at, k.id limit 1${forUpdateSkipLocked('k')})
          update removal as r set lease_owner = ${owner}, lease_until = ${until}
          where r.id in (select id from picked) returning ${COLUMNS}`,
      );
      return row;
    });
  }

  /** Removals that should go on: those under way, without organizations that wait for their projects. */
  async unfinished(): Promise<{ requestedAt: number; progressedAt: number }[]> {
    return this.storage.read(
      COLUMNS.query`select ${COLUMNS} from removal r where r.finished_at is null and (r.kind = 'project' or not exists
        (select 1 from removal p where p.org_id = r.org_id and p.kind = 'project' and p.finished_at is null))`,
    );
  }

  leavesOf(table: string): Promise<string[]> {
    return leafTables(this.storage, table);
  }

  /** Deletes some rows and notes that, in one transaction. @returns how many went. @throws LeaseLost */
  deleteRows({ id }: RemovalRow, owner: string, { table, leaf, by, limit }: RemovedRows): Promise<number> {
    return this.storage.write(async (tx) => {
      const deleted = await deleteSome(tx, { leaf, by, owner: id, limit });
      if (deleted > 0) await this.note(tx, id, owner, table, deleted);
      return deleted;
    });
  }

  /** Notes what went that is kept elsewhere than in tables. @throws LeaseLost */
  async noteRemoved({ id }: RemovalRow, owner: string, name: string, removed: number): Promise<void> {
    await this.storage.write((tx) => this.note(tx, id, owner, name, removed));
  }

  /** Notes what goes now. @throws LeaseLost */
  async begin({ id }: RemovalRow, owner: string, step: string): Promise<void> {
    await this.storage.write((tx) =>
      this.keep(tx, sql`update removal set step = ${step} where id = ${id} and lease_owner = ${owner}`),
    );
  }

  /** Keeps a removal for its owner until then; another's stays as it is. */
  async renew({ id }: RemovalRow, owner: string, until: number): Promise<void> {
    await this.storage.write((tx) =>
      tx.run(sql`update removal set lease_until = ${until} where id = ${id} and lease_owner = ${owner}`),
    );
  }

  /** The removal as it is, locked, for its end. @throws LeaseLost */
  async findForEnd(tx: WriteTx, { id }: RemovalRow, owner: string): Promise<RemovalRow> {
    const [row] = await tx.all(
      COLUMNS.query`select ${COLUMNS} from removal r where r.id = ${id} and r.lease_owner = ${owner} for update`,
    );
    if (!row) throw new LeaseLost(id);
    return row;
  }

  /** Notes that nothing is left, and when to look again. */
  async finish(tx: WriteTx, { id }: RemovalRow, now: number, again: number): Promise<void> {
    await tx.run(
      sql`update removal set finished_at = coalesce(finished_at, ${now}), step = null, lease_owner = null,
        lease_until = ${again}, ${wentOn(now)} where id = ${id}`,
    );
  }

  /** Lets another server go on, from `at` on. */
  release(removal: RemovalRow, owner: string, at: number): Promise<void> {
    return this.letGo(removal, owner, sql`lease_until = ${at}`);
  }

  /** Notes that a whole look ended without an error, and lets another server go on, from `at` on. */
  releaseWell(removal: RemovalRow, owner: string, at: number, now: number): Promise<void> {
    return this.letGo(removal, owner, sql`lease_until = ${at}, ${wentOn(now)}`);
  }

  /** Notes what failed, in words for an administrator, and lets another server go on, from `at` on. */
  releaseFailed(removal: RemovalRow, owner: string, at: number, what: string): Promise<void> {
    const last = sql`coalesce(step || ': ', '') || ${what}::text`;
    return this.letGo(removal, owner, sql`lease_until = ${at}, failures = failures + 1, last_error = ${last}`);
  }

  async delete(tx: WriteTx, { id }: RemovalRow): Promise<void> {
    await tx.run(sql`delete from removal where id = ${id}`);
  }

  private note(tx: WriteTx, id: string, owner: string, table: string, deleted: number): Promise<void> {
    return this.keep(
      tx,
      sql`update removal set rows_deleted = rows_deleted + ${deleted}, ${wentOn(Date.now())},
          counts = (counts::jsonb || jsonb_build_object(${table}::text,
            coalesce((counts::jsonb ->> ${table}::text)::bigint, 0) + ${deleted}::bigint))::text
        where id = ${id} and lease_owner = ${owner}`,
    );
  }

  private async letGo({ id }: RemovalRow, owner: string, set: Sql): Promise<void> {
    await this.storage.write((tx) =>
      tx.run(sql`update removal set lease_owner = null, ${set} where id = ${id} and lease_owner = ${owner}`),
    );
  }

  private async keep(tx: WriteTx, update: Sql): Promise<void> {
    if ((await tx.run(update)) === 0) throw new LeaseLost('the lease of a removal ended');
  }
}

const wentOn = (now: number): Sql => sql`progressed_at = ${now}, failures = 0, last_error = null`;

/** Ids of those that are being deleted. */
export const beingDeletedOf = (rows: readonly { id: string; deletingAt: number | null }[]): string[] =>
  rows.filter(({ deletingAt }) => deletingAt !== null).map(({ id }) => id);

/** Whether a project or an organization is being deleted, and how far that is, as the wire shows it. */
export const stateOf = (
  { deletingAt }: { deletingAt: number | null },
  removal: RemovalRow | undefined,
): Pick<ProjectResource, 'state' | 'removal'> => ({
  state: deletingAt === null ? 'active' : 'deleting',
  removal:
    deletingAt === null
      ? null
      : {
          requested_at: formatTimestamp(deletingAt),
          rows_deleted: removal?.rowsDeleted ?? 0,
          step: removal?.step ?? null,
          last_error: removal?.lastError ?? null,
        },
});
