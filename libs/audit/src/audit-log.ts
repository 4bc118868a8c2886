import { Injectable } from '@nestjs/common';
import { formatTimestamp, type AuditEntry, type ListAccess } from '@spandrel/contract';
import { objectFromJsonText, type Page } from '@spandrel/storage';
import type { AuditEntryRow } from './audit-entry.entity.js';
import { AuditLogStore } from './audit-log.store.js';

/** The audit log as it is read (docs/spec/audit.md). */
@Injectable()
export class AuditLog {
  constructor(private readonly store: AuditLogStore) {}

  /**
   * What was done, newest first.
   * @param orgId the organization it was done in; `null`: all, and the service itself.
   * @throws Invalid `invalid_cursor`.
   */
  async list(orgId: string | null, query: ListAccess): Promise<Page<AuditEntry>> {
    const { items, nextCursor } = await this.store.list(orgId, query);
    return { items: items.map(auditEntry), nextCursor };
  }
}

const auditEntry = (row: AuditEntryRow): AuditEntry => ({
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
