import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** International bank account numbers, in one piece or in groups. */
export default defineMasker({
  name: 'iban',
  setup: () => ({
    label: 'iban',
    finder: () => ({
      lengthMin: 15,
      find: findIbans,
      canonical: (value) => value.replaceAll(/[^a-z0-9]/gi, '').toUpperCase(),
    }),
  }),
});

const BEGINNING = /[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}/gi;

/** The numbers in a text that have the length of their country and the right check digits (ISO 13616, modulo 97). */
function findIbans(text: string): readonly Found[] {
  const found: Found[] = [];
  BEGINNING.lastIndex = 0;
  for (let match = BEGINNING.exec(text); match; match = BEGINNING.exec(text)) {
    const start = match.index;
    const end = /\w/.test(text.charAt(start - 1)) ? undefined : endOf(text, start);
    if (end === undefined) {
      BEGINNING.lastIndex = start + 1;
    } else {
      found.push({ start, end });
      BEGINNING.lastIndex = end;
    }
  }
  return found.length === 0 ? NOTHING_FOUND : found;
}

const LETTER_OR_DIGIT = /[A-Z0-9]/i;
const SEPARATOR = /[ \u00a0-]/;

/** Where the number that begins here ends; `undefined` when none does. */
function endOf(text: string, start: number): number | undefined {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let number = '';
  let at = start;
  for (; number.length < length; at++) {
    const character = text.charAt(at);
    if (LETTER_OR_DIGIT.test(character)) number += character;
    else if (!SEPARATOR.test(character) || SEPARATOR.test(text.charAt(at - 1))) return undefined;
  }
  return /\w/.test(text.charAt(at)) || remainderOf(number) !== 1n ? undefined : at;
}

/** The remainder modulo 97, country and check digits last; a letter counts as two digits, A as 10. */
function remainderOf(number: string): bigint {
  const digits = (number.slice(4) + number.slice(0, 4)).replaceAll(/[A-Z]/gi, (letter) =>
    String(Number.parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n;
}

/** Characters of the account numbers of each country that has them (the registry of ISO 13616). */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29, BY: 28, CH: 21 },
    ...{ CR: 22, CY: 28, CZ: 24, DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FK: 18, FO: 18 },
    ...{ FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28, HN: 28, HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23 },
    ...{ IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20, LU: 20, LV: 21, LY: 25, MC: 27 },
    ...{ MD: 24, ME: 22, MK: 19, MN: 20, MR: 27, MT: 31, MU: 30, NI: 28, NL: 18, NO: 15, OM: 23, PK: 24, PL: 28 },
    ...{ PS: 29, PT: 25, QA: 29, RO: 24, RS: 22, RU: 33, SA: 24, SC: 31, SD: 18, SE: 24, SI: 19, SK: 24, SM: 27 },
    ...{ SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20, YE: 30 },
  }),
);
