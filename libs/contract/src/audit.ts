import { z } from 'zod';
import { AUDIT_ACTIONS } from './audit-actions.js';
import { listAnswer, PAGE_LIMIT_MAX, repeatable, paging } from './lists.js';
import { jsonMapSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';

/** An entry of the audit log (`GET /api/audit-log`). */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    at: timestampTextSchema,
    org_id: z.string().nullable().describe("`null`: the service's own."),
    project_id: z.string().nullable(),
    actor: z.string().describe('`key:<id>`, `jwt:<sub>`, `admin`, `cli`, `service`, or `nobody` without a credential.'),
    actor_name: z.string().nullable().describe('What the actor was called then, such as the name of the key.'),
    address: z.string().nullable().describe('Address of the client; `null` outside requests.'),
    request_id: z.string().nullable().describe('`X-Request-Id` of the request; `null` outside requests.'),
    action: z.string().describe('What was done, such as `key.created`.'),
    target_id: z.string(),
    target_name: z.string().nullable().describe('What the target was called then.'),
    details: jsonMapSchema,
    seq: z.number().int().nullable().describe('Number in the chain of its organization, from 1 on, without a gap.'),
    prev_hash: z.string().nullable().describe('`hash` of the entry before it in the chain.'),
    hash: z
      .string()
      .nullable()
      .describe('SHA-256 of all of the entry; `null` for one that is about to join its chain.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntrySchema>;
export const auditLogSchema = listAnswer('AuditLog', 'entries', auditEntrySchema);

export const auditFilterSchema = z.object({
  actor: z.string().max(1_024).optional().describe('Who did it, as `actor` shows it.'),
  action: repeatable(z.enum(AUDIT_ACTIONS).meta({ id: 'AuditAction' }))
    .optional()
    .describe('What was done. May be repeated: any of these.'),
  target: z.string().max(1_024).optional().describe('What it was done to: a `target_id`.'),
  since: timestampSchema.optional().describe('Entries written then or later.'),
  until: timestampSchema.optional().describe('Entries written before.'),
});
export type AuditFilter = z.output<typeof auditFilterSchema>;

/** Query of `GET /api/audit-log`. */
export const listAuditSchema = z.object({
  ...auditFilterSchema.shape,
  ...paging(PAGE_LIMIT_MAX),
});
export type ListAudit = z.output<typeof listAuditSchema>;
