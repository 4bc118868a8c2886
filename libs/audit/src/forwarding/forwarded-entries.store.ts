import { Injectable } from '@nestjs/common';
import { forUpdateSkipLocked, integer, shapeOf, sql, Storage, tableOf, text } from '@spandrel/storage';
import { AuditEntrySchema, type AuditEntryRow } from '../audit-entry.entity.js';

const CHAIN = shapeOf({ chain: text() });
const SEQ = shapeOf({ seq: integer() });
const WAITING = shapeOf({ entries: integer() });
const COLUMNS = tableOf(AuditEntrySchema, ['id']).select('a');

const CHAINS_AT_ONCE = 100;
const ENTRIES_AT_ONCE = 500;

/** Which entries have been written to the log of its own, by whichever server. */
@Injectable()
export class ForwardedEntriesStore {
  constructor(private readonly storage: Storage) {}

  /** Chains behind a name with entries that are not forwarded yet, in order. */
  async waitingChains(after: string): Promise<string[]> {
    const rows = await this.storage.readLong(
      CHAIN.query`select c.chain from audit_chain c left join audit_forwarded t on t.chain = c.chain
        where c.chain > ${after} and c.seq > coalesce(t.seq, 0) order by c.chain limit ${CHAINS_AT_ONCE}`,
    );
    return rows.map(({ chain }) => chain);
  }

  /** Entries that are not forwarded yet. */
  async waiting(): Promise<number> {
    const [row] = await this.storage.readLong(
      WAITING.query`select cast(coalesce(sum(c.seq - coalesce(t.seq, 0)), 0) as bigint) as entries
        from audit_chain c left join audit_forwarded t on t.chain = c.chain`,
    );
    return row!.entries;
  }

  /**
   * Forwards the next entries of a chain and notes that, unless another server is at it. @returns whether there may be more.
   * @param forward may be called again with the same entries, when noting it fails.
   */
  async forwardNext(chain: string, forward: (entries: readonly AuditEntryRow[]) => Promise<void>): Promise<boolean> {
    await this.storage.write((tx) =>
      tx.run(sql`insert into audit_forwarded (chain, seq) values (${chain}, 0) on conflict (chain) do nothing`),
    );
    return this.storage.write(async (tx) => {
      const [forwarded] = await tx.all(
        SEQ.query`select t.seq from audit_forwarded t where t.chain = ${chain} ${forUpdateSkipLocked('t')}`,
      );
      if (!forwarded) return false;
      const entries = await tx.all(
        COLUMNS.query`select ${COLUMNS} from audit_log a
          where a.chain = ${chain} and a.seq > ${forwarded.seq} order by a.seq limit ${ENTRIES_AT_ONCE}`,
      );
      const last = entries.at(-1)?.seq;
      if (last == null) return false;
      await forward(entries);
      await tx.run(sql`update audit_forwarded set seq = ${last} where chain = ${chain}`);
      return entries.length === ENTRIES_AT_ONCE;
    });
  }
}
