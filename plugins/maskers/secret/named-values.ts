import type { Found } from '@spandrel/plugin-api';

/** Names of what is secret, as the end of a name: `DB_PASSWORD`, `x-api-key`, `client secret`. */
const PASSWORD = /(?:pass[ _-]?(?:word|phrase|code)|passwd|passwort|kennwort|pwd)\d?$/i;
const SHORT_PASSWORD = /[_-]pass$/i;
const KEY =
  /(?:api|secret|access|account|auth|encryption|signing|shared|master|subscription|service|license)[ _.-]?key$/i;
const TOKEN =
  /(?:access|auth|authentication|authorization|refresh|id|secret|bearer|api|session|security|personal|oauth|bot|deploy|registry|private)[ _.-]?token$/i;
/** Not those by which the next page of a list is asked for. */
const PLAIN_TOKEN = /(?:^|[^a-z])(?<!(?:next|page|continuation|cursor|sync)[ _-]?)token$/i;
const SECRET = /secret$/i;
const AUTHORIZATION = /authorization$/i;
/** Characters of the longest name that is looked at, and between name and value. */
const NAME_MAX = 28;
const BETWEEN_MAX = 4;

/** The bit that makes a letter small; digits have it. */
const SMALL = 0x20;

/** The last two letters of such names, as numbers: few others have them, and a look here is quicker than the patterns. */
const LAST_LETTERS = new Set(['rd', 'wd', 'rt', 'se', 'de', 'ss', 'ey', 'en', 'et', 'on'].map((two) => pairAt(two, 2)));

function pairAt(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) | SMALL) << 8) | (text.charCodeAt(end - 1) | SMALL);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** How sure one must be of a value. */
type Kind = 'password' | 'key' | 'token' | 'authorization';

function kindOf(name: string): Kind | undefined {
  if (PASSWORD.test(name) || SHORT_PASSWORD.test(name)) return 'password';
  if (KEY.test(name) || TOKEN.test(name) || SECRET.test(name)) return 'key';
  if (PLAIN_TOKEN.test(name)) return 'token';
  return AUTHORIZATION.test(name) ? 'authorization' : undefined;
}

/** Adds values that a name before them calls a secret: `password=…`, `"api_key": "…"`, `Authorization: Basic …`, `<token>…</token>`, `--password …`. */
export function addNamedValues(text: string, found: Found[]): void {
  addBehind(text, '=', found);
  addBehind(text, ':', found);
  if (text.includes('</')) addBehind(text, '>', found);
  if (text.includes('--')) addFlags(text, found);
}

function addBehind(text: string, separator: string, found: Found[]): void {
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) {
    const kind = kindBefore(text, at);
    if (kind === undefined) continue;
    let start = at + 1;
    // `=>`, `==` and `:=` are separators too, or none of a value.
    if (text[start] === '=' || (text[start] === '>' && separator === '=')) start++;
    for (let blanks = 0; blanks < BETWEEN_MAX && isBlank(text.charCodeAt(start)); blanks++) start++;
    const isTight = start === at + 1 && separator !== ':' && !isBlank(text.charCodeAt(at - 1));
    const value = valueAt(text, start, kind, isTight);
    if (!value) continue;
    found.push(value);
    at = value.end - 1;
  }
}

/** What the name before a separator says. */
function kindBefore(text: string, separator: number): Kind | undefined {
  let end = separator;
  for (let count = 0; count < BETWEEN_MAX && end > 0 && isBetween(text.charCodeAt(end - 1)); count++) end--;
  if (!LAST_LETTERS.has(pairAt(text, isDigit(text.charCodeAt(end - 1)) ? end - 1 : end))) return undefined;
  return kindOf(text.slice(Math.max(0, end - NAME_MAX), end));
}

const FLAG = /--?[a-z-]{0,16}(?:password|passwd|api-?key|access-?key|token|secret)[ \t]{1,3}/iy;

function addFlags(text: string, found: Found[]): void {
  for (let at = text.indexOf('--'); at !== -1; at = text.indexOf('--', at + 2)) {
    FLAG.lastIndex = at;
    const flag = FLAG.exec(text)?.[0];
    if (flag === undefined) continue;
    const value = valueAt(text, at + flag.length, /passw/i.test(flag) ? 'password' : 'key', true);
    if (value) found.push(value);
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
/** Blanks, quotes, a bracket and a backslash. */
const isBetween = (code: number): boolean =>
  isBlank(code) || code === 0x22 || code === 0x27 || code === 0x60 || code === 0x5d || code === 0x5c;

const QUOTED = /(["'`])([^"'`\n\r]{1,256})\1/y;
const BARE = /[^\s"'`<>,;|(){}[\]\\]{1,256}/y;
/** In a query `&` ends a value. */
const BARE_TIGHT = /[^\s"'`<>,;&|(){}[\]\\]{1,256}/y;
const SCHEME = /["'`]?(basic|bearer|token|apikey|api-key|key) {1,3}([\w.~+/-]{6,256}={0,2})/iy;

/** @param isTight whether nothing but the separator stands between name and value, as in a query or an environment. */
function valueAt(text: string, start: number, kind: Kind, isTight: boolean): Found | undefined {
  if (kind === 'authorization') return authorizationAt(text, start);
  QUOTED.lastIndex = start;
  const quoted = QUOTED.exec(text)?.[2];
  if (quoted !== undefined) {
    return isQuotedSecret(quoted, kind) ? { start: start + 1, end: start + 1 + quoted.length } : undefined;
  }
  const pattern = isTight ? BARE_TIGHT : BARE;
  pattern.lastIndex = start;
  const bare = pattern.exec(text)?.[0].replace(/(?<![.:])[.:]+$/, '');
  if (!bare || isExpression(bare) || text[start + bare.length] === '(' || text[start + bare.length] === '[')
    return undefined;
  // A call of a function names its arguments: connect(password=given, …).
  const next = text[start + bare.length];
  const isArgument = (next === ')' || next === ',') && /^[a-z_]+$/i.test(bare);
  const isSecret = isTight && !isArgument ? isTightSecret(bare, kind) : isLooseSecret(bare, kind);
  return isSecret ? { start, end: start + bare.length } : undefined;
}

function authorizationAt(text: string, start: number): Found | undefined {
  SCHEME.lastIndex = start;
  const match = SCHEME.exec(text);
  if (!match) {
    const bare = valueAt(text, start, 'token', false);
    return bare;
  }
  const [whole, scheme, value] = match as unknown as [string, string, string];
  const end = start + whole.length;
  const isSecret =
    scheme.toLowerCase() === 'basic'
      ? isBasic(value)
      : value.length >= 8 && /[\d=]/.test(value) && !isPlaceholder(value);
  return isSecret ? { start: end - value.length, end } : undefined;
}

/** Name and password with a colon between them, in base64. */
const isBasic = (value: string): boolean => Buffer.from(value, 'base64').toString('latin1').includes(':');

/** What stands in the place of a secret, or says what belongs there. */
const PLACEHOLDER = /^[*•.x_-]+$|^[[<{$%]|[{}<>]|your|placeholder|redacted|masked|\.\.\.|…/i;
const WORDS = new Set(
  (
    'string text password passwd pwd required optional hidden invalid null none nil true false undefined secret token key ' +
    'empty missing str bytes any unknown value number boolean int object array input field label test'
  ).split(' '),
);
const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value) || WORDS.has(value.toLowerCase());

/** Members of objects and calls, as code has them: `process.env.KEY`, `user.password`. */
const isExpression = (value: string): boolean =>
  isPlaceholder(value) || /^[a-z_$][\w$]*(?:(?:\.|::|->|\?\.)[a-z_$][\w$]*)+(?=$|[^\u0020-\u007e])/i.test(value);

const hasDigit = (value: string): boolean => /\d/.test(value);
const isMixed = (value: string): boolean => /[a-z]/.test(value) && /[A-Z]/.test(value);

function isQuotedSecret(value: string, kind: Kind): boolean {
  if (isPlaceholder(value) || (/\s/.test(value) && !(kind === 'password' && hasDigit(value)))) return false;
  if (kind === 'password') return value.length >= 3;
  if (isExpression(value)) return false;
  return value.length >= (kind === 'token' ? 16 : 8) && (hasDigit(value) || (value.length >= 16 && isMixed(value)));
}

/** `password=hunter2&`, `API_KEY=abcdefgh`: anyone who writes so writes no prose. */
function isTightSecret(value: string, kind: Kind): boolean {
  if (kind === 'password') return value.length >= 3;
  return kind === 'token' ? value.length >= 16 && hasDigit(value) : value.length >= 8;
}

/** `password: hunter2`, `api_key = k3y…`: words are prose, or names of code. */
function isLooseSecret(value: string, kind: Kind): boolean {
  if (kind === 'password') return value.length >= 4 && (hasDigit(value) || /[!#$%^*?~+@]/.test(value));
  return value.length >= (kind === 'token' ? 16 : 8) && (hasDigit(value) || (value.length >= 20 && isMixed(value)));
}
