import { Injectable } from '@nestjs/common';
import { forUpdateSkipLocked, Storage, tableOf, type WriteTx } from '@spandrel/storage';
import { AuditEntrySchema } from '../audit-entry.entity.js';
import { chainOf, lockAndLink, moveHead } from './audit-chain.store.js';

const ENTRIES = tableOf(AuditEntrySchema, ['id']);
const COLUMNS = ENTRIES.select('a');
const AT_ONCE = 500;

/**
 * Takes entries into their chains that are in none: servers of earlier versions, which run on for a while when others are
 * begun, write such ones. Those that there were before are in the chains by the migration that made these.
 */
@Injectable()
export class AdoptEntriesStore {
  constructor(private readonly storage: Storage) {}

  /** @returns how many there were. */
  async execute(): Promise<number> {
    let adopted = 0;
    for (;;) {
      const some = await this.storage.write((tx) => this.adoptSome(tx));
      adopted += some;
      if (some < AT_ONCE) return adopted;
    }
  }

  private async adoptSome(tx: WriteTx): Promise<number> {
    const entries = await tx.all(
      COLUMNS.query`select ${COLUMNS} from audit_log a where a.chain is null order by a.id
        limit ${AT_ONCE} ${forUpdateSkipLocked('a')}`,
    );
    const chains = Map.groupBy(entries, ({ orgId }) => chainOf(orgId));
    for (const [chain, ofChain] of [...chains].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const { head, chained } = await lockAndLink(tx, chain, ofChain);
      await tx.update(ENTRIES, chained, ['chain', 'seq', 'prevHash', 'hash']);
      await moveHead(tx, chain, head);
    }
    return entries.length;
  }
}
