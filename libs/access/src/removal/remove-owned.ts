import { Injectable } from '@nestjs/common';
import { pauseUnlessStopped } from '@spandrel/kernel';
import { ProjectRemovers, type ProjectRemover } from '@spandrel/storage';
import type { RemovalRow } from './removal.entity.js';
import { RemovalStore } from './removal.store.js';

/** Rows one transaction deletes. */
const ROWS_AT_ONCE = 500;

/** How long a server that is silent keeps a removal. */
const LEASE_MS = 10_000;

/** How long is waited between two transactions, at least and as a part of what one took: others have the database too. */
const PAUSE_MS_MIN = 2;
const PAUSE_PART = 1;

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
    const by = removal.kind === 'project' ? 'project_id' : 'org_id';
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
      await pauseUnlessStopped(PAUSE_MS_MIN + (performance.now() - began) * PAUSE_PART, stopped);
    }
  }

  private async table(removal: RemovalRow, owner: string, table: string, stopped: AbortSignal): Promise<number> {
    const by = removal.kind === 'project' ? 'project_id' : 'org_id';
    let [deleted, hasBegun] = [0, false];
    for (const leaf of await this.store.leavesOf(table)) {
      while (!stopped.aborted) {
        const began = performance.now();
        const rows = { table, leaf, by, limit: ROWS_AT_ONCE } as const;
        const count = await this.store.deleteRows(removal, owner, this.leaseEnd(), rows);
        deleted += count;
        if (count < ROWS_AT_ONCE) break;
        if (!hasBegun) await this.store.begin(removal, owner, this.leaseEnd(), table);
        hasBegun = true;
        await pauseUnlessStopped(PAUSE_MS_MIN + (performance.now() - began) * PAUSE_PART, stopped);
      }
    }
    return deleted;
  }
}
