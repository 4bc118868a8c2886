import { NOTHING_FOUND, type Found } from '@spandrel/plugin-api';
import { BEGINNING, networkHas } from './networks.js';

/** How every card begins: eight digits, perhaps with a blank or a dash behind the fourth. */
const BEGINNING_OF_CARD = /\d{4}[ -]?\d{4}/g;

/** The numbers in a text that begin and end as a network's do, and whose last digit is right by Luhn. */
export function findCards(text: string): readonly Found[] {
  let found: Found[] | undefined;
  BEGINNING_OF_CARD.lastIndex = 0;
  while (BEGINNING_OF_CARD.test(text)) {
    const past = BEGINNING_OF_CARD.lastIndex;
    const start = isDigit(text.charCodeAt(past - 5)) ? past - 8 : past - 9;
    const end = isInsideNumber(text, start) ? undefined : endOfCard(text, start);
    if (end !== undefined) (found ??= []).push({ start, end });
    BEGINNING_OF_CARD.lastIndex = end ?? pastDigits(text, start);
  }
  return found ?? NOTHING_FOUND;
}

/** Where the card ends that begins here: in one piece, or in groups; `undefined` when it is none. */
function endOfCard(text: string, start: number): number | undefined {
  const first = pastDigits(text, start);
  const separator = text.charCodeAt(first);
  if (first !== start + GROUP || (separator !== BLANK && separator !== DASH)) return endIfCard(text, start, first);
  const second = pastGroup(text, first, separator);
  const third = pastGroup(text, second, separator);
  // American Express and Diners write theirs in three groups.
  if (second - first === GROUP + 3) return endIfCard(text, start, third);
  const fourth = pastGroup(text, third, separator);
  if ([second - first, third - second, fourth - third].some((length) => length !== GROUP + 1)) return undefined;
  // Three digits behind four groups belong to the card, or are the code on its back.
  const fifth = pastGroup(text, fourth, separator);
  return (fifth - fourth === GROUP ? endIfCard(text, start, fifth) : undefined) ?? endIfCard(text, start, fourth);
}

/** Digits of a group. */
const GROUP = 4;

/** Past a separator and the digits behind it; `at` when there are none. */
function pastGroup(text: string, at: number, separator: number): number {
  const end = text.charCodeAt(at) === separator ? pastDigits(text, at + 1) : at;
  return end > at + 1 ? end : at;
}

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
