import { hash } from 'node:crypto';
import { auditHashText, CHAIN_BEGINNING, SERVICE_CHAIN } from '@spandrel/contract';
import { integer, shapeOf, sql, tableOf, text, allSettledOrThrow, type WriteTx } from '@spandrel/storage';
import { AuditEntrySchema, type AuditEntryRow } from '../audit-entry.entity.js';

/** An entry without its place in the chain. */
export type UnchainedEntry = Omit<AuditEntryRow, 'chain' | 'seq' | 'prevHash' | 'hash'>;

type ChainedEntry = UnchainedEntry & { chain: string; seq: number; prevHash: string; hash: string };

const HEAD = shapeOf({ seq: integer(), hash: text() });
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

/**
 * Writes entries as the newest of a chain. The chain is locked from here to the end of the transaction, so this comes last
 * in it, chain after chain in the order of their names.
 */
export async function appendToChain(tx: WriteTx, chain: string, entries: readonly UnchainedEntry[]): Promise<void> {
  const count = entries.length;
  const [head] = await tx.all(
    HEAD.query`insert into audit_chain (chain, seq, hash) values (${chain}, ${count}, ${CHAIN_BEGINNING})
      on conflict (chain) do update set seq = audit_chain.seq + excluded.seq returning seq, hash`,
  );
  const chained = link(chain, { seq: head!.seq - count, hash: head!.hash }, entries);
  const newest = chained.at(-1)!.hash;
  await allSettledOrThrow(
    tx.insert(ENTRIES, chained),
    tx.run(sql`update audit_chain set hash = ${newest} where chain = ${chain}`),
  );
}
