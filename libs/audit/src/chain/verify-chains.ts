import { Injectable } from '@nestjs/common';
import { CHAIN_BEGINNING } from '@spandrel/contract';
import { ChainWalkStore, type ChainHead, chainOf, hashOf } from './chain-walk.store.js';
import type { AuditEntryRow } from '../audit-entry.entity.js';

interface Reached {
  seq: number;
  hash: string;
}

interface ChainFault {
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
  message: string;
}

/** Compares an entry with its hash and with the entry before it. @returns what is wrong; nothing when all is well. */
function checkEntry(chain: string, entry: AuditEntryRow, before: Reached): ChainFault[] {
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

const missing = (first: number, last: number): ChainFault => ({
  seq: first,
  kind: 'missing',
  message: first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`,
});

const SLICE = 1_000;
const FAULTS_MAX = 100;

export interface CheckedChain {
  /** An organization's id, or `service`. */
  chain: string;
  entries: number;
  /** The newest entry; `null` in an empty chain. */
  head: { seq: number; hash: string } | null;
  /** Where it is broken: {@link FAULTS_MAX} of them at most. */
  faults: ChainFault[];
}

/** Says where chains of the audit log are broken (docs/spec/audit.md#checking-a-chain). */
@Injectable()
export class VerifyChains {
  constructor(private readonly store: ChainWalkStore) {}

  /**
   * Checks each entry of chain after chain; others write meanwhile. @param only this chain alone.
   * @param noted heads that were noted outside of the database: their entries must still be there.
   */
  async *execute(only?: string, noted: readonly ChainHead[] = []): AsyncGenerator<CheckedChain> {
    const names = new Set([
      ...(await this.store.heads()).map(({ chain }) => chain),
      ...(await this.store.chains()),
      ...noted.map(({ chain }) => chain),
    ]);
    for (const chain of [...names].toSorted()) {
      if (only !== undefined && only !== chain) continue;
      const ofChain = noted.filter((head) => head.chain === chain);
      yield await this.check(chain, ofChain);
    }
    if (only === undefined) yield* this.outside();
  }

  private async check(chain: string, noted: readonly ChainHead[]): Promise<CheckedChain> {
    const faults: ChainFault[] = [];
    const found = new Set<ChainHead>();
    let reached: Reached = { seq: 0, hash: CHAIN_BEGINNING };
    let entries = 0;
    for (;;) {
      const slice = await this.store.entries(chain, reached.seq, SLICE);
      for (const entry of slice) {
        faults.push(...checkEntry(chain, entry, reached));
        reached = { seq: entry.seq!, hash: entry.hash ?? '' };
        for (const head of noted) {
          if (head.seq !== reached.seq) continue;
          found.add(head);
          if (head.hash !== reached.hash) faults.push(rewritten(reached.seq, entry.id));
        }
      }
      entries += slice.length;
      if (slice.length > 0) continue;
      const head = await this.store.headOf(chain);
      // Entries may have come since the last slice was read: those that a head names are there to be read now.
      const rest = await this.store.entries(chain, reached.seq, 1);
      if (rest.length > 0) continue;
      faults.push(...headFaults(reached, head));
      break;
    }
    for (const { seq } of noted.filter((head) => !found.has(head))) {
      if (!faults.some((fault) => fault.kind === 'missing' && fault.seq! <= seq)) faults.push(missing(seq, seq));
    }
    for (const { id } of await this.store.unnumbered(chain, FAULTS_MAX)) faults.push(outsideOfChain(id));
    const head = reached.seq === 0 ? null : { seq: reached.seq, hash: reached.hash };
    return { chain, entries, head, faults: faults.slice(0, FAULTS_MAX) };
  }

  private async *outside(): AsyncGenerator<CheckedChain> {
    const entries = await this.store.unchained(FAULTS_MAX);
    if (entries.length === 0) return;
    yield { chain: 'none', entries: entries.length, head: null, faults: entries.map(({ id }) => outsideOfChain(id)) };
  }
}

function headFaults(reached: Reached, head: ChainHead | undefined): ChainFault[] {
  const seq = head?.seq ?? 0;
  if (seq > reached.seq) return [missing(reached.seq + 1, seq)];
  if (seq < reached.seq || head?.hash !== reached.hash) {
    if (reached.seq === 0) return [];
    const message = `entry ${reached.seq} is not the one that the chain was noted to end with`;
    return [{ seq: reached.seq, kind: 'displaced', message }];
  }
  return [];
}

const rewritten = (seq: number, id: string): ChainFault => ({
  ...{ seq, id, kind: 'rewritten' },
  message: `entry ${seq} is another one than was noted: the chain was rewritten`,
});

const outsideOfChain = (id: string): ChainFault => ({
  ...{ seq: null, id, kind: 'unchained' },
  message: `entry ${id} is in no chain: no server wrote it`,
});
