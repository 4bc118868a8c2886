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
export class ToldEntriesStore {
  constructor(private readonly storage: Storage) {}

  /** Chains behind a name with entries that nobody has told, in order. */
  async waitingChains(after: string): Promise<string[]> {
    const rows = await this.storage.readLong(
      CHAIN.query`select c.chain from audit_chain c left join audit_told t on t.chain = c.chain
        where c.chain > ${after} and c.seq > coalesce(t.seq, 0) order by c.chain limit ${CHAINS_AT_ONCE}`,
    );
    return rows.map(({ chain }) => chain);
  }

  /** Entries that nobody has told. */
  async waiting(): Promise<number> {
    const [row] = await this.storage.readLong(
      WAITING.query`select cast(coalesce(sum(c.seq - coalesce(t.seq, 0)), 0) as bigint) as entries
        from audit_chain c left join audit_told t on t.chain = c.chain`,
    );
    return row!.entries;
  }

  /**
   * Tells the next entries of a chain, in their order, and notes that it was done. Another server that does so meanwhile has
   * the chain to itself.
   * @param tell may be called again with the same entries, when noting it fails.
   * @returns whether there may be more to tell.
   */
  async tellNext(chain: string, tell: (entries: readonly AuditEntryRow[]) => Promise<void>): Promise<boolean> {
    await this.storage.write((tx) =>
      tx.run(sql`insert into audit_told (chain, seq) values (${chain}, 0) on conflict (chain) do nothing`),
    );
    return this.storage.write(async (tx) => {
      const [told] = await tx.all(
        SEQ.query`select t.seq from audit_told t where t.chain = ${chain} ${forUpdateSkipLocked('t')}`,
      );
      if (!told) return false;
      const entries = await tx.all(
        COLUMNS.query`select ${COLUMNS} from audit_log a
          where a.chain = ${chain} and a.seq > ${told.seq} order by a.seq limit ${ENTRIES_AT_ONCE}`,
      );
      const last = entries.at(-1)?.seq;
      if (last == null) return false;
      await tell(entries);
      await tx.run(sql`update audit_told set seq = ${last} where chain = ${chain}`);
      return entries.length === ENTRIES_AT_ONCE;
    });
  }
}
