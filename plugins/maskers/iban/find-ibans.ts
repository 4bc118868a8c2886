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

/** Where the number that begins here ends; `undefined` when none does. */
function endOf(text: string, start: number): number | undefined {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let compact = '';
  let at = start;
  while (compact.length < length && at < text.length) {
    const code = text.charCodeAt(at);
    if (isWordCharacter(code) && code !== UNDERSCORE) compact += text[at];
    else if (!isSeparator(code) || isSeparator(text.charCodeAt(at - 1))) return undefined;
    at++;
  }
  if (compact.length < length || isWordCharacter(text.charCodeAt(at))) return undefined;
  return remainderOf(compact.toUpperCase()) === 1 ? at : undefined;
}

const UNDERSCORE = 0x5f;
const isSeparator = (code: number): boolean => code === 0x20 || code === 0x2d || code === 0xa0;
const isWordCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === UNDERSCORE;

/** The number with its first four characters last and letters as two digits, modulo 97. */
function remainderOf(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
