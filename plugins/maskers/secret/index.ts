import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';
import { addNamedValues } from './named-values.js';
import {
  TokenRun,
  AZURE_BEFORE,
  BEFORE_RUN,
  DISCORD,
  JWT,
  MAY_BE_TOKEN,
  TELEGRAM,
  TELEGRAM_ID_MAX,
  TOKEN_LENGTH_MIN,
} from './tokens.js';

/** Keys and tokens of well-known services, JWTs, private keys, passwords in URLs, and Spandrel's own keys. */
export default defineMasker({
  name: 'secret',
  setup: () => ({ label: 'secret', finder: () => ({ lengthMin: 8, find: findSecrets }) }),
});

/** The secrets in a text. Each look is at a limited number of characters, or at none that was looked at before. */
function findSecrets(text: string): readonly Found[] {
  const found = findTokens(text);
  if (text.includes('PRIVATE KEY')) add(found, text, PRIVATE_KEY);
  if (text.includes('://')) {
    addPasswordsOfUrls(text, found);
    add(found, text, HOOK);
  }
  addNamedValues(text, found);
  if (text.length >= BEARER_LENGTH_MIN && /bearer /i.test(text)) add(found, text, BEARER);
  if (found.length === 0) return NOTHING_FOUND;
  return found.length === 1 ? found : outermost(found);
}

/** A block whose end is missing is secret up to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|$)/dg;
/** Addresses that anyone who knows them may post to: Slack, Discord. */
const HOOK = /(?:hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)([\w/-]{20,200})/dg;
const BEARER = /bearer {1,2}((?=[\w.~+/-]{20})[\w.~+/-]+=*)/dgi;
const BEARER_LENGTH_MIN = 27;

/** Adds what a pattern matches, or its first group. */
function add(found: Found[], text: string, pattern: RegExp): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [start, end] = match.indices![1] ?? match.indices![0]!;
    found.push({ start, end });
  }
}

const SCHEME = /[a-z][a-z0-9+.-]{1,19}$/i;
const SCHEME_MAX = 20;
const USER_AND_PASSWORD = /:\/\/[^\s/:@"'<>]{0,128}:([^\s/@"'<>[][^\s/@"'<>]{0,127})@/dy;

function addPasswordsOfUrls(text: string, found: Found[]): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    USER_AND_PASSWORD.lastIndex = at;
    const password = USER_AND_PASSWORD.exec(text)?.indices![1];
    if (!password || !SCHEME.test(text.slice(Math.max(0, at - SCHEME_MAX), at))) continue;
    found.push({ start: password[0], end: password[1] });
  }
}

/** In the order of the text, without those that lie in another. */
function outermost(found: Found[]): Found[] {
  const sorted = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let past = 0;
  return sorted.filter(({ end }) => {
    const isInside = end <= past;
    past = Math.max(past, end);
    return !isInside;
  });
}

/** Tokens by how they begin: each has a run of `TOKEN_LENGTH_MIN` characters, so one in so many is looked at. */
function findTokens(text: string): Found[] {
  const found: Found[] = [];
  for (let at = TOKEN_LENGTH_MIN - 1; at < text.length; at += TOKEN_LENGTH_MIN) {
    if (!isTokenCharacter(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isTokenCharacter(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isTokenCharacter(text.charCodeAt(end))) end++;
    at = end - start >= TOKEN_LENGTH_MIN ? readRun(text, start, end, found) : end;
  }
  return found;
}

/** Looks for tokens in a run of their characters. @returns where the search goes on. */
function readRun(text: string, start: number, end: number, found: Found[]): number {
  const whole = tokenAround(text, start);
  if (whole !== undefined) {
    found.push(whole);
    return whole.end;
  }
  const run = text.slice(start, end);
  if (MAY_BE_TOKEN.test(run)) found.push(...new TokenRun(run).tokens(start));
  return end;
}

/** A token of several parts, which begins at this run or just before it. */
function tokenAround(text: string, run: number): Found | undefined {
  const before = text.charCodeAt(run - 1);
  if (before === DOT || before === SLASH || before === TILDE) {
    for (const { begins, before: count, pattern } of BEFORE_RUN) {
      if (!text.startsWith(begins, run - count)) continue;
      const token = tokenAt(text, run - count, pattern);
      if (token) return begins === '8Q~' ? { start: Math.max(0, token.start - AZURE_BEFORE), end: token.end } : token;
    }
  } else if (before === COLON && text.startsWith('AA', run)) {
    for (let start = run - TELEGRAM_ID_MAX; start < run; start++) {
      const token = start >= 0 ? tokenAt(text, start, TELEGRAM) : undefined;
      if (token) return token;
    }
  }
  const first = text.charCodeAt(run);
  if (first === SMALL_E) return tokenAt(text, run, JWT);
  return first >= CAPITAL_M && first <= CAPITAL_O ? tokenAt(text, run, DISCORD) : undefined;
}

const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const TILDE = 0x7e;
const SMALL_E = 0x65;
const CAPITAL_M = 0x4d;
const CAPITAL_O = 0x4f;

function tokenAt(text: string, start: number, pattern: RegExp): Found | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? { start, end: pattern.lastIndex } : undefined;
}

/** Which of the first 128 characters are letters, digits, `-` and `_`: a look here is several times as fast as comparisons. */
const TOKEN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isTokenCharacter = (code: number): boolean => code < 128 && TOKEN_CHARACTERS[code] === 1;
