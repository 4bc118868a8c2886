import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { formatTimestamp, type AuditFilter } from '@spandrel/contract';
import { streamSlices } from '@spandrel/http';
import { Storage } from '@spandrel/storage';
import { AuditTrail } from '../trail/audit-trail.js';
import { AuditLogStore } from './audit-log.store.js';
import { auditLine } from './audit-log.js';

const SLICE = 500;

/** The audit log as a file, an entry a line, oldest first (docs/spec/audit.md#routes). */
@Injectable()
export class ExportAuditLog {
  constructor(
    private readonly store: AuditLogStore,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The export is an entry itself, which is written before anything is sent.
   * @param orgId the organization whose entries are wanted; `null`: all, and the service's own.
   * @throws what reading the first slice throws.
   */
  async execute(orgId: string | null, filter: AuditFilter): Promise<Readable> {
    const content = await streamSlices(this.slices(orgId, filter), { head: '', between: '', tail: () => '' });
    const { since, until, ...others } = filter;
    const details = {
      ...others,
      ...(since !== undefined && { since: formatTimestamp(since) }),
      ...(until !== undefined && { until: formatTimestamp(until) }),
    };
    const targetId = orgId ?? 'all';
    await this.audit.recordAlone(this.storage, { action: 'audit_log.exported', orgId, targetId, details });
    return content;
  }

  private async *slices(orgId: string | null, filter: AuditFilter): AsyncGenerator<string, void> {
    for (let afterId = ''; ;) {
      const rows = await this.store.after(orgId, filter, afterId, SLICE);
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(auditLine).join('');
      // A look behind the newest entry would find that of this export.
      if (rows.length < SLICE) return;
      afterId = last.id;
    }
  }
}
