import { Injectable } from '@nestjs/common';
import type { AuditEntry, ListAudit } from '@spandrel/contract';
import type { Page } from '@spandrel/storage';
import { AuditLogStore } from './audit-log.store.js';
import { auditResource } from './audit-resource.js';

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
