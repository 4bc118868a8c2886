import { Injectable } from '@nestjs/common';
import { pauseUnlessStopped, type OwnedTable } from '@spandrel/kernel';
import { ProjectRemovers, type ProjectRemover } from '@spandrel/storage';
import type { RemovalRow } from './removal.entity.js';
import { RemovalStore } from './removal.store.js';

/** Rows one transaction deletes. */
const ROWS_AT_ONCE = 500;

/** How long a server that is silent keeps a removal. */
const LEASE_MS = 10_000;

/** How long is waited between two transactions beyond what the one before took: others have the database too. */
const PAUSE_MS_MIN = 2;

/** Takes away what belongs to a project or an organization, once through everything. */
@Injectable()
export class RemoveOwned {
  constructor(
    private readonly store: RemovalStore,
    private readonly removers: ProjectRemovers,
  ) {}

  /** The end of a lease that is taken or kept now. */
  readonly leaseEnd = (): number => Date.now() + LEASE_MS;

  /** @returns how many rows went. @throws LeaseLost, and what makes it impossible just now. */
  async execute(removal: RemovalRow, owner: string, stopped: AbortSignal): Promise<number> {
    const by = ownerColumn(removal);
    let deleted = 0;
    for (const owned of this.removers.tables) {
      if (owned.by !== by || stopped.aborted) continue;
      deleted += await this.table(removal, owner, owned.table, stopped);
    }
    if (removal.kind !== 'project') return deleted;
    for (const remover of this.removers.removers) {
      if (stopped.aborted) return deleted;
      deleted += await this.elsewhere(removal, owner, remover, stopped);
    }
    return deleted;
  }

  private async elsewhere(
    removal: RemovalRow,
    owner: string,
    remover: ProjectRemover,
    stopped: AbortSignal,
  ): Promise<number> {
    await this.store.begin(removal, owner, this.leaseEnd(), remover.name);
    for (let all = 0; ;) {
      const began = performance.now();
      const { removed, isMoreLeft } = await remover.remove(removal.id);
      all += removed;
      if (removed > 0) await this.store.noteRemoved(removal, owner, this.leaseEnd(), remover.name, removed);
      if (!isMoreLeft || stopped.aborted) return all;
      await rest(began, stopped);
    }
  }

  private async table(removal: RemovalRow, owner: string, table: string, stopped: AbortSignal): Promise<number> {
    const by = ownerColumn(removal);
    let [deleted, hasBegun] = [0, false];
    for (const leaf of await this.store.leavesOf(table)) {
      while (!stopped.aborted) {
        const began = performance.now();
        const rows = { table, leaf, by, limit: ROWS_AT_ONCE };
        const count = await this.store.deleteRows(removal, owner, this.leaseEnd(), rows);
        deleted += count;
        if (count < ROWS_AT_ONCE) break;
        if (!hasBegun) await this.store.begin(removal, owner, this.leaseEnd(), table);
        hasBegun = true;
        await rest(began, stopped);
      }
    }
    return deleted;
  }
}

/** The column of tables that names what is removed. */
const ownerColumn = ({ kind }: RemovalRow): OwnedTable['by'] => (kind === 'project' ? 'project_id' : 'org_id');

/** @param began when the work began that is rested from, on the clock of `performance.now()`. */
const rest = (began: number, stopped: AbortSignal): Promise<void> =>
  pauseUnlessStopped(PAUSE_MS_MIN + performance.now() - began, stopped);
