import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A role that somebody has in an organization, or in one project of it. */
export const MemberSchema = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    /** `null`: every project of the organization. */
    projectId: p.text().nullable(),
    /** One of `ROLES`. */
    role: p.text(),
    /** `added` by somebody, or `groups`: kept equal to the groups of the identity provider. */
    source: p.text(),
    /** In small letters; `null` for a person without one. */
    email: p.text().nullable(),
    /** `null` until somebody with this e-mail address signs in. */
    personId: p.text().nullable(),
    createdAt: p.bigint('number'),
  },
  indexes: [
    { name: 'member_org', properties: ['orgId', 'id'] },
    { name: 'member_person', properties: ['personId', 'orgId'] },
    { name: 'member_email', properties: ['email'], where: 'person_id is null' },
  ],
});

export type MemberRow = RowOf<typeof MemberSchema>;
export const Member = entityOf(MemberSchema);
