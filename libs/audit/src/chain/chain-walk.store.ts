import { Injectable } from '@nestjs/common';
import {
  integer,
  nullable,
  shapeOf,
  Storage,
  tableOf,
  text,
  sql,
  allSettledOrThrow,
  type WriteTx,
} from '@spandrel/storage';
import { AuditEntrySchema, type AuditEntryRow } from '../audit-entry.entity.js';
import { hash } from 'node:crypto';
import { auditHashText, CHAIN_BEGINNING, SERVICE_CHAIN } from '@spandrel/contract';

/** An entry without its place in the chain. */
export type UnchainedEntry = Omit<AuditEntryRow, 'chain' | 'seq' | 'prevHash' | 'hash'>;

type ChainedEntry = UnchainedEntry & { chain: string; seq: number; prevHash: string; hash: string };

const HEAD = shapeOf({ chain: text(), seq: integer(), hash: text() });
const ENTRIES = tableOf(AuditEntrySchema, ['id']);

export const chainOf = (orgId: string | null): string => orgId ?? SERVICE_CHAIN;

/** The hash of an entry in its chain: SHA-256 in hexadecimal digits. */
export const hashOf = (entry: Omit<ChainedEntry, 'hash'>): string => hash('sha256', auditHashText(entry));

function link(chain: string, head: { seq: number; hash: string }, entries: readonly UnchainedEntry[]): ChainedEntry[] {
  let { seq, hash: prevHash } = head;
  return entries.map((entry) => {
    const linked = { ...entry, chain, seq: ++seq, prevHash };
    return { ...linked, hash: (prevHash = hashOf(linked)) };
  });
}

/** Writes entries as the newest of a chain, which is locked from then on: last in a transaction, in the order of the names. */
export async function appendToChain(tx: WriteTx, chain: string, entries: readonly UnchainedEntry[]): Promise<void> {
  const count = entries.length;
  const [head] = await tx.all(
    HEAD.query`insert into audit_chain (chain, seq, hash) values (${chain}, ${count}, ${CHAIN_BEGINNING})
      on conflict (chain) do update set seq = audit_chain.seq + excluded.seq returning chain, seq, hash`,
  );
  const chained = link(chain, { seq: head!.seq - count, hash: head!.hash }, entries);
  const newest = chained.at(-1)!.hash;
  await allSettledOrThrow(
    tx.insert(ENTRIES, chained),
    tx.run(sql`update audit_chain set hash = ${newest} where chain = ${chain}`),
  );
}

const COLUMNS = ENTRIES.select('a');
const CHAIN = shapeOf({ chain: text() });
const UNCHAINED = shapeOf({ id: text(), orgId: nullable(text()) });

/** The newest entry of a chain, as the chain itself says. */
export interface ChainHead {
  chain: string;
  seq: number;
  hash: string;
}

/** Reads chains from their first entries on. */
@Injectable()
export class ChainWalkStore {
  constructor(private readonly storage: Storage) {}

  /** The newest entry of every chain, in the order of the chains' names. */
  heads(): Promise<ChainHead[]> {
    return this.storage.readLong(HEAD.query`select chain, seq, hash from audit_chain order by chain`);
  }

  async headOf(chain: string): Promise<ChainHead | undefined> {
    const [head] = await this.storage.readLong(
      HEAD.query`select chain, seq, hash from audit_chain where chain = ${chain}`,
    );
    return head;
  }

  /** The names of the chains that entries say they are in, in order. */
  async chains(): Promise<string[]> {
    const names: string[] = [];
    for (let after = ''; ;) {
      const [next] = await this.storage.readLong(
        CHAIN.query`select chain from audit_log where chain > ${after} order by chain limit 1`,
      );
      if (!next) return names;
      names.push((after = next.chain));
    }
  }

  /** Entries of a chain behind a number, in their order. */
  entries(chain: string, afterSeq: number, count: number): Promise<AuditEntryRow[]> {
    return this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from audit_log a
        where a.chain = ${chain} and a.seq > ${afterSeq} order by a.seq limit ${count}`,
      { patient: true },
    );
  }

  /** Entries that are in no chain, oldest first. */
  unchained(count: number): Promise<{ id: string; orgId: string | null }[]> {
    return this.storage.readLong(
      UNCHAINED.query`select id, org_id as "orgId" from audit_log where chain is null order by id limit ${count}`,
    );
  }

  /** Entries that say they are in a chain and have no number in it. */
  unnumbered(chain: string, count: number): Promise<{ id: string; orgId: string | null }[]> {
    return this.storage.readLong(
      UNCHAINED.query`select id, org_id as "orgId" from audit_log
        where chain = ${chain} and seq is null order by id limit ${count}`,
    );
  }
}
