import { z } from 'zod';
import { listAnswer } from './lists.js';
import { amountSchema } from './values/numbers.js';
import { keySchema, labelSchema } from './values/text.js';
import { storedTimes } from './values/timestamp.js';

const API_KEY_LENGTH_MAX = 8_192;

/** A key goes into an HTTP header: no line breaks, no other control characters, nothing beyond Latin-1. */
const apiKeySchema = z
  .string()
  .max(API_KEY_LENGTH_MAX)
  .regex(/^[\x20-\x7e\x80-\xff]*$/, 'must hold nothing but characters that a header can carry');

/** An address that a server of somebody else's answers at. */
export const httpUrlSchema = z
  .string()
  .max(2_048)
  .refine(isHttpBase, 'must be an http or https URL without credentials');

/** What the provider's own SDK takes as its base URL. */
export const baseUrlSchema = httpUrlSchema.describe(
  "What the provider's own SDK takes: with `/v1` for openai and custom, without it for anthropic and ollama.",
);

function isHttpBase(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

export const providerSchema = z
  .string()
  .min(1)
  .max(64)
  .describe('`openai`, `anthropic`, `custom`, or the name of a loaded provider plugin.');

/** `POST /api/provider-connections` (docs/spec/connections.md#connection-routes). */
export const createConnectionSchema = z
  .object({
    name: labelSchema,
    provider: providerSchema,
    api_key: apiKeySchema.describe('Never returned.'),
    base_url: baseUrlSchema.nullish(),
    default_model: keySchema.min(1).nullish().describe('For eval runs that name no model.'),
  })
  .meta({ id: 'CreateConnection' });
export type CreateConnection = z.output<typeof createConnectionSchema>;

/** `PUT /api/provider-connections/:id`: only members given change; the key stays when none is given. */
export const updateConnectionSchema = z
  .object({
    name: labelSchema.optional(),
    provider: providerSchema.optional(),
    api_key: apiKeySchema.nullish().describe('The key stays when none is given.'),
    base_url: baseUrlSchema.nullish(),
    default_model: keySchema.min(1).nullish(),
  })
  .meta({
    id: 'UpdateConnection',
    description: 'Only members given change; `null` clears `base_url` and `default_model`.',
  });
export type UpdateConnection = z.output<typeof updateConnectionSchema>;

/** A connection as an export has it: without its key. */
export const exportedConnectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    base_url: z.string().nullable(),
    default_model: z.string().nullable(),
    ...storedTimes,
  })
  .meta({ id: 'ExportedConnection', description: 'A provider connection, without its key.' });
export type ExportedConnection = z.output<typeof exportedConnectionSchema>;

export const connectionSchema = exportedConnectionSchema
  .extend({
    key_status: z
      .enum(['readable', 'unreadable', 'missing'])
      .describe(
        '`unreadable`: this server cannot decrypt the key, because it lacks the secret key or the stored row was changed; `missing`: imported without a key.',
      ),
  })
  .meta({ id: 'Connection', description: 'A provider connection, without its key.' });
export type ConnectionResource = z.output<typeof connectionSchema>;

export const connectionListSchema = listAnswer('ConnectionList', 'connections', connectionSchema);

/** Answer of `POST /api/provider-connections/:id/test`. */
export const connectionTestSchema = z
  .object({
    ok: z.boolean(),
    latency_ms: amountSchema,
    models: z
      .array(z.string())
      .nullable()
      .describe('Ids of the models that the connection reaches; `null` when it does not.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTestResult = z.output<typeof connectionTestSchema>;
