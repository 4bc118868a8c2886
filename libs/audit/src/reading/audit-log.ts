import { Injectable } from '@nestjs/common';
import { type AuditEntry, type ListAudit, formatTimestamp } from '@spandrel/contract';
import { type Page, objectFromJsonText } from '@spandrel/storage';
import { AuditLogStore } from './audit-log.store.js';
import type { AuditEntryRow } from '../audit-entry.entity.js';

/** An entry as the wire has it. */
const auditResource = (row: AuditEntryRow): AuditEntry => ({
  id: row.id,
  at: formatTimestamp(row.at),
  org_id: row.orgId,
  project_id: row.projectId,
  actor: row.actor,
  actor_name: row.actorName,
  address: row.address,
  request_id: row.requestId,
  action: row.action,
  target_id: row.targetId,
  target_name: row.targetName,
  details: objectFromJsonText(row.details),
  seq: row.seq,
  prev_hash: row.prevHash,
  hash: row.hash,
});

/** An entry as a line of a file. */
export const auditLine = (row: AuditEntryRow): string => `${JSON.stringify(auditResource(row))}\n`;

/** The audit log as it is read (docs/spec/audit.md#routes). */
@Injectable()
export class AuditLog {
  constructor(private readonly store: AuditLogStore) {}

  /**
   * What was done, newest first.
   * @param orgId the organization it was done in; `null`: all, and the service itself.
   * @throws Invalid `invalid_cursor`.
   */
  async list(orgId: string | null, query: ListAudit): Promise<Page<AuditEntry>> {
    const { items, nextCursor } = await this.store.list(orgId, query);
    return { items: items.map(auditResource), nextCursor };
  }
}
