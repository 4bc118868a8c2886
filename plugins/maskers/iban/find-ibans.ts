import { NOTHING_FOUND, type Found } from '@spandrel/plugin-api';
import { IBAN_LENGTHS } from './iban-lengths.js';

const BEGINNING = /[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}/gi;

/** The numbers in a text that have the length of their country and the right check digits (ISO 13616, modulo 97). */
export function findIbans(text: string): readonly Found[] {
  const found: Found[] = [];
  BEGINNING.lastIndex = 0;
  for (let match = BEGINNING.exec(text); match; match = BEGINNING.exec(text)) {
    const start = match.index;
    const end = isWordCharacter(text.charCodeAt(start - 1)) ? undefined : endOf(text, start);
    if (end === undefined) {
      BEGINNING.lastIndex = start + 1;
    } else {
      found.push({ start, end });
      BEGINNING.lastIndex = end;
    }
  }
  return found.length === 0 ? NOTHING_FOUND : found;
}

/** Characters that the remainder counts last: country and check digits. */
const BEGINNING_LENGTH = 4;

/** Where the number that begins here ends; `undefined` when none does. */
function endOf(text: string, start: number): number | undefined {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let remainder = 0;
  let at = start + BEGINNING_LENGTH;
  for (let count = BEGINNING_LENGTH; count < length; at++) {
    const code = text.charCodeAt(at);
    if (isWordCharacter(code) && code !== UNDERSCORE) {
      remainder = withCharacter(remainder, code);
      count++;
    } else if (!isSeparator(code) || isSeparator(text.charCodeAt(at - 1))) {
      return undefined;
    }
  }
  if (isWordCharacter(text.charCodeAt(at))) return undefined;
  for (let first = start; first < start + BEGINNING_LENGTH; first++) {
    remainder = withCharacter(remainder, text.charCodeAt(first));
  }
  return remainder === 1 ? at : undefined;
}

/** The remainder modulo 97 with one more character behind; a letter, large or small, counts as two digits. */
function withCharacter(remainder: number, code: number): number {
  const isDigit = code <= NINE;
  return (remainder * (isDigit ? 10 : 100) + (isDigit ? code - ZERO : (code | SMALL) - LETTER_OF_TEN + 10)) % 97;
}

const ZERO = 0x30;
const NINE = 0x39;
/** The bit that makes a letter small. */
const SMALL = 0x20;
/** The letter that counts as 10, `a`. */
const LETTER_OF_TEN = 0x61;
const UNDERSCORE = 0x5f;
const isSeparator = (code: number): boolean => code === 0x20 || code === 0x2d || code === 0xa0;
const isWordCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === UNDERSCORE;
