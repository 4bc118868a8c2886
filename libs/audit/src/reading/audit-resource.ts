import { formatTimestamp, type AuditEntry } from '@spandrel/contract';
import { objectFromJsonText } from '@spandrel/storage';
import type { AuditEntryRow } from '../audit-entry.entity.js';

/** An entry as the wire has it. */
export const auditResource = (row: AuditEntryRow): AuditEntry => ({
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
