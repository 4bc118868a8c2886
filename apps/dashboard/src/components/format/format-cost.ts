import { NONE } from '@spandrel/contract/browser';

const SIGNIFICANT_DIGITS = 3;
const CENTS = 2;
const FRACTION_DIGITS_MAX = 20;

/**
 * Dollars as `$12.30`, `$0.0123`, `$0.00000045`: cents as a rule, below a dollar so many digits that a cost is never
 * rounded to 0. @param dollars `null` where there is no cost.
 */
export function formatCost(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return NONE;
  if (dollars === 0) return '$0';
  return withDigits(dollars, fractionDigitsOf(Math.abs(dollars)));
}

/** Dollars with every digit that is known, for tooltips and copies. */
export function formatCostExactly(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return NONE;
  return withDigits(dollars, FRACTION_DIGITS_MAX);
}

function withDigits(dollars: number, digits: number): string {
  let format = FORMATS.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: CENTS,
      maximumFractionDigits: digits,
    });
    FORMATS.set(digits, format);
  }
  return format.format(dollars);
}

/** Formats by their number of digits: to make one takes longer than a thousand uses of it. */
const FORMATS = new Map<number, Intl.NumberFormat>();

function fractionDigitsOf(amount: number): number {
  if (amount >= 1) return CENTS;
  const leadingZeros = Math.max(0, -Math.floor(Math.log10(amount)) - 1);
  return Math.min(FRACTION_DIGITS_MAX, leadingZeros + SIGNIFICANT_DIGITS);
}
