import type { IncomingHttpHeaders } from 'node:http';
import { endOfString, WordSearch, type Place } from '@spandrel/contract';

const REDACTED = '[redacted]';

/** From this length on a credential is taken out wherever it stands; a shorter one only where it is a word by itself. */
const ANYWHERE_LENGTH_MIN = 7;

/** The most credentials that are looked for in what was said in a call; nothing of it is recorded where there are more. */
const SECRETS_MAX = 32;

/** Up to so many are first looked for by their beginnings, which costs next to nothing where there are none. */
const HEADS_MAX = 4;
const HEAD_LENGTH = 8;

/**
 * The credentials of a call, and what takes them out of what is recorded of it. All are looked for in one pass, so that the time it takes
 * grows with the length of the text alone.
 */
export class Secrets {
  private textSearch: WordSearch | undefined;
  private jsonSearch: WordSearch | undefined;

  /** The beginning of each as JSON has it; only where there are few. */
  private readonly heads: readonly string[];

  /** @param texts each once, none empty. */
  constructor(readonly texts: readonly string[]) {
    const few = texts.length <= HEADS_MAX ? texts : [];
    this.heads = few.map((text) => escaped(text).slice(0, HEAD_LENGTH));
  }

  /** Whether there are more than are looked for in what was said. */
  get areTooMany(): boolean {
    return this.texts.length > SECRETS_MAX;
  }

  /**
   * JSON without them: in texts and in names of members each is `[redacted]`, and nothing else is changed.
   * @param json text written by `JSON.stringify`.
   */
  redactJson(json: string): string {
    const { texts, heads } = this;
    if (texts.length <= HEADS_MAX && !heads.some((head) => json.includes(head))) return json;
    this.jsonSearch ??= new WordSearch(texts.map(escaped));
    const places = this.jsonSearch.places(json);
    return places.length === 0 ? json : this.redactStrings(json, places);
  }

  /** What is found in JSON may straddle an escape, so the strings are read that it stands in. */
  private redactStrings(json: string, places: readonly Place[]): string {
    let redacted = '';
    let copied = 0;
    let at = 0;
    for (const place of places) {
      while (at < place.end) {
        const open = json.indexOf('"', at);
        if (open === -1 || open >= place.end) break;
        const end = endOfString(json, open) + 1;
        at = end;
        if (end <= place.start) continue;
        redacted += json.slice(copied, open) + this.redactString(json.slice(open, end));
        copied = end;
      }
    }
    return redacted + json.slice(copied);
  }

  private redactString(string: string): string {
    const text = JSON.parse(string) as string;
    this.textSearch ??= new WordSearch(this.texts);
    const places = this.textSearch.places(
      text,
      (start, end) => end - start >= ANYWHERE_LENGTH_MIN || (!isOfWord(text[start - 1]) && !isOfWord(text[end])),
    );
    if (places.length === 0) return string;
    let redacted = '';
    let copied = 0;
    for (const { start, end } of places) {
      redacted += text.slice(copied, start) + REDACTED;
      copied = end;
    }
    return JSON.stringify(redacted + text.slice(copied));
  }
}

const isOfWord = (character: string | undefined): boolean => character !== undefined && /[\w-]/.test(character);

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Below this nothing is a credential. */
const SECRET_LENGTH_MIN = 3;

/** What people send where a client insists on a key and the server wants none. */
const STAND_INS = new Set(['dummy', 'empty', 'fake', 'key', 'nokey', 'none', 'null', 'ollama', 'test']);

const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key', 'x-spandrel-key'] as const;
/** Parameters of an address that are credentials. */
export const KEY_PARAMETERS: ReadonlySet<string> = new Set(['key', 'api_key', 'api-key', 'token', 'access_token']);

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

/** Ends of names of members that hold credentials, in lower case and without separators: as in the SDK, and what stands for a whole. */
const SECRET_MEMBER =
  /(?:(?:api|secret|private|access)key|passw(?:or)?d|passphrase|secret|apikeystring|connectionstring|headers)s?$|(?:authorization|authentication|cookie|(?<!page|next|continuation|stop|eos|bos|pad|first|max|per)token)$/;

/** Members of a JSON schema whose own members are names of what it describes. */
const SCHEMA_NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

const isSecretMember = (name: string): boolean => SECRET_MEMBER.test(name.toLowerCase().replace(/[\W_]/g, ''));

/** Parameters without the credentials by which a provider calls other servers for its caller, wherever they stand in them. */
export const withoutServerKeys = (parameters: Record<string, unknown>): Record<string, unknown> =>
  valueWithoutKeys(parameters, '', 0) as Record<string, unknown>;

/** What is deeper is not recorded: no body of the API has so many levels. */
const LEVELS_MAX = 200;

/** @returns the very value where there are none in it. */
function valueWithoutKeys(value: unknown, name: string, level: number): unknown {
  if (typeof value === 'string') return /^https?:/i.test(value) ? addressWithoutKeys(value) : value;
  if (typeof value !== 'object' || value === null || level > LEVELS_MAX) return value;
  const isList = Array.isArray(value);
  const isNamed = !isList && !SCHEMA_NAMES.has(name);
  let kept: Record<string, unknown> | undefined;
  for (const [member, given] of isList ? value.entries() : Object.entries(value)) {
    const isKey = isNamed && mayBeKey(given) && isSecretMember(member as string);
    const without = isKey ? REDACTED : valueWithoutKeys(given, String(member), level + 1);
    if (without === given) continue;
    kept ??= (isList ? [...value] : { ...value }) as Record<string, unknown>;
    kept[member] = without;
  }
  return kept ?? value;
}

const mayBeKey = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (typeof value === 'object' && value !== null && !JSON.isRawJSON(value));

/** An address without user, password, and parameters that are credentials. */
const addressWithoutKeys = (address: string): string =>
  address
    .replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${REDACTED}@`)
    .replace(/([?&])([^?&=#]*)=[^&#]*/g, (pair, separator: string, name: string) =>
      KEY_PARAMETERS.has(name.toLowerCase()) || isSecretMember(name) ? `${separator}${name}=${REDACTED}` : pair,
    );

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
