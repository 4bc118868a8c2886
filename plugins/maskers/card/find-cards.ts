import { NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** Digits as cards have them: in one piece, in groups of four, and in the groups of American Express and Diners. */
const CANDIDATE = /\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}/g;

/** How the numbers of each network begin, and how many digits they have. */
const NETWORKS: readonly [begins: RegExp, lengths: readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [16, 18, 19]],
  [/^(?:60|8[12]|508)/, [16]],
];

/** The numbers in a text that begin and end as a network's do, and whose last digit is right by Luhn. */
export function findCards(text: string): readonly Found[] {
  if (!/\d{4}[ -]?\d{4}/.test(text)) return NOTHING_FOUND;
  const found: Found[] = [];
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match; match = CANDIDATE.exec(text)) {
    const { index: start, 0: value } = match;
    const end = start + value.length;
    if (isInsideNumber(text, start, end)) {
      CANDIDATE.lastIndex = pastDigits(text, start);
      continue;
    }
    if (isCard(value.replaceAll(/[ -]/g, ''))) found.push({ start, end });
    else CANDIDATE.lastIndex = pastDigits(text, start);
  }
  return found.length === 0 ? NOTHING_FOUND : found;
}

function isCard(digits: string): boolean {
  return NETWORKS.some(([begins, lengths]) => lengths.includes(digits.length) && begins.test(digits)) && isLuhn(digits);
}

/** Whether the digits are a part of a longer number, of an id or of a decimal. */
function isInsideNumber(text: string, start: number, end: number): boolean {
  const before = text[start - 1];
  if (before !== undefined && /[\w.]/.test(before) && !(before === '.' && !/\d/.test(text[start - 2] ?? '')))
    return true;
  const after = text[end];
  return after !== undefined && (/\w/.test(after) || (after === '.' && /\d/.test(text[end + 1] ?? '')));
}

function pastDigits(text: string, start: number): number {
  let at = start;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** The check of ISO/IEC 7812: every second digit from the right counts twice. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
