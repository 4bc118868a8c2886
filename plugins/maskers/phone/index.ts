import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/**
 * Phone numbers: international ones, those of North America in groups, national ones with a leading zero in groups, and any
 * digits behind a word such as "phone".
 */
export default defineMasker({
  name: 'phone',
  setup: () => ({
    label: 'phone',
    finder: () => ({ lengthMin: 7, find: findPhones, canonical: canonicalPhone }),
  }),
});

/** The digits; a leading 00 is a plus, and a zero in parentheses is said to callers at home alone. */
function canonicalPhone(value: string): string {
  const digits = value.replace('(0)', '').replaceAll(/[^\d+]/g, '');
  return digits.startsWith('00') ? `+${digits.slice(2)}` : digits;
}

const NAMED_BEFORE =
  /(?:^|[^a-z])(?:tel|phone|mobile|cell|fax|call|whatsapp|sms|telefon|handy|rufnummer)[a-z_]{0,20}[^a-z\d\n]{1,6}$/i;
const NAME_LENGTH = 24;
/** Where numbers may be: so many characters that they are written with, one after the other. Most texts have no such region. */
const REGION_MIN = 7;
const NAMED_DIGITS = { min: 7, max: 15 };
const DATE = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}/;

const PLUS = 0x2b;
const OPENING = 0x28;
const ZERO = 0x30;
const ONE = 0x31;
const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;

/** The numbers in a text. Digits in one piece are one where a word such as "phone" stands before them, or a plus. */
function findPhones(text: string): readonly Found[] {
  let found: Found[] | undefined;
  // No region is shorter, so one character in so many is looked at.
  for (let at = REGION_MIN - 1; at < text.length; at += REGION_MIN) {
    if (!isOfRegion(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isOfRegion(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isOfRegion(text.charCodeAt(end))) end++;
    at = end;
    if (end - start >= REGION_MIN) found = findInRegion(text, start, end, found);
  }
  return found ?? NOTHING_FOUND;
}

function findInRegion(text: string, start: number, end: number, before: Found[] | undefined): Found[] | undefined {
  let found = before;
  for (let at = text.charCodeAt(start - 1) === PLUS ? start - 1 : start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== PLUS && code !== OPENING) continue;
    const past = endOf(text, at, code);
    if (past !== undefined) (found ??= []).push({ start: at, end: past });
    at = (past ?? (isDigit(code) ? pastDigits(text, at) : at + 1)) - 1;
  }
  return found;
}

/** Which of the first 256 characters numbers are written with: a look here is several times as fast as comparisons. */
const REGION_CHARACTERS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\d ()./\u00a0-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isOfRegion = (code: number): boolean => code < 256 && REGION_CHARACTERS[code] === 1;

function pastDigits(text: string, start: number): number {
  let at = start + 1;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Where the number that begins here ends; `undefined` when none does. */
function endOf(text: string, start: number, code: number): number | undefined {
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || before === PLUS) return undefined;
  const end = isJoined(text, start, before) ? undefined : endOfForm(text, start, code);
  return end ?? endOfNamed(text, start, code);
}

/** Whether a sign joins what begins here to a number before it, or to a word; behind a word a comma and a colon do not. */
function isJoined(text: string, start: number, before: number): boolean {
  if (!isJoiner(before)) return false;
  const code = text.charCodeAt(start - 2);
  return before === COMMA || before === COLON ? isDigit(code) : isWord(code);
}

const COMMA = 0x2c;
const COLON = 0x3a;

/** Any of `,` `-` `.` `/` and `:`. */
const isJoiner = (code: number): boolean => (code >= COMMA && code <= 0x2f) || code === COLON;

const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;

function endOfForm(text: string, start: number, code: number): number | undefined {
  for (const { pattern, digitsMin, digitsMax } of formsAt(text, start, code)) {
    pattern.lastIndex = start;
    let value = pattern.exec(text)?.[0];
    // A number behind a blank may be another one, such as a time: "+44 20 7946 0958 10:30".
    for (; value !== undefined; value = withoutLastGroup(value)) {
      const digits = countDigits(value);
      if (digits < digitsMin) break;
      const end = start + value.length;
      if (digits <= digitsMax && !goesOn(text, end) && !DATE.test(value)) return end;
    }
  }
  return undefined;
}

/** What stands before the last blank; `undefined` where there is none. */
function withoutLastGroup(value: string): string | undefined {
  const blank = Math.max(value.lastIndexOf(' '), value.lastIndexOf('\u00a0'));
  return blank === -1 ? undefined : value.slice(0, blank);
}

/** Where digits in one piece end that a word before them calls a phone's. */
function endOfNamed(text: string, start: number, code: number): number | undefined {
  const end = pastDigits(text, start);
  const isLong = end - start >= NAMED_DIGITS.min && end - start <= NAMED_DIGITS.max && isDigit(code);
  if (!isLong || goesOn(text, end)) return undefined;
  return NAMED_BEFORE.test(text.slice(Math.max(0, start - NAME_LENGTH), start)) ? end : undefined;
}

const NONE: readonly PhoneForm[] = [];

/** The forms that may begin with this character, as far as a look at those behind it shows. */
function formsAt(text: string, start: number, code: number): readonly PhoneForm[] {
  if (code === PLUS) return FORMS_OF_PLUS;
  if (code === OPENING) return text.charCodeAt(start + 1) === ZERO ? FORMS_OF_ZERO : FORMS_OF_AREA;
  if (code === ZERO) {
    if (isBehindNumber(text, start)) return NONE;
    return text.charCodeAt(start + 1) === ZERO ? FORMS_OF_ZEROS : FORMS_OF_ZERO;
  }
  const area = code === ONE && !isDigit(text.charCodeAt(start + 1)) ? start + 1 : start + 3;
  return isDigit(text.charCodeAt(area)) || isWord(text.charCodeAt(area)) ? NONE : FORMS_OF_AREA;
}

/** Whether a group of digits stands before this one: it is the middle of something longer, such as an account number. */
const isBehindNumber = (text: string, start: number): boolean =>
  isDigit(text.charCodeAt(start - 2)) && text.charCodeAt(start - 1) === 0x20 && isDigit(text.charCodeAt(start - 3));

function countDigits(value: string): number {
  let count = 0;
  for (let at = 0; at < value.length; at++) if (isDigit(value.charCodeAt(at))) count++;
  return count;
}

const goesOn = (text: string, end: number): boolean =>
  isWord(text.charCodeAt(end)) || (isJoiner(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)));

interface PhoneForm {
  /** Sticky. */
  readonly pattern: RegExp;
  readonly digitsMin: number;
  readonly digitsMax: number;
}

/** `+49 (0)30 901820`, `+1 (415) 555-0132`, `+4930901820`: between two groups one separator, or a parenthesis. */
const FORMS_OF_PLUS: readonly PhoneForm[] = [
  {
    pattern: /\+[1-9]\d{0,2}(?:(?:[ ./\u00a0-]| ?\(|\)[ ./-]?)?\d{1,5}){1,7}/y,
    digitsMin: 8,
    digitsMax: 15,
  },
];

/** `0049 30 901820` */
const FORMS_OF_ZEROS: readonly PhoneForm[] = [
  { pattern: /00[1-9]\d{0,2}(?:[ ./-]\(?\d{1,8}\)?){2,6}/y, digitsMin: 10, digitsMax: 17 },
];

/** `06 12 34 56 78`, `030/901820`, `(030) 90 18 20`, `020 7946 0958` */
const FORMS_OF_ZERO: readonly PhoneForm[] = [
  { pattern: /0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}/y, digitsMin: 10, digitsMax: 10 },
  { pattern: /\(?0[1-9]\d{0,4}(?:\) ?|[ /-])\d{2,8}(?:[ -]\d{2,5}){0,4}/y, digitsMin: 9, digitsMax: 12 },
];

/** `(415) 555-0132`, `1-415-555-0132`; with hyphens, dots or a parenthesis any digits, as in `(555) 123-4567`. */
const FORMS_OF_AREA: readonly PhoneForm[] = [
  {
    pattern: /(?:1[ .-])?\(?[2-9]\d{2}(?:\) ?|[ .-])[2-9]\d{2}[ .-]\d{4}/y,
    digitsMin: 10,
    digitsMax: 11,
  },
  {
    pattern: /(?:1[ .-])?(?:\([1-9]\d{2}\)[ -]?\d{3}[ -]|[1-9]\d{2}([.-])\d{3}\1)\d{4}/y,
    digitsMin: 10,
    digitsMax: 11,
  },
];
