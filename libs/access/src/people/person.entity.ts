import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** Somebody whom an identity provider knows. */
export const PersonSchema = defineEntity({
  name: 'Person',
  tableName: 'person',
  properties: {
    id: p.text().primary(),
    /** The provider's issuer, and what it calls the person: together they name one person for ever. */
    issuer: p.text(),
    subject: p.text(),
    email: p.text().nullable(),
    name: p.text().nullable(),
    projectId: p.text().nullable(),
    createdAt: p.bigint('number'),
    signedInAt: p.bigint('number'),
    /** Since when it does not confirm the person any more; `null`: it did when it was asked last. */
    refusedAt: p.bigint('number').nullable(),
  },
  uniques: [{ name: 'person_subject', properties: ['issuer', 'subject'] }],
});

export type PersonRow = RowOf<typeof PersonSchema>;
export const Person = entityOf(PersonSchema);

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
