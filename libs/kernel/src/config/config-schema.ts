import { isCredential } from '@spandrel/contract';
import { modelPriceSchema } from '@spandrel/plugin-api';
import { z } from 'zod';
import { isHostEntry, NO_HOST_ENTRY } from '../net/host-list.js';
import { parseCapture } from './capture-setting.js';
import { parseKeyBytes } from './key-bytes.js';

const port = z.number().int().min(0).max(65_535);
const bytes = z.number().int().min(1);
const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http(s) URL');

const redisUrl = z
  .string()
  .refine((text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be a redis:// or rediss:// URL');

const postgresUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be a postgres:// URL');

/** Short secrets can be guessed. */
const SECRET_LENGTH_MIN = 16;
const secretText = z.string().min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`);

/** A JWT is signed with 256 bits: a shorter secret is the weaker part (RFC 7518, 3.2). */
const JWT_SECRET_BYTES_MIN = 32;
const jwtSecret = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) >= JWT_SECRET_BYTES_MIN,
    `must have at least ${JWT_SECRET_BYTES_MIN} bytes`,
  );

/** Of a project: an API key or a JWT. Whether it is valid the API tells. */
const credential = z.string().refine(isCredential, 'must be an API key (spn_sk_…) as it was made, or a JWT');

const hosts = z.array(
  z.string().refine(isHostEntry, { error: ({ input }) => `${JSON.stringify(input)} ${NO_HOST_ENTRY}` }),
);

/** One entry of `plugins:`: a built-in name, an npm package or a file path; with config when it takes some. */
const pluginEntry = z.union([
  z.string().min(1),
  z.strictObject({
    use: z.string().min(1),
    config: z.record(z.string(), z.unknown()).default({}),
    enabled: z.boolean().default(true),
  }),
]);

/** A key of 32 bytes, base64 or hex (docs/spec/configuration.md#settings-of-cloud-mode). */
const secretKey = z.string().transform((text, context) => {
  const key = parseKeyBytes(text);
  if (key) return key;
  context.addIssue({ code: 'custom', message: 'must be 32 bytes, as base64 or hex' });
  return z.NEVER;
});

/** `Full`, `Off` or `Preview(N)`. */
const capture = z.string().transform((text, context) => {
  const setting = parseCapture(text);
  if (setting) return setting;
  context.addIssue({ code: 'custom', message: 'must be Full, Off or Preview(N)' });
  return z.NEVER;
});

/**
 * What users set, as it stands in the yaml files. Unknown keys are an error. Every member's meaning is in
 * config/default.yaml beside its default; `setting-sources.ts` tells which have a flag and a variable.
 */
export const configSchema = z.strictObject({
  mode: z.enum(['local', 'cloud']),
  host: z.string().min(1),
  port,
  data_dir: z.string().min(1),
  log_level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  shutdown_delay: z.number().min(0).max(600),
  features: z.array(z.string()).optional(),
  plugins: z.array(pluginEntry),
  limits: z.strictObject({
    body_bytes: bytes,
    import_file_bytes: bytes,
    import_bytes: bytes,
    requests_per_second: z.number().int().min(1).max(1_000_000),
    event_streams: z.number().int().min(1).max(1_000_000),
  }),
  access_log: z.boolean(),
  redis_url: redisUrl.nullable(),
  database: z.strictObject({
    url: postgresUrl.nullable(),
    /** A long read, a write, and what the queue of eval runs asks. */
    pool_max: z.number().int().min(3).max(1_000),
    statement_timeout: z.number().min(1).max(86_400),
  }),
  auth: z.strictObject({
    admin_token: secretText.nullable(),
    metrics_token: secretText.nullable(),
    jwt_secret: jwtSecret.nullable(),
    jwks_url: httpUrl.nullable(),
    jwt_issuer: z.string().min(1).nullable(),
    jwt_audience: z.string().min(1).nullable(),
  }),
  retention: z.strictObject({ interval: z.number().min(1).max(86_400) }),
  search: z.strictObject({
    index: z.string().min(1).nullable(),
    embedding: z.strictObject({ connection: z.string().min(1), model: z.string().min(1).nullable() }),
  }),
  events: z.strictObject({
    retention_hours: z.number().min(0.001).max(87_600),
    queued_bytes: bytes,
    stalled_seconds: z.number().min(1).max(3_600),
    behind_seconds: z.number().min(1).max(86_400),
  }),
  secret_key: secretKey.nullable(),
  connections: z.strictObject({ allow_private: hosts }),
  evals: z.strictObject({ concurrency: z.number().int().min(1).max(1_000), calls_max: z.number().int().min(1) }),
  queue: z.strictObject({ claim_timeout: z.number().int().min(1).nullable() }),
  pricing: z.strictObject({ models: z.record(z.string(), modelPriceSchema) }),
  gateway: z.strictObject({
    enabled: z.boolean(),
    port: port.nullable(),
    api_url: httpUrl.nullable(),
    api_key: credential.nullable(),
    capture,
    spool_dir: z.string().min(1).nullable(),
    spool_items: z.number().int().min(1),
    spool_bytes: bytes,
    record_bytes: bytes,
    forward_allow: hosts,
  }),
  /** Bases of the built-in providers, set by variables; they win over the plugin's own config. */
  provider_base_urls: z.strictObject({
    openai: httpUrl.nullable(),
    anthropic: httpUrl.nullable(),
    ollama: httpUrl.nullable(),
  }),
});

/** What users set, complete and checked. */
export type Config = z.output<typeof configSchema>;
