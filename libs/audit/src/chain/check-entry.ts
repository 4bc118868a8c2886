import type { AuditEntryRow } from '../audit-entry.entity.js';
import { chainOf, hashOf } from './audit-chain.store.js';

/** The newest entry that a walk along a chain has come to. */
export interface Reached {
  seq: number;
  hash: string;
}

/** A place where a chain is broken. */
export interface ChainFault {
  /** The number of the entry at fault, or of the first that is missing. */
  seq: number | null;
  /** Id of the entry at fault; absent where that is missing. */
  id?: string;
  /**
   * `missing`: entries are gone. `changed`: the entry is not as it was written. `displaced`: the entry is one, but does not
   * follow the one before it: it was put in, put elsewhere, or the one before was replaced. `unchained`: it is in no chain.
   * `rewritten`: the entry is another one than was noted elsewhere.
   */
  kind: 'missing' | 'changed' | 'displaced' | 'unchained' | 'rewritten';
  /** What is wrong, for people. */
  message: string;
}

/** Compares an entry with its hash and with the entry before it. @returns what is wrong; nothing when all is well. */
export function checkEntry(chain: string, entry: AuditEntryRow, before: Reached): ChainFault[] {
  const seq = entry.seq!;
  const at = { seq, id: entry.id };
  const faults: ChainFault[] = [];
  if (seq > before.seq + 1) faults.push(missing(before.seq + 1, seq - 1));
  const { prevHash, hash } = entry;
  const isWhole =
    prevHash !== null && chainOf(entry.orgId) === chain && hash === hashOf({ ...entry, chain, seq, prevHash });
  if (!isWhole) faults.push({ ...at, kind: 'changed', message: `entry ${seq} is not as it was written` });
  else if (seq === before.seq + 1 && prevHash !== before.hash) {
    faults.push({ ...at, kind: 'displaced', message: `entry ${seq} does not follow the entry before it` });
  }
  return faults;
}

/** Entries that are not there. */
export const missing = (first: number, last: number): ChainFault => ({
  seq: first,
  kind: 'missing',
  message: first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`,
});
