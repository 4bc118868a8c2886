import { ROLES } from '@spandrel/contract';
import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';
import { claimPathSchema } from '../credentials/jwt.settings.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Tokens and keys come from there: over plain http from this machine alone. */
const issuerUrl = settingValue.httpUrl.refine((text) => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || LOOPBACK.has(url?.hostname ?? '');
}, 'must be an https URL');

const id = z.string().min(1).max(512);

const groupRoleSchema = z
  .strictObject({ group: z.string().min(1).max(1_024), role: z.enum(ROLES), org: id, project: id.optional() })
  .refine(
    ({ role, project }) => project === undefined || (role !== 'owner' && role !== 'admin'),
    'must be editor, reviewer or viewer for one project',
  );

/** Signing in with an identity provider, in cloud mode (docs/spec/sign-in.md#an-identity-provider). */
export class OidcSettings extends defineSettings(
  {
    issuer: setting('auth.oidc.issuer', issuerUrl.nullable(), {
      default: null,
      doc: 'The identity provider: its issuer, an https URL. People sign in with it while this is set.',
      source: { variable: 'SPANDREL_OIDC_ISSUER' },
    }),
    clientId: setting('auth.oidc.client_id', z.string().min(1).nullable(), {
      default: null,
      doc: 'What the identity provider calls this service.',
      source: { variable: 'SPANDREL_OIDC_CLIENT_ID' },
    }),
    clientSecret: setting('auth.oidc.client_secret', z.string().min(1).nullable(), {
      default: null,
      doc: 'The secret that it gave this service; null for a client without one.',
      source: { variable: 'SPANDREL_OIDC_CLIENT_SECRET', secret: true },
    }),
    scopes: setting('auth.oidc.scopes', z.string().regex(/(^| )openid( |$)/, 'must contain openid'), {
      default: 'openid profile email offline_access',
      doc: 'What it is asked for. With offline_access most give a refresh token, by which they are asked about people again; Keycloak gives one without.',
    }),
    prompt: setting('auth.oidc.prompt', z.string().min(1).nullable(), {
      default: null,
      doc: 'What it is to ask people each time, such as consent (some give no refresh token without) or login; null: what it likes.',
    }),
    groupsClaim: setting('auth.oidc.groups_claim', claimPathSchema, {
      default: 'groups',
      doc: 'Where it says the groups of a person: in the ID token, or in what its userinfo endpoint answers.',
    }),
    groupRoles: setting('auth.oidc.groups', z.array(groupRoleSchema), {
      default: [],
      doc: 'Roles by group, such as {group: llm-admins, role: admin, org: 01K…} or, for one project, with project: 01K… beside it.',
    }),
    trustEmail: setting('auth.oidc.trust_email', z.boolean(), {
      default: false,
      doc: 'Whether addresses count of which it does not say whether they are verified. Only where nobody can change their own: never for Entra ID.',
    }),
    label: setting('auth.oidc.label', z.string().min(1).max(100), {
      default: 'Sign in with single sign-on',
      doc: 'What the button on the page to sign in says.',
    }),
    refreshMs: setting('auth.oidc.refresh', settingValue.seconds(1, 300), {
      default: 300,
      doc: 'Seconds after which it must have confirmed a person again, 300 at most: who is removed there is out here by then.',
    }),
    signOutThere: setting('auth.oidc.sign_out_there', z.boolean(), {
      default: false,
      doc: 'Whether signing out here leads on to signing out of the identity provider.',
    }),
  },
  {
    'auth.oidc': 'People sign in to the dashboard with an identity provider (OpenID Connect). Needs dashboard.origin.',
  },
) {}
