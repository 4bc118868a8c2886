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

/** A project of an organization: everything recorded is of one. */
export const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'project',
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    name: p.text(),
    /** Days that traces are kept, within those of the organization; `null`: as long as the organization keeps them. */
    retentionDays: p.integer().nullable(),
    /** 1: what would delete much at once is refused. */
    protected: p.smallint().default(0),
    /** Requests per second; `null`: the service's default. */
    rateLimit: p.integer().nullable(),
    /** Since when it is being deleted; `null`: it is not. */
    deletingAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
  },
  indexes: [{ name: 'project_org', properties: ['orgId', 'id'] }],
});

export type ProjectRow = RowOf<typeof ProjectSchema>;
export const Project = entityOf(ProjectSchema);
