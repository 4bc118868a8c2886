import { RETENTION_DAYS_MAX } from '@spandrel/contract';
import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** A JWT is signed with 256 bits: a shorter secret is the weaker part (RFC 7518, 3.2). */
const JWT_SECRET_BYTES_MIN = 32;
const jwtSecret = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) >= JWT_SECRET_BYTES_MIN,
    `must have at least ${JWT_SECRET_BYTES_MIN} bytes`,
  );

const days = z.number().int().min(1).max(RETENTION_DAYS_MAX);
/** Days, as milliseconds. */
const lifeDays = z
  .number()
  .int()
  .min(1)
  .max(36_500)
  .transform((number) => number * 86_400_000);
const perOrganization = z.number().int().min(1).max(1_000_000);

/** An origin as browsers write it in `Origin` (RFC 6454, 6.2). */
const originText = z
  .string()
  .refine(isOrigin, 'must be scheme, host and port of an address alone, such as https://spandrel.example');

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Who is let in, in cloud mode, and how often; `null`: not set. */
export class AccessSettings extends defineSettings(
  {
    adminToken: setting('auth.admin_token', settingValue.secretText.nullable(), {
      default: null,
      doc: 'May do all that is administrative: organizations, projects, keys, /metrics.',
      source: { variable: 'SPANDREL_ADMIN_TOKEN', secret: true },
    }),
    jwtSecret: setting('auth.jwt_secret', jwtSecret.nullable(), {
      default: null,
      doc: 'Verifies JWTs that are signed with a shared secret (HS256).',
      source: { variable: 'SPANDREL_JWT_SECRET', secret: true },
    }),
    jwksUrl: setting('auth.jwks_url', settingValue.httpUrl.nullable(), {
      default: null,
      doc: 'Where the keys are that verify JWTs of an identity provider (RS256, ES256).',
      source: { variable: 'SPANDREL_JWKS_URL' },
    }),
    jwtIssuer: setting('auth.jwt_issuer', z.string().min(1).nullable(), {
      default: null,
      doc: 'What JWTs must have as `iss`; checked when set.',
      source: { variable: 'SPANDREL_JWT_ISSUER' },
    }),
    jwtAudience: setting('auth.jwt_audience', z.string().min(1).nullable(), {
      default: null,
      doc: 'What JWTs must have as `aud`; checked when set.',
      source: { variable: 'SPANDREL_JWT_AUDIENCE' },
    }),
    requestsPerSecond: setting('limits.requests_per_second', perOrganization, {
      default: 100,
      doc: 'Cloud mode: requests per second of an organization that has no limit of its own.',
      source: { variable: 'SPANDREL_RATE_LIMIT', kind: 'integer' },
    }),
    projectRequestsPerSecond: setting('limits.project_requests_per_second', perOrganization.nullable(), {
      default: null,
      doc: 'Cloud mode: requests per second of a project that has no limit of its own; null: as many as its organization.',
    }),
    keyRequestsPerSecond: setting('limits.key_requests_per_second', perOrganization.nullable(), {
      default: null,
      doc: 'Cloud mode: requests per second of an API key that has no limit of its own; null: as many as its project.',
    }),
    projectShare: setting('limits.project_share', z.number().min(0).max(1), {
      default: 0.2,
      doc: "Cloud mode: share of its organization's limit that each project has for sure, whatever the others do; 0: none.",
    }),
    eventStreams: setting('limits.event_streams', perOrganization, {
      default: 1_000,
      doc: 'Cloud mode: event streams that an organization may have open at one server.',
    }),
    starterDays: setting('retention.plans.starter', days, {
      default: 7,
      doc: 'Cloud mode: days that traces and spans of organizations with the plan starter are kept.',
    }),
    teamDays: setting('retention.plans.team', days, { default: 30, doc: 'The same for the plan team.' }),
    enterpriseDays: setting('retention.plans.enterprise', days, {
      default: 90,
      doc: 'The same for the plan enterprise.',
    }),
    keysEndWithMaker: setting('access.keys_end_with_maker', z.boolean(), {
      default: true,
      doc: 'Whether an API key that a person made is valid only while they have a role in its project.',
    }),
    keyMaxAgeMs: setting('access.key_max_age', lifeDays.nullable(), {
      default: null,
      doc: 'Days that an API key lasts at most, also one that was made before; null: as long as it says itself.',
    }),
    makerConfirmedMs: setting('access.maker_confirmed', lifeDays, {
      default: 90,
      doc: 'Days after which the identity provider must have confirmed the maker of a key again, by signing in or by itself.',
    }),
    feedbackOrigins: setting('access.feedback_origins', z.array(z.union([originText, z.literal('*')])), {
      default: [],
      doc: 'Origins of the web pages that may send feedback, by POST /api/scores with a key of the scope feedback; *: all.',
    }),
    insecureCookie: setting('dashboard.insecure_cookie', z.boolean(), {
      default: false,
      doc: 'Cloud mode: people sign in over plain http, too. Anyone on the network between can then read their keys.',
      source: { variable: 'SPANDREL_INSECURE_COOKIE', kind: 'boolean' },
    }),
    dashboardOrigin: setting('dashboard.origin', originText.nullable(), {
      default: null,
      doc: 'Cloud mode: the address that browsers show, such as https://spandrel.example, where a proxy changes the Host.',
      source: { variable: 'SPANDREL_DASHBOARD_ORIGIN' },
    }),
  },
  {
    access: 'Cloud mode: how long API keys are valid, and which web pages send feedback.',
    auth: 'Cloud mode: who is let in. Secrets are better given by their variables (SPANDREL_ADMIN_TOKEN … or …_FILE).',
  },
) {}
