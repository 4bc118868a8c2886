import type { IncomingHttpHeaders } from 'node:http';
import { keepNumber, mapTexts } from './map-texts.js';

const REDACTED = '[redacted]';

/** From this length on a credential is taken out wherever it stands; a shorter one only where it is a word by itself. */
export const ANYWHERE_LENGTH_MIN = 7;

/** Below this nothing is a credential. */
const SECRET_LENGTH_MIN = 3;

/** What people send where a client insists on a key and the server wants none. */
const STAND_INS = new Set(['dummy', 'empty', 'fake', 'key', 'nokey', 'none', 'null', 'ollama', 'test']);

const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key', 'x-spandrel-key'] as const;
const KEY_PARAMETERS = new Set(['key', 'api_key', 'api-key', 'token', 'access_token']);

/**
 * The credentials of a request, longest first, in every spelling in which they may come back: header values and the
 * tokens in them, a decoded basic password, cookie values, keys in the query.
 */
export function credentialsOf(
  headers: IncomingHttpHeaders | Record<string, string | undefined>,
  requestTarget: string,
): string[] {
  const found = new Set<string>();
  for (const name of KEY_HEADERS) addText(found, headers[name]);
  addAuthorization(found, headers['authorization']);
  addAuthorization(found, headers['proxy-authorization']);
  const cookie = headers['cookie'];
  if (typeof cookie === 'string') for (const pair of cookie.split(';')) add(found, pair.slice(pair.indexOf('=') + 1));
  if (requestTarget.includes('?')) addParameters(found, requestTarget);
  const list = [...found];
  return list.length > 1 ? list.sort((a, b) => b.length - a.length) : list;
}

/**
 * A recording's JSON without the credentials.
 * @param json text written by `JSON.stringify`.
 * @param secrets the secrets that {@link credentialsOf} found.
 */
export function redactJson(json: string, secrets: readonly string[]): string {
  // Only looks for them in the text; a match may straddle an escape, so the values themselves are changed.
  if (!secrets.some((secret) => json.includes(escaped(secret)))) return json;
  const redact = (text: string): string => redactText(text, secrets);
  return JSON.stringify(mapTexts(JSON.parse(json, keepNumber), redact, redact));
}

function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (redacted, secret) =>
      redacted.includes(secret)
        ? redacted.replaceAll(secret.length < ANYWHERE_LENGTH_MIN ? asWord(secret) : secret, REDACTED)
        : redacted,
    text,
  );
}

const asWord = (secret: string): RegExp =>
  new RegExp(`(?<![\\w-])${secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g');

const escaped = (secret: string): string => JSON.stringify(secret).slice(1, -1);

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

function addText(found: Set<string>, value: string | string[] | undefined): void {
  if (typeof value === 'string') add(found, value);
}

function add(found: Set<string>, text: string): void {
  const secret = text.trim().replace(/^"(.*)"$/, '$1');
  if (secret.length >= SECRET_LENGTH_MIN && !STAND_INS.has(secret.toLowerCase())) found.add(secret);
}
