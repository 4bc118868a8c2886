import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/** The removal of a project or an organization: under way, or done not long ago. It holds ids and counts alone. */
export const RemovalSchema = defineEntity({
  name: 'Removal',
  tableName: 'removal',
  properties: {
    id: p.text().primary(),
    /** `project` or `org`. */
    kind: p.text(),
    orgId: p.text(),
    name: p.text(),
    requestedAt: p.bigint('number'),
    /** The actor of the audit log that asked for it. */
    requestedBy: p.text(),
    /** What goes at the moment: a table, or what a feature keeps elsewhere; `null` before it has begun. */
    step: p.text().nullable(),
    rowsDeleted: p.bigint('number'),
    /** JSON: rows by table. */
    counts: p.text(),
    /** The server that is at it, until its lease ends. */
    leaseOwner: p.text().nullable(),
    leaseUntil: p.bigint('number'),
    /** When nothing was left; `null`: under way. It is looked at again for a while, for what came too late. */
    finishedAt: p.bigint('number').nullable(),
    /** When something last went, or a whole look ended without an error. */
    progressedAt: p.bigint('number'),
    failures: p.integer(),
    /** What failed last, in words that may be shown to an administrator of the organization; `null` once it goes on. */
    lastError: p.text().nullable(),
  },
  indexes: [{ name: 'removal_org', properties: ['orgId'] }],
});

export type RemovalRow = RowOf<typeof RemovalSchema>;
