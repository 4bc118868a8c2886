import { dottedPath } from '@spandrel/contract';
import { z } from 'zod';
import { modelPriceSchema } from '../model-price.js';
import type { ProviderDeclaration } from './provider-declaration.js';

const baseUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}, 'must be an http or https URL without query');
/** Hosts are compared with those of URLs, which know no capitals and have the port elsewhere. */
const host = z
  .string()
  .refine((text) => URL.parse(`http://${text}`)?.hostname === text, 'must be a host in lower case, without port');
const method = z.custom<never>((value) => typeof value === 'function', 'must be a function');
const path = z.string().regex(/^\/.*[^/]$/, 'must begin with a slash and end without one');

const pricesSchema = z.record(z.string(), modelPriceSchema).optional();

const common = {
  baseUrl,
  hosts: z.array(host).optional(),
  headers: method.optional(),
  prices: pricesSchema,
  recognises: method.optional(),
  errorBody: method.optional(),
  errorMessage: method.optional(),
};

const openAiDeclaration = z.strictObject({
  ...common,
  format: z.literal('openai', { error: 'must be openai, or left out for a format that endpoints describe' }),
  maxTokensMember: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
});

const ownFormatDeclaration = z.strictObject({
  ...common,
  endpoints: z.record(
    path,
    z.strictObject({
      readRequest: method,
      readAnswer: method,
      readChunk: method.optional(),
      writeRequest: method.optional(),
      name: z.string().min(1).optional(),
      framing: z.enum(['sse', 'ndjson']).optional(),
    }),
  ),
  models: z.strictObject({ path, read: method }).optional(),
  embeddings: z.strictObject({ buildRequest: method, readVectors: method, readUsage: method.optional() }).optional(),
});

/** Config of a plugin that is a declaration and nothing else: another base than the declared one. */
export const declaredConfigSchema = z.strictObject({ base_url: baseUrl.optional() });

/** What is wrong with a declaration; nothing in it is passed over, so that no typing error of its author goes unseen. */
export function declarationFaults(declaration: ProviderDeclaration): string[] {
  return faultsOf(declaration.format === undefined ? ownFormatDeclaration : openAiDeclaration, declaration);
}

/** What is wrong with the prices of a provider that is no declaration. */
export const pricesFaults = (prices: unknown): string[] => faultsOf(z.object({ prices: pricesSchema }), { prices });

function faultsOf(schema: z.ZodType, value: unknown): string[] {
  const { issues = [] } = schema.safeParse(value).error ?? {};
  return issues.map(({ path, message }) => (path.length > 0 ? `${dottedPath(path)}: ${message}` : message));
}
