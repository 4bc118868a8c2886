import { z } from 'zod';

/** Config of a provider plugin: where its calls go by default. */
export const providerConfigSchema = z.strictObject({ base_url: z.string().transform(readBaseUrl).optional() });
export type ProviderConfig = z.output<typeof providerConfigSchema>;

/** Appends a path to a base URL, whose query is kept. @throws TypeError when the base is not a URL. */
export function joinUrl(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  return url.href;
}

/** The base without the `/v1` it may end in. */
export const withoutVersion = (base: string): string => base.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');

function readBaseUrl(text: string, context: z.RefinementCtx<string>): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return withoutVersion(url.href);
  }
  context.addIssue({ code: 'custom', message: 'must be an http or https URL without query' });
  return z.NEVER;
}
