import { formatCount } from '@spandrel/contract/browser';
import { formatCost } from '../../components/format/format-cost.js';
import { formatDuration } from '../../components/format/format-duration.js';

/** What a number of a filter counts: milliseconds, dollars, or things. */
export type AmountUnit = 'duration' | 'cost' | 'count';

const SECOND = 1_000;
/** Milliseconds of what may stand behind a duration. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ '': 1, ms: 1, s: SECOND, min: 60 * SECOND, m: 60 * SECOND, h: 3_600 * SECOND },
};

/** What a field for such a number says below itself. */
export const AMOUNT_HINTS: Readonly<Record<AmountUnit, string>> = {
  duration: 'Milliseconds, or with a unit: 1.5 s, 2 min.',
  cost: 'Dollars: 0.05.',
  count: 'A whole number: 2000.',
};

/**
 * Reads a number as people write it: `1.5 s`, `$0.05`, `2,000`.
 * @returns the number as the API takes it, in milliseconds, dollars or whole things; `null` where it is none.
 */
export function readAmount(text: string, unit: AmountUnit): string | null {
  const plain = text.trim().replaceAll(',', '');
  const [, sign, number, word] = /^(\$?)(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i.exec(plain) ?? [];
  if (number === undefined || word === undefined || (sign !== '' && unit !== 'cost')) return null;
  const factor = unit === 'duration' ? LENGTHS[word.toLowerCase()] : word === '' ? 1 : undefined;
  if (factor === undefined || (unit === 'count' && number.includes('.'))) return null;
  // Fifteen digits leave out what a product of doubles adds behind them.
  return String(Number((Number(number) * factor).toPrecision(15)));
}

/** A number of the address in words: `1.50 s`, `$0.05`, `2,000`. */
export function writeAmount(text: string, unit: AmountUnit): string {
  const write = { duration: formatDuration, cost: formatCost, count: formatCount }[unit];
  return write(Number(text));
}
