/** What the hash of an entry covers: all of it. */
export interface HashedEntry {
  chain: string;
  /** Number of the entry in its chain, from 1 on. */
  seq: number;
  /** Hash of the entry before it; {@link CHAIN_BEGINNING} for the first one. */
  prevHash: string;
  id: string;
  at: number;
  actor: string;
  actorName: string | null;
  action: string;
  targetId: string;
  targetName: string | null;
  projectId: string | null;
  address: string | null;
  requestId: string | null;
  details: string;
}

/** The chain of entries that belong to no organization. */
export const SERVICE_CHAIN = 'service';

/** What the first entry of a chain has as the hash of the one before it. */
export const CHAIN_BEGINNING = '0'.repeat(64);

/** The text whose SHA-256 is the hash of an entry (docs/spec/audit.md#the-chain): JSON that begins with a name. */
export function auditHashText(entry: HashedEntry): string {
  const { chain, seq, prevHash, id, at, actor, actorName, action, targetId, targetName, projectId } = entry;
  const { address, requestId, details } = entry;
  const members = [chain, seq, prevHash, id, at, actor, actorName, action, targetId, targetName, projectId];
  return `${JSON.stringify(['spandrel-audit-1', ...members, address, requestId]).slice(0, -1)},${details}]`;
}
