import { defineMasker } from '@spandrel/plugin-api';
import { findPhones } from './find-phones.js';

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
