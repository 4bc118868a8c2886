import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/** An act that was done, or was refused. Rows are only ever added, each in its chain: one without was put in by somebody else. */
export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.text().primary(),
    at: p.bigint('number'),
    /** The organization that the act was in; `null`: the service itself. */
    orgId: p.text().nullable(),
    actor: p.text(),
    action: p.text(),
    targetId: p.text(),
    /** JSON. */
    details: p.text(),
    actorName: p.text().nullable(),
    targetName: p.text().nullable(),
    projectId: p.text().nullable(),
    address: p.text().nullable(),
    requestId: p.text().nullable(),
    /** The organization's id, or `service`. */
    chain: p.text().nullable(),
    seq: p.bigint('number').nullable(),
    prevHash: p.text().nullable(),
    hash: p.text().nullable(),
  },
  indexes: [
    { name: 'audit_log_org', properties: ['orgId', 'id'] },
    { name: 'audit_log_unchained', properties: ['id'], where: 'chain is null' },
  ],
  uniques: [{ name: 'audit_log_chain', properties: ['chain', 'seq'] }],
});

export type AuditEntryRow = RowOf<typeof AuditEntrySchema>;

/** The newest entry of each chain; locked until the commit of a transaction with entries, so that chains do not fork. */
export const AuditChainSchema = defineEntity({
  name: 'AuditChain',
  tableName: 'audit_chain',
  properties: {
    chain: p.text().primary(),
    seq: p.bigint('number'),
    hash: p.text(),
  },
});

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
