import { Injectable } from '@nestjs/common';
import { formatTimestamp, type AuditEntry, type ListAccess } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { objectFromJsonText, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from '../organizations/actor.js';
import type { AuditEntryRow } from './audit-entry.entity.js';
import { AuditLogStore } from './audit-log.store.js';
import { mapPage } from '../pages.js';

/** What was done, as the log has it. */
export interface AuditedAction {
  action: `org.${'created' | 'updated'}` | 'project.created' | `${'key' | 'session'}.${'created' | 'deleted'}`;
  orgId: string;
  targetId: string;
  /** What was changed; holds no secret. */
  details: Record<string, unknown>;
}

/** Keeps who administered what (docs/spec/access.md#the-audit-log). */
@Injectable()
export class AuditLog {
  constructor(private readonly store: AuditLogStore) {}

  /** Writes an action down in the transaction that does it: the one is not without the other. */
  record(tx: WriteTx, actor: Actor, { action, orgId, targetId, details }: AuditedAction): void {
    const at = Date.now();
    this.store.insert(tx, {
      id: newId(),
      at,
      orgId,
      actor: actor.name,
      action,
      targetId,
      details: JSON.stringify(details),
    });
  }

  /**
   * What was done in the actor's organization, in all for the operator; newest first. @throws Invalid `invalid_cursor`.
   */
  async list(actor: Actor, query: ListAccess): Promise<Page<AuditEntry>> {
    return mapPage(await this.store.list(actor, query), auditEntry);
  }
}

const auditEntry = ({ id, at, orgId, actor, action, targetId, details }: AuditEntryRow): AuditEntry => ({
  id,
  at: formatTimestamp(at),
  org_id: orgId,
  actor,
  action,
  target_id: targetId,
  details: objectFromJsonText(details),
});
