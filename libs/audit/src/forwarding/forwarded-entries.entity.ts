import { defineEntity, p } from '@mikro-orm/core';

/** How far each chain has been written to the log of its own (docs/spec/audit.md#a-log-of-its-own). */
export const AuditForwardedSchema = defineEntity({
  name: 'AuditForwarded',
  tableName: 'audit_forwarded',
  properties: {
    chain: p.text().primary(),
    /** The last entry that was. */
    seq: p.bigint('number'),
  },
});
