import { z } from 'zod';

/** Text that both databases keep exactly: no NUL, no lone surrogate (docs/spec/general.md#values-are-kept-exactly). */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Longest name of a trace, span or other resource, in UTF-16 units. */
export const NAME_LENGTH_MAX = 2_000;

/** Longest value that is looked up exactly (session, user, tag, model …), in UTF-16 units; fits an index row. */
export const KEY_LENGTH_MAX = 512;

/** @param lengthMax in UTF-16 units. */
export const storableSchema = (lengthMax: number) =>
  z.string().max(lengthMax).refine(isStorableText, 'must not hold NUL characters or lone surrogates');

export const nameSchema = storableSchema(NAME_LENGTH_MAX);
export const keySchema = storableSchema(KEY_LENGTH_MAX);

/** A name that something must have. */
export const labelSchema = nameSchema.min(1, 'must not be empty');

export const CLIENT_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** An identifier that a client may choose (docs/spec/general.md#identifiers-chosen-by-the-client). */
export const clientIdSchema = z
  .string()
  .regex(CLIENT_ID, 'must be 1 to 128 characters of A-Z, a-z, 0-9, "_", ".", ":" and "-"')
  .meta({ example: 'order-42:step.1' });

/** A JSON object with any keys; kept by reference, so that own `__proto__` keys survive. */
export const jsonObjectSchema = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value),
    'must be an object',
  )
  .meta({ openapi: { type: 'object', additionalProperties: true } });

/** Any JSON value, kept by reference. */
export const jsonValueSchema = z.unknown().describe('Any JSON.');

/** A JSON object of an answer. */
export const jsonMapSchema = z.record(z.string(), z.unknown());
