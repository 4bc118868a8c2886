import type { IncomingHttpHeaders } from 'node:http';
import { Secrets } from './secrets.js';

/** Below this nothing is a credential. */
const SECRET_LENGTH_MIN = 3;

/** What people send where a client insists on a key and the server wants none. */
const STAND_INS = new Set(['dummy', 'empty', 'fake', 'key', 'nokey', 'none', 'null', 'ollama', 'test']);

const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key', 'x-spandrel-key'] as const;
const KEY_PARAMETERS = new Set(['key', 'api_key', 'api-key', 'token', 'access_token']);

/**
 * The credentials of a request in every spelling in which they may come back: header values and the tokens in them, a
 * decoded basic password, keys in the query, cookie values.
 */
export function credentialsOf(
  headers: IncomingHttpHeaders | Record<string, string | undefined>,
  requestTarget: string,
): Secrets {
  const found = new Set<string>();
  for (const name of KEY_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') add(found, value);
  }
  addAuthorization(found, headers['authorization']);
  addAuthorization(found, headers['proxy-authorization']);
  if (requestTarget.includes('?')) addParameters(found, requestTarget);
  const cookie = headers['cookie'];
  if (typeof cookie === 'string') for (const pair of cookie.split(';')) add(found, pair.slice(pair.indexOf('=') + 1));
  return new Secrets([...found]);
}

function addAuthorization(found: Set<string>, value: string | undefined): void {
  if (value === undefined) return;
  const blank = value.indexOf(' ');
  const token = blank === -1 ? value : value.slice(blank + 1).trim();
  add(found, token);
  if (blank !== 5 || value.slice(0, blank).toLowerCase() !== 'basic') return;
  const decoded = Buffer.from(token, 'base64').toString('utf8');
  add(found, decoded);
  add(found, decoded.slice(decoded.indexOf(':') + 1));
}

function addParameters(found: Set<string>, requestTarget: string): void {
  for (const pair of requestTarget.slice(requestTarget.indexOf('?') + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || !KEY_PARAMETERS.has(pair.slice(0, equals).toLowerCase())) continue;
    const value = pair.slice(equals + 1);
    add(found, value);
    try {
      add(found, decodeURIComponent(value.replaceAll('+', ' ')));
    } catch {
      // Not percent-encoded text: the value as written is all there is.
    }
  }
}

function add(found: Set<string>, text: string): void {
  const secret = text.trim().replace(/^"(.*)"$/, '$1');
  if (secret.length >= SECRET_LENGTH_MIN && !STAND_INS.has(secret.toLowerCase())) found.add(secret);
}
