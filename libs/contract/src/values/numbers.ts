import { z } from 'zod';

/** The double nearest to a JSON number, also to one that is kept as its source text; `undefined` for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** Checks a number that is kept as its source text by its double; as it came it would pass for an empty object. */
export const numberAsDouble = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => numberOf(value) ?? value, schema);

/** So many significant digits are enough to distinguish any double from all others; more are more than is kept. */
const DOUBLE_DIGITS_MAX = 17;

/**
 * A double. Programs that write 17 digits (`0.69999999999999996` for 0.7) mean it; more digits are refused (docs/spec/general.md#numbers).
 */
export const settingNumber = <T extends z.ZodType<unknown, number | null | undefined>>(schema: T) =>
  z.preprocess((value, context) => {
    if (!JSON.isRawJSON(value)) return value;
    if (significantDigits(value.rawJSON) <= DOUBLE_DIGITS_MAX) return Number(value.rawJSON);
    context.addIssue({ code: 'custom', message: `must not have more than ${DOUBLE_DIGITS_MAX} significant digits` });
    return z.NEVER;
  }, schema);

export const countSchema = z.number().int().min(0);

/** A measure of an answer that is never negative, such as milliseconds. */
export const amountSchema = z.number().min(0);

/** Dollars of an answer; `null` when there is no cost. */
export const costSchema = amountSchema.nullable().describe('Dollars; `null` when there is none.');

/** How much of what a cost stands beside is not in it (docs/spec/spans.md#unpriced-spans). */
export const unpricedCountSchema = countSchema.describe(
  'How many finished with tokens and without a cost: the cost beside it leaves them out.',
);

const significantDigits = (source: string): number =>
  source
    .replace(/[eE].*$/s, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '').length;
