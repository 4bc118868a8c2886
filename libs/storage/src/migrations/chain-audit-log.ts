import { hash } from 'node:crypto';
import type { Migration } from '@mikro-orm/migrations';
import { auditHashText, CHAIN_BEGINNING, SERVICE_CHAIN } from '@spandrel/contract';

/** Entries that are read and written at once. */
const AT_ONCE = 500;

interface OldEntry {
  id: string;
  at: number;
  org_id: string | null;
  actor: string;
  action: string;
  target_id: string;
  details: string;
}

/**
 * Takes the entries that the audit log has already into the chains of their organizations, in the order in which they were
 * made, as if they had been written into them (docs/spec/audit.md#the-chain).
 */
export async function chainAuditLog(migration: Pick<Migration, 'execute'>): Promise<void> {
  const heads = new Map<string, { seq: number; hash: string }>();
  for (let after = ''; ;) {
    const entries = (await migration.execute(
      `select id, at, org_id, actor, action, target_id, details from audit_log
        where id > ? and chain is null order by id limit ${AT_ONCE}`,
      [after],
    )) as unknown as OldEntry[];
    if (entries.length === 0) break;
    const rows = entries.map((entry) => linkedTo(heads, entry));
    await migration.execute(
      `update audit_log set chain = c.chain, seq = c.seq, prev_hash = c.prev_hash, hash = c.hash from (${rows
        .map(
          () =>
            'select cast(? as text) as id, cast(? as text) as chain, cast(? as bigint) as seq, cast(? as text) as prev_hash, cast(? as text) as hash',
        )
        .join(' union all ')}) c where c.id = audit_log.id`,
      rows.flat(),
    );
    after = entries.at(-1)!.id;
  }
  for (const [chain, { seq, hash: head }] of heads) {
    await migration.execute('insert into audit_chain (chain, seq, hash) values (?, ?, ?)', [chain, seq, head]);
  }
}

/** What the row of an entry gets: id, chain, number, hash of the one before, hash. */
function linkedTo(heads: Map<string, { seq: number; hash: string }>, entry: OldEntry): (string | number)[] {
  const chain = entry.org_id ?? SERVICE_CHAIN;
  const { seq: last, hash: prevHash } = heads.get(chain) ?? { seq: 0, hash: CHAIN_BEGINNING };
  const seq = last + 1;
  const { id, actor, action, target_id: targetId, details } = entry;
  const nothing = { actorName: null, targetName: null, projectId: null, address: null, requestId: null };
  const at = Number(entry.at);
  const text = auditHashText({ chain, seq, prevHash, id, at, actor, action, targetId, details, ...nothing });
  const linked = { seq, hash: hash('sha256', text) };
  heads.set(chain, linked);
  return [id, chain, seq, prevHash, linked.hash];
}
