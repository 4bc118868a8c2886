import { z } from 'zod';

/** Page sizes of the lists (contract.md "General"). */
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 1_000;

/** A number in a query string; parses to the number. */
export const queryNumberSchema = z
  .string()
  .regex(/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/, 'must be a number')
  .transform(Number)
  .pipe(z.number());

/** `limit` of a list. @param limitDefault taken when the parameter is absent. */
export const limitSchema = (limitDefault: number = PAGE_LIMIT_DEFAULT) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.number().min(1).max(PAGE_LIMIT_MAX))
    .default(limitDefault);

/** `cursor` of a list, opaque. */
export const cursorSchema = z.string().max(8_192);

/** A query parameter that may be repeated; parses to a list. */
export const repeatable = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item).max(64));
