import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** Numbers of payment cards, also as numbers of JSON. Blanks and dashes between the digits make no difference. */
export default defineMasker({
  name: 'card',
  setup: () => ({
    label: 'card',
    finder: () => ({
      lengthMin: 13,
      numbers: true,
      find: findCards,
      canonical: (value) => value.replaceAll(/[^\d]/g, ''),
    }),
  }),
});

/** How every card begins: eight digits, perhaps with a blank, a dash, a dot or a line break behind the fourth. */
const BEGINNING_OF_CARD = /\d{4}(?:\r?\n|[ .-])?\d{4}/g;

/** The numbers in a text that begin and end as a network's do, and whose last digit is right by Luhn. */
function findCards(text: string): readonly Found[] {
  let found: Found[] | undefined;
  BEGINNING_OF_CARD.lastIndex = 0;
  while (BEGINNING_OF_CARD.test(text)) {
    const past = BEGINNING_OF_CARD.lastIndex;
    const start = past - 2 * GROUP - signLength(text, past - GROUP);
    const end = isInsideNumber(text, start) ? undefined : endOfCard(text, start);
    if (end !== undefined) (found ??= []).push({ start, end });
    BEGINNING_OF_CARD.lastIndex = end ?? pastDigits(text, start);
  }
  return found ?? NOTHING_FOUND;
}

const GROUP = 4;
/** Groups that a number has at most. */
const GROUPS_MAX = 5;

/** How many characters stand between a group and what is before it. */
function signLength(text: string, group: number): number {
  const before = text.charCodeAt(group - 1);
  if (isDigit(before)) return 0;
  return before === LINE && text.charCodeAt(group - 2) === RETURN ? 2 : 1;
}

/** Where the card ends that begins here: in one piece, or in groups; `undefined` when it is none. */
function endOfCard(text: string, start: number): number | undefined {
  const { ends, hasLines } = groupsAt(text, start);
  const [first, second, third, fourth, fifth] = ends as [number, ...(number | undefined)[]];
  if (second === undefined || first !== start + GROUP) return endIfCard(text, start, first);
  // Numbers of a column are no groups.
  if (hasLines && (isBehindLine(text, start) || isBeforeLine(text, ends.at(-1)!))) return undefined;
  // American Express and Diners write theirs in three groups.
  if (digitsBefore(text, second) === GROUP + 2) return third === undefined ? undefined : endIfCard(text, start, third);
  const isInFours = [second, third, fourth].every((end) => end !== undefined && digitsBefore(text, end) === GROUP);
  if (!isInFours) return undefined;
  // Three digits behind four groups belong to the card, or are the code on its back.
  const isLonger = fifth !== undefined && digitsBefore(text, fifth) === GROUP - 1;
  return (isLonger ? endIfCard(text, start, fifth) : undefined) ?? endIfCard(text, start, fourth!);
}

/** Where the groups of digits end that begin here, with one kind of sign or line breaks between them. */
function groupsAt(text: string, start: number): { ends: number[]; hasLines: boolean } {
  const ends = [pastDigits(text, start)];
  let sign: number | undefined;
  let hasLines = false;
  while (ends.length < GROUPS_MAX) {
    const end = ends.at(-1)!;
    const code = text.charCodeAt(end);
    const line = code === LINE ? 1 : code === RETURN && text.charCodeAt(end + 1) === LINE ? 2 : 0;
    if (line === 0 && code !== (sign ?? code)) break;
    if (line === 0 && code !== BLANK && code !== DASH && code !== DOT) break;
    const next = end + (line === 0 ? 1 : line);
    const past = pastDigits(text, next);
    if (past === next) break;
    if (line === 0) sign = code;
    else hasLines = true;
    ends.push(past);
  }
  return { ends, hasLines };
}

function digitsBefore(text: string, end: number): number {
  let start = end;
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
  return end - start;
}

const isBehindLine = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === LINE &&
  isDigit(text.charCodeAt(start - (text.charCodeAt(start - 2) === RETURN ? 3 : 2)));

const isBeforeLine = (text: string, end: number): boolean =>
  (text.charCodeAt(end) === LINE && isDigit(text.charCodeAt(end + 1))) ||
  (text.charCodeAt(end) === RETURN && isDigit(text.charCodeAt(end + 2)));

const endIfCard = (text: string, start: number, end: number): number | undefined =>
  !goesOn(text, end) && isCard(text, start, end) ? end : undefined;

function isCard(text: string, start: number, end: number): boolean {
  let count = 0;
  let begins = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) continue;
    if (count < BEGINNING) begins = begins * 10 + code - 0x30;
    count++;
  }
  return networkHas(begins, count) && isLuhn(text, start, end);
}

/** Whether the digits are the end of a longer number, of an id or of a decimal. */
function isInsideNumber(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || (before === DOT && isDigit(text.charCodeAt(start - 2)))) return true;
  // Behind a country and check digits an account number goes on.
  return before === BLANK && /(?<!\w)[A-Z]{2}\d\d $/.test(text.slice(Math.max(0, start - 6), start));
}

/** Whether a word or a decimal goes on here. */
function goesOn(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  return isWord(after) || (after === DOT && isDigit(text.charCodeAt(end + 1)));
}

const BLANK = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const LINE = 0x0a;
const RETURN = 0x0d;
const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;

function pastDigits(text: string, start: number): number {
  let at = start;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** The check of ISO/IEC 7812: every second digit from the right counts twice. Blanks and dashes count for nothing. */
export function isLuhn(text: string, start = 0, end = text.length): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = end - 1; at >= start; at--) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) continue;
    const value = isDoubled ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}

/** How many digits of a number {@link networkHas} is given. */
const BEGINNING = 4;

const isBetween = (number: number, first: number, last: number): boolean => number >= first && number <= last;

/**
 * Whether a network has numbers of so many digits that begin so.
 * @param begins the first four digits.
 */
function networkHas(begins: number, digits: number): boolean {
  switch (Math.floor(begins / 1_000)) {
    case 2:
      return digits === 16 && isBetween(begins, 2221, 2720);
    case 3:
      return beginsWithThree(begins, digits);
    case 4:
      return digits === 13 || digits === 16 || digits === 19;
    case 5:
      if (isBetween(begins, 5100, 5599)) return digits === 16;
      if (MAESTRO.has(begins)) return hasMaestro(digits);
      return digits === 16 && isBetween(begins, 5080, 5089);
    case 6:
      return beginsWithSix(begins, digits);
    case 8:
      return digits === 16 && isBetween(begins, 8100, 8299);
    default:
      return false;
  }
}

/** American Express, Diners and JCB. */
function beginsWithThree(begins: number, digits: number): boolean {
  const two = Math.floor(begins / 100);
  if (two === 34 || two === 37) return digits === 15;
  if (isBetween(begins, 3528, 3589)) return isBetween(digits, 16, 19);
  return (isBetween(begins, 3000, 3059) || two === 36 || two === 38 || two === 39) && (digits === 14 || digits === 16);
}

/** Discover, RuPay, UnionPay and Maestro. */
function beginsWithSix(begins: number, digits: number): boolean {
  const two = Math.floor(begins / 100);
  if (MAESTRO.has(begins)) return hasMaestro(digits);
  if (two === 62) return isBetween(digits, 16, 19);
  if (two === 65 || isBetween(begins, 6440, 6499)) return digits === 16 || digits === 19;
  if (begins === 6011 && digits === 19) return true;
  return two === 60 && digits === 16;
}

const MAESTRO: ReadonlySet<number> = new Set([5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763]);
const hasMaestro = (digits: number): boolean => digits === 16 || digits === 18 || digits === 19;
