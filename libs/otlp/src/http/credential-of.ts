import type { IncomingHttpHeaders } from 'node:http';

const SCHEME = /^(Bearer|Basic) +(\S+) *$/i;
const BARE = /^\S+$/;

/**
 * Where exporters put a credential (docs/spec/otlp.md#credentials): `Authorization: Bearer`, the password of `Basic`, a
 * bare `Authorization`, or `X-Api-Key`.
 * @returns `undefined` when there is none.
 */
export function exporterCredential(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const ownKey = headers['x-api-key'];
  const key = typeof ownKey === 'string' && BARE.test(ownKey) ? ownKey : undefined;
  if (authorization === undefined) return key;
  const [, scheme, content] = SCHEME.exec(authorization) ?? [];
  if (scheme === undefined) return BARE.test(authorization) ? authorization : key;
  return scheme.toLowerCase() === 'bearer' ? content : (passwordOf(content!) ?? key);
}

function passwordOf(basic: string): string | undefined {
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const password = colon === -1 ? '' : pair.slice(colon + 1);
  return BARE.test(password) ? password : undefined;
}
