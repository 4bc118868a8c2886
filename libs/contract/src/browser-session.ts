import { z } from 'zod';
import { credentialSchema, permissionSchema } from './access.js';
import { personSchema, roleSchema } from './people.js';
import { timestampTextSchema } from './values/timestamp.js';

/** Name of the cookie; browsers take this one from encrypted connections alone, with `Secure`, for one host. */
export const SESSION_COOKIE = '__Host-spandrel';

/** Name of the cookie where `dashboard.insecure_cookie` is set. */
export const INSECURE_SESSION_COOKIE = 'spandrel';

/** `POST /api/session`. */
export const createBrowserSessionSchema = z
  .object({ credential: z.string().describe('An API key or a JWT.') })
  .meta({ id: 'CreateBrowserSession' });
export type CreateBrowserSession = z.output<typeof createBrowserSessionSchema>;

const namedSchema = z.object({ id: z.string(), name: z.string() });

/** `GET /api/session`: who is signed in in the browser that asks (docs/spec/sign-in.md#who-is-signed-in). */
export const browserSessionSchema = z
  .object({
    mode: z.enum(['local', 'cloud']),
    signed_in: z.boolean().describe('Whether the request shows a valid credential or session; `false` in local mode.'),
    kind: credentialSchema.shape.kind.nullable(),
    id: z.string().nullable().describe('Id of the key, `sub` of the JWT, id of the person, `admin`.'),
    org: namedSchema.nullable(),
    project: namedSchema.nullable(),
    scopes: z.array(permissionSchema),
    expires_at: timestampTextSchema.nullable().describe('When the session ends at the latest, or the credential.'),
    person: personSchema.nullable().describe('Who signed in with an identity provider; `null` for keys and JWTs.'),
    role: roleSchema.nullable().describe('The role of the person in the project.'),
    identity_provider: z
      .object({ label: z.string() })
      .nullable()
      .describe('What the button says that leads to `GET /api/session/oidc`; `null` where none is set up.'),
  })
  .meta({ id: 'BrowserSession', description: 'Nobody is signed in where `kind` is `null`.' });
export type BrowserSessionResource = z.output<typeof browserSessionSchema>;

/** `PATCH /api/session`. */
export const switchProjectSchema = z.object({ project_id: z.string() }).meta({ id: 'SwitchProject' });
export type SwitchProject = z.output<typeof switchProjectSchema>;

/** `GET /api/session/projects`: what the session may be switched to (docs/spec/sign-in.md#projects-of-a-person). */
export const sessionProjectsSchema = z
  .object({
    projects: z.array(
      z.object({ id: z.string(), name: z.string(), org: namedSchema, role: roleSchema.nullable() }).meta({
        id: 'SessionProject',
        description: '`role` is `null` for a key and a JWT.',
      }),
    ),
    count: z.number().int(),
  })
  .meta({ id: 'SessionProjects' });
export type SessionProjects = z.output<typeof sessionProjectsSchema>;

/** The answer of `DELETE /api/session`. */
export const signedOutSchema = z
  .object({
    id: z.string(),
    deleted: z.literal(true),
    continue_at: z.string().nullable().describe('Where the browser signs out of the identity provider, too.'),
  })
  .meta({ id: 'SignedOut' });

/** Query of `GET /api/session/oidc`. */
export const beginSignInSchema = z.object({
  next: z.string().optional().describe('Path of this server that the browser goes to afterwards.'),
});
export type BeginSignIn = z.output<typeof beginSignInSchema>;

/** Query of the address that an identity provider sends browsers back to; the rest of it is its own. */
export const endSignInSchema = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
});

/** Why somebody could not be signed in, in the address of the page to sign in (`?error=`). */
export const SIGN_IN_ERRORS = ['no_role', 'expired', 'denied', 'unavailable', 'failed', 'not_set_up'] as const;
export type SignInError = (typeof SIGN_IN_ERRORS)[number];
