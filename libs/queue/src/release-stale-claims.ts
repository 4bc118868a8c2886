import { Injectable } from '@nestjs/common';
import { projectScope, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeQueueItem } from './change-queue-item.js';
import { released } from './queue-item-states.js';
import { StaleClaimStore } from './stale-claim.store.js';

/** Items that one round releases. */
const ITEMS_PER_ROUND = 100;

/** Takes claims back that were made longer ago than `queue.claim_timeout` (docs/spec/queue.md#stale-claims). */
@Injectable()
export class ReleaseStaleClaims {
  constructor(
    private readonly storage: Storage,
    private readonly claims: StaleClaimStore,
    private readonly changes: ChangeQueueItem,
  ) {}

  /**
   * Releases what was claimed up to a time, in rounds. Several instances may do so at once: each item is released, and
   * announced, once.
   * @returns how many were released.
   */
  async execute(claimedThrough: number, signal?: AbortSignal): Promise<number> {
    for (let total = 0; ;) {
      const stale = await this.claims.find(claimedThrough, ITEMS_PER_ROUND);
      let round = 0;
      for (const [projectId, items] of Map.groupBy(stale, (item) => item.projectId)) {
        if (signal?.aborted) return total + round;
        const ids = items.map(({ id }) => id);
        round += await this.releaseSome(projectScope(projectId), ids, claimedThrough);
      }
      total += round;
      if (round === 0) return total;
    }
  }

  private releaseSome(scope: Scope, ids: readonly string[], claimedThrough: number): Promise<number> {
    return this.storage.write(async (tx) => {
      const items = await this.claims.findForWrite(tx, scope, ids, claimedThrough);
      for (const item of items) await this.changes.executeIn(tx, scope, item, released);
      return items.length;
    });
  }
}
