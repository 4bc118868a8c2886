import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** An administrative action that was done. Rows are only ever added. */
export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.text().primary(),
    at: p.bigint('number'),
    /** Organization of what was administered. */
    orgId: p.text().nullable(),
    actor: p.text(),
    action: p.text(),
    targetId: p.text(),
    /** JSON. */
    details: p.text(),
  },
  indexes: [{ name: 'audit_log_org', properties: ['orgId', 'id'] }],
});

export type AuditEntryRow = RowOf<typeof AuditEntrySchema>;
export const AuditEntry = entityOf(AuditEntrySchema);
