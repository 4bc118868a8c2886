import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A customer: what plan and limits are of, and what administrators administer. */
export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    /** One of `PLANS`. */
    plan: p.text(),
    /** Requests per second; `null`: the service's default. */
    rateLimit: p.integer().nullable(),
    /** Days that traces are kept whatever the plan says; 0: for ever; `null`: as the plan says. */
    retentionDays: p.integer().nullable(),
    /** Since when it is being deleted; `null`: it is not. */
    deletingAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
  },
});

export type OrganizationRow = RowOf<typeof OrganizationSchema>;
export const Organization = entityOf(OrganizationSchema);
