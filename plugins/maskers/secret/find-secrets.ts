import { NOTHING_FOUND, type Found } from '@spandrel/plugin-api';
import { JWT, MAY_BE_TOKEN, SENDGRID, TOKEN, TOKEN_LENGTH_MIN } from './tokens.js';

/** The secrets in a text. */
export function findSecrets(text: string): readonly Found[] {
  const found = findTokens(text);
  if (text.includes('PRIVATE KEY')) add(found, text, PRIVATE_KEY);
  if (text.includes('://')) {
    add(found, text, PASSWORD_IN_URL);
    add(found, text, SLACK_HOOK);
  }
  if (/secret/i.test(text)) add(found, text, AWS_SECRET);
  if (text.length >= BEARER_LENGTH_MIN && /bearer /i.test(text)) add(found, text, BEARER);
  if (found.length === 0) return NOTHING_FOUND;
  return found.length === 1 ? found : found.toSorted((a, b) => a.start - b.start);
}

/** A block whose end is missing is secret up to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/dg;
const PASSWORD_IN_URL = /[a-z][a-z0-9+.-]{1,19}:\/\/[^\s/:@"'<>]{0,128}:([^\s/@"'<>[][^\s/@"'<>]{0,127})@/dgi;
const SLACK_HOOK = /hooks\.slack\.com\/services\/([\w/]{20,})/dg;
const AWS_SECRET = /secret[\w-]{0,20}?(?:key|token)?["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}([\w/+]{40})(?![\w/+=])/dgi;
const BEARER = /bearer {1,2}([\w.~+/-]{20,}=*)/dgi;
const BEARER_LENGTH_MIN = 27;

/** Adds what a pattern matches, or its first group. */
function add(found: Found[], text: string, pattern: RegExp): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [start, end] = match.indices![1] ?? match.indices![0]!;
    found.push({ start, end });
  }
}

/**
 * Tokens by how they begin. None has a shorter run of their characters than `TOKEN_LENGTH_MIN`, so one character in so many is
 * looked at, and what is around it where it may be one of a token's.
 */
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
  const whole = dottedToken(text, start);
  if (whole !== undefined) {
    found.push(whole);
    return whole.end;
  }
  const run = text.slice(start, end);
  if (!MAY_BE_TOKEN.test(run)) return end;
  for (const { index, 0: token } of run.matchAll(TOKEN)) {
    found.push({ start: start + index, end: start + index + token.length });
  }
  return end;
}

/** A token of several parts with dots, which begins at this run or just before it. */
function dottedToken(text: string, run: number): Found | undefined {
  return tokenAt(text, run, JWT_START, JWT) ?? tokenAt(text, run - SENDGRID_START.length, SENDGRID_START, SENDGRID);
}

const JWT_START = 'eyJ';
const SENDGRID_START = 'SG.';

function tokenAt(text: string, start: number, beginning: string, pattern: RegExp): Found | undefined {
  if (start < 0 || !text.startsWith(beginning, start)) return undefined;
  pattern.lastIndex = start;
  return pattern.test(text) ? { start, end: pattern.lastIndex } : undefined;
}

/** Which of the first 128 characters are letters, digits, `-` and `_`: a look here is several times as fast as comparisons. */
const TOKEN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isTokenCharacter = (code: number): boolean => code < 128 && TOKEN_CHARACTERS[code] === 1;
