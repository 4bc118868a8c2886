import { z } from 'zod';
import { listAnswer, PAGE_LIMIT_MAX, paging } from './lists.js';
import { PERMISSIONS } from './role-scopes.js';
import { labelSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';

export const permissionSchema = z
  .enum(PERMISSIONS)
  .describe(
    '`read`; `write`, which includes `ingest` and `review`; `ingest`: create and finish traces and spans; `review`: claim, release and submit items of the queue; `admin`; `feedback`: send scores of end users, and nothing else.',
  );

/** What an organization has agreed to: how long its traces and spans are kept (docs/spec/limits.md#retention). */
export const PLANS = ['starter', 'team', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Days that traces and spans may be kept at most, where they are not kept for ever. */
export const RETENTION_DAYS_MAX = 36_500;

/** How far a deletion is (docs/spec/projects.md#deleting-a-project). */
export const removalSchema = z
  .object({
    requested_at: timestampTextSchema,
    rows_deleted: z.number().int().describe('Rows of tables that were deleted so far.'),
    step: z.string().nullable().describe('What is being deleted: a table, or what a feature keeps elsewhere.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why it does not go on at the moment; it is tried again every ten seconds. `null` while it goes on.'),
  })
  .meta({ id: 'Removal' });
export type RemovalResource = z.output<typeof removalSchema>;
const stateSchema = z.enum(['active', 'deleting']).describe('`deleting`: out of reach; it goes with all that it has.');

const planSchema = z
  .enum(PLANS)
  .describe(
    'How long traces and spans are kept: starter 7, team 30, enterprise 90 days unless the settings say otherwise.',
  );
const daysSchema = z.number().int().min(1).max(RETENTION_DAYS_MAX);

const rateLimitSchema = z.number().int().min(1).max(1_000_000).describe('Requests per second.');

/** `POST /api/orgs`. */
export const createOrganizationSchema = z
  .object({
    name: labelSchema,
    plan: planSchema.default('starter'),
    rate_limit: rateLimitSchema.nullish().describe("Requests per second; the service's default when left out."),
  })
  .meta({ id: 'CreateOrganization' });
export type CreateOrganization = z.output<typeof createOrganizationSchema>;

/** `PATCH /api/orgs/:id`: only members given change. */
export const updateOrganizationSchema = z
  .object({
    name: labelSchema.optional(),
    plan: planSchema.optional(),
    rate_limit: rateLimitSchema.nullish().describe("`null` takes the service's default."),
    retention_days: z
      .union([daysSchema, z.literal('plan')])
      .nullish()
      .describe(
        'Days that traces and spans are kept whatever the plan says; `null`: for ever; `plan`: as the plan says.',
      ),
  })
  .meta({
    id: 'UpdateOrganization',
    description: 'Only members given change. Plan, limit and retention are for the operator.',
  });
export type UpdateOrganization = z.output<typeof updateOrganizationSchema>;

export const organizationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: planSchema,
    rate_limit: rateLimitSchema,
    retention_days: daysSchema.nullable().describe('Days that traces and spans are kept; `null`: for ever.'),
    retention_by: z
      .enum(['plan', 'organization'])
      .describe('What decides `retention_days`: the plan, or days that the operator gave this organization.'),
    state: stateSchema,
    removal: removalSchema.nullable(),
    created_at: timestampTextSchema,
  })
  .meta({ id: 'Organization' });
export type OrganizationResource = z.output<typeof organizationSchema>;
export const organizationListSchema = listAnswer('OrganizationList', 'orgs', organizationSchema);

const ownRateLimitSchema = rateLimitSchema
  .nullish()
  .describe("Requests per second; the service's default when left out or `null`.");
const effectiveRateLimitSchema = rateLimitSchema
  .nullable()
  .describe('Requests per second; `null`: no limit of its own.');

const projectDaysSchema = daysSchema
  .nullable()
  .describe('Days that traces and spans are kept; `null`: as long as the organization keeps them, which is the most.');
const protectedSchema = z
  .boolean()
  .describe('Whether the deletion of all traces, of datasets and of the project itself is refused.');

/** `POST /api/orgs/:id/projects`. */
export const createProjectSchema = z
  .object({
    name: labelSchema,
    retention_days: projectDaysSchema.default(null),
    protected: protectedSchema.default(false),
    rate_limit: ownRateLimitSchema,
  })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.output<typeof createProjectSchema>;

/** `PATCH /api/projects/:id`: only members given change. */
export const updateProjectSchema = z
  .object({
    name: labelSchema.optional(),
    retention_days: projectDaysSchema.optional(),
    protected: protectedSchema.optional(),
    rate_limit: ownRateLimitSchema,
  })
  .meta({ id: 'UpdateProject', description: 'Only members given change.' });
export type UpdateProject = z.output<typeof updateProjectSchema>;

export const projectSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    name: z.string(),
    retention_days: projectDaysSchema,
    protected: protectedSchema,
    rate_limit: effectiveRateLimitSchema,
    state: stateSchema,
    removal: removalSchema.nullable(),
    created_at: timestampTextSchema,
  })
  .meta({ id: 'Project' });
export type ProjectResource = z.output<typeof projectSchema>;
export const projectListSchema = listAnswer('ProjectList', 'projects', projectSchema);

const scopesSchema = z
  .array(permissionSchema)
  .min(1)
  .max(16)
  .refine(
    (scopes) => !scopes.includes('feedback') || new Set(scopes).size === 1,
    'must be feedback alone, or without it: everyone can read such a key in a web page',
  );

/** `POST /api/keys`. */
export const createKeySchema = z
  .object({
    name: labelSchema,
    scopes: scopesSchema,
    project_id: z.string().nullish().describe("The caller's own when left out."),
    expires_at: timestampSchema
      .nullish()
      .describe('When the key ends; when left out never, or after `access.key_max_age` where that is set.'),
    service_account: z
      .boolean()
      .optional()
      .describe(
        'Whether the key outlives the membership of the person who makes it. Keys of the operator, of JWTs and of keys of service accounts do, others when this is `true`.',
      ),
    rate_limit: ownRateLimitSchema,
  })
  .meta({ id: 'CreateKey' });
export type CreateKey = z.output<typeof createKeySchema>;

/** `PATCH /api/keys/:id`: only members given change. */
export const updateKeySchema = z
  .object({
    name: labelSchema.optional(),
    rate_limit: ownRateLimitSchema,
    service_account: z
      .literal(true)
      .optional()
      .describe('Makes it a key of a service account, which does not end with its maker; there is no way back.'),
  })
  .meta({ id: 'UpdateKey', description: 'Only members given change.' });
export type UpdateKey = z.output<typeof updateKeySchema>;

/** A key as answers show it: not the key itself. */
export const keyResourceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('How the key begins, to distinguish keys.'),
    scopes: z.array(permissionSchema),
    org_id: z.string(),
    project_id: z.string(),
    expires_at: timestampTextSchema.nullable(),
    state: z
      .enum(['active', 'expired', 'suspended'])
      .describe(
        '`suspended`: its maker has no role in its project any more, or the identity provider does not confirm them; it is refused for as long as that is so.',
      ),
    service_account: z.boolean().describe('Whether it is valid whatever becomes of its maker.'),
    maker: z
      .object({
        id: z.string().describe('`person:<id>`, `key:<id>`, `jwt:<sub>`, `admin` or `cli`, as in the audit log.'),
        name: z.string().nullable(),
      })
      .nullable()
      .describe('Who made it; `null` where that is not known any more.'),
    last_used_at: timestampTextSchema.nullable().describe('To the minute; `null`: not yet.'),
    rate_limit: effectiveRateLimitSchema,
    created_at: timestampTextSchema,
  })
  .meta({ id: 'Key', description: 'An API key, without the key itself.' });
export type KeyResource = z.output<typeof keyResourceSchema>;

/** The answer of `POST /api/keys`: the only one that has the key. */
export const keyCreatedSchema = z
  .object({ ...keyResourceSchema.shape, key: z.string().describe('Shown this once.') })
  .meta({ id: 'KeyCreated' });
export type KeyCreated = z.output<typeof keyCreatedSchema>;
export const keyListSchema = listAnswer('KeyList', 'keys', keyResourceSchema);

export const listAccessSchema = z.object(paging(PAGE_LIMIT_MAX));
export type ListAccess = z.output<typeof listAccessSchema>;

/** `GET /api/credential`: what the credential of the request is; the gateway checks callers' keys with it. */
export const credentialSchema = z
  .object({
    kind: z.enum(['api_key', 'jwt', 'person', 'admin_token']),
    id: z.string().describe('Id of the key, `sub` of the JWT, id of the person, `admin`.'),
    org_id: z.string().nullable(),
    project_id: z.string().nullable(),
    scopes: z.array(permissionSchema),
    expires_at: timestampTextSchema.nullable(),
  })
  .meta({ id: 'Credential' });
export type CredentialResource = z.output<typeof credentialSchema>;
