/** A way in which phone numbers are written. */
export interface PhoneForm {
  /** Sticky. */
  readonly pattern: RegExp;
  readonly digitsMin: number;
  readonly digitsMax: number;
}

/** `+49 (0)30 901820`, `+1 (415) 555-0132`, `+4930901820`: between two groups one separator, or a parenthesis. */
export const FORMS_OF_PLUS: readonly PhoneForm[] = [
  {
    pattern: /\+[1-9]\d{0,2}(?:(?:[ ./\u00a0-]| ?\(|\)[ ./-]?)?\d{1,5}){1,7}/y,
    digitsMin: 8,
    digitsMax: 15,
  },
];

/** `0049 30 901820` */
export const FORMS_OF_ZEROS: readonly PhoneForm[] = [
  { pattern: /00[1-9]\d{0,2}(?:[ ./-]\(?\d{1,8}\)?){2,6}/y, digitsMin: 10, digitsMax: 17 },
];

/** `06 12 34 56 78`, `030/901820`, `(030) 90 18 20`, `020 7946 0958` */
export const FORMS_OF_ZERO: readonly PhoneForm[] = [
  { pattern: /0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}/y, digitsMin: 10, digitsMax: 10 },
  { pattern: /\(?0[1-9]\d{0,4}(?:\) ?|[ /-])\d{2,8}(?:[ -]\d{2,5}){0,4}/y, digitsMin: 9, digitsMax: 12 },
];

/** `(415) 555-0132`, `1-415-555-0132`; with hyphens, dots or a parenthesis any digits, as in `(555) 123-4567`. */
export const FORMS_OF_AREA: readonly PhoneForm[] = [
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
