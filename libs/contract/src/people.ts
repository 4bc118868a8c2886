import { z } from 'zod';
import { listAnswer } from './lists.js';
import { timestampTextSchema } from './values/timestamp.js';
import { ROLES } from './role-scopes.js';

export const roleSchema = z
  .enum(ROLES)
  .describe('`owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads.');

/** An e-mail address as a key to people: it is compared, and never written to. */
const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(320)
  .refine((text) => /^[^\s@\0]+@[^\s@\0]+$/.test(text), 'must be an e-mail address');

/** `POST /api/orgs/:id/members`. */
export const createMemberSchema = z
  .object({
    email: emailSchema.describe('The address with which the person signs in at the identity provider.'),
    role: roleSchema,
    project_id: z.string().nullish().describe('The one project that it is for; all of the organization when left out.'),
  })
  .meta({ id: 'CreateMember' });
export type CreateMember = z.output<typeof createMemberSchema>;

/** `PATCH /api/orgs/:id/members/:member_id`. */
export const updateMemberSchema = z.object({ role: roleSchema }).meta({ id: 'UpdateMember' });
export type UpdateMember = z.output<typeof updateMemberSchema>;

/** Somebody whom the identity provider knows. */
export const personSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
  })
  .meta({ id: 'Person' });

/** A role that somebody has in an organization, or in one of its projects (docs/spec/people.md#members). */
export const memberSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    project_id: z.string().nullable().describe('`null`: every project of the organization.'),
    role: roleSchema,
    source: z.enum(['added', 'groups']).describe('`groups`: from the groups of the identity provider.'),
    email: z.string().nullable(),
    person: personSchema.nullable().describe('`null` until somebody with this e-mail address has signed in.'),
    provider_status: z
      .enum(['active', 'removed', 'unknown'])
      .describe(
        'What the identity provider said when it was asked last: it confirmed the person, or it did not; `unknown`: it was never asked, or not for a day.',
      ),
    provider_asked_at: timestampTextSchema.nullable().describe('When it was asked last; `null`: never.'),
    created_at: timestampTextSchema,
  })
  .meta({ id: 'Member' });
export type MemberResource = z.output<typeof memberSchema>;
export const memberListSchema = listAnswer('MemberList', 'members', memberSchema);
