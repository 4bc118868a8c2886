import { z } from 'zod';
import { credentialSchema, permissionSchema } from './access.js';
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
    id: z.string().nullable().describe('Id of the key, `sub` of the JWT, `admin`.'),
    org: namedSchema.nullable(),
    project: namedSchema.nullable(),
    scopes: z.array(permissionSchema),
    expires_at: timestampTextSchema.nullable().describe('When the session ends at the latest, or the credential.'),
  })
  .meta({ id: 'BrowserSession', description: 'Nobody is signed in where `kind` is `null`.' });
export type BrowserSessionResource = z.output<typeof browserSessionSchema>;
