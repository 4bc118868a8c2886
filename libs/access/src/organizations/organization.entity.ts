import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A customer: what plan and limits are of, and what administrators administer. */
export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    /** A key of `PLAN_DAYS`. */
    plan: p.text(),
    /** Requests per second; `null`: the service's default. */
    rateLimit: p.integer().nullable(),
    createdAt: p.bigint('number'),
  },
});

export type OrganizationRow = RowOf<typeof OrganizationSchema>;
export const Organization = entityOf(OrganizationSchema);
