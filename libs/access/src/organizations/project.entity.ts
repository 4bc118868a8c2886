import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

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
