import { z } from 'zod';
import { keySchema, labelSchema } from './text.js';

/** Longest provider key taken, in UTF-16 units. */
const API_KEY_LENGTH_MAX = 8_192;

/** A key goes into an HTTP header: no line breaks, no other control characters, nothing beyond Latin-1. */
const apiKeySchema = z
  .string()
  .max(API_KEY_LENGTH_MAX)
  .regex(/^[\x20-\x7e\x80-\xff]*$/, 'must hold nothing but characters that a header can carry');

/** What the provider's own SDK takes as its base URL. */
const baseUrlSchema = z.string().max(2_048).refine(isHttpBase, 'must be an http or https URL without credentials');

function isHttpBase(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const providerSchema = z.string().min(1).max(64);

/** `POST /api/provider-connections` (service-spec "Provider connection"). */
export const createConnectionSchema = z.object({
  name: labelSchema,
  provider: providerSchema,
  api_key: apiKeySchema,
  base_url: baseUrlSchema.nullish(),
  default_model: keySchema.min(1).nullish(),
});
export type CreateConnection = z.output<typeof createConnectionSchema>;

/** `PUT /api/provider-connections/:id`: only members given change; the key stays when none is given. */
export const updateConnectionSchema = z.object({
  name: labelSchema.optional(),
  provider: providerSchema.optional(),
  api_key: apiKeySchema.nullish(),
  base_url: baseUrlSchema.nullish(),
  default_model: keySchema.min(1).nullish(),
});
export type UpdateConnection = z.output<typeof updateConnectionSchema>;

/** A connection as every answer shows it: without its key. */
export interface ConnectionResource {
  id: string;
  name: string;
  provider: string;
  base_url: string | null;
  default_model: string | null;
  created_at: string;
  updated_at: string;
}

/** Answer of `POST /api/provider-connections/:id/test`. */
export interface ConnectionTestResult {
  ok: boolean;
  latency_ms: number;
  /** Ids of the models the connection reaches; `null` when it does not. */
  models: string[] | null;
  error: string | null;
}
