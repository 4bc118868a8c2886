import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { countSchema } from './values/numbers.js';
import { jsonMapSchema, jsonObjectSchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

/** The parts of what is recorded that a rule may name (docs/spec/masking.md#fields). */
export const MASKED_FIELDS = ['input', 'output', 'metadata', 'error', 'name', 'identity'] as const;
export type MaskedField = (typeof MASKED_FIELDS)[number];

export const MASKING_RULES_MAX = 50;

export const MASKING_PREVIEW_MAX = 100_000;

const fieldsSchema = z.array(z.enum(MASKED_FIELDS)).min(1).max(MASKED_FIELDS.length);
const replaceSchema = z
  .enum(['label', 'hash'])
  .describe('`label`: `[email]`. `hash`: `[email:…]`, the same for equal values of the project.');
const labelSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1 to 32 small letters, digits, "_" and "-", beginning with a letter');

const givenRuleSchema = z
  .object({
    masker: z
      .string()
      .min(1)
      .max(64)
      .describe('Name of a masker: `email`, `phone`, `card`, `iban`, `ip`, `secret`, `pattern`, or a plugin.'),
    fields: fieldsSchema.nullish().describe('All when left out.'),
    replace: replaceSchema.default('label'),
    label: labelSchema.nullish().describe("What stands in the brackets; the masker's own when left out."),
    config: jsonObjectSchema.nullish().describe('What the masker takes, such as `pattern`.'),
  })
  .meta({ id: 'GivenMaskingRule' });
const givenRulesSchema = boundedList(givenRuleSchema, MASKING_RULES_MAX);

/** `PUT /api/projects/:id/masking`: the rules are replaced as a whole. */
export const putMaskingSchema = z.object({ rules: givenRulesSchema }).meta({
  id: 'PutMasking',
  example: {
    rules: [
      { masker: 'email', replace: 'hash' },
      { masker: 'card', fields: ['input', 'output'] },
    ],
  },
});
export type PutMasking = z.output<typeof putMaskingSchema>;

/** A rule as answers show it: nothing left out. */
export const maskingRuleSchema = z
  .object({
    masker: z.string(),
    fields: z.array(z.enum(MASKED_FIELDS)),
    replace: replaceSchema,
    label: z.string(),
    config: jsonMapSchema,
  })
  .meta({ id: 'MaskingRule' });
export type MaskingRule = z.output<typeof maskingRuleSchema>;

const maskerSchema = z
  .object({
    name: z.string(),
    label: z.string(),
    config_schema: jsonMapSchema.nullable().describe('JSON Schema of `config`; `null` when it takes none.'),
  })
  .meta({ id: 'Masker' });

/** Answer of `GET` and `PUT /api/projects/:id/masking`. */
export const maskingSchema = z
  .object({
    project_id: z.string(),
    rules: z.array(maskingRuleSchema),
    updated_at: timestampTextSchema.nullable().describe('`null` before the first change.'),
    maskers: z.array(maskerSchema).describe('What rules may name on this server.'),
  })
  .meta({ id: 'Masking' });
export type MaskingResource = z.output<typeof maskingSchema>;

/** `POST /api/projects/:id/masking/preview`. */
export const previewMaskingSchema = z
  .object({
    text: z.string().max(MASKING_PREVIEW_MAX),
    field: z.enum(MASKED_FIELDS).default('input'),
    rules: givenRulesSchema.nullish().describe("With the scope `admin`; the project's own when left out."),
  })
  .meta({ id: 'PreviewMasking' });
export type PreviewMasking = z.output<typeof previewMaskingSchema>;

export const maskingPreviewSchema = z
  .object({
    text: z.string().describe('The text as it would be stored.'),
    found: z.array(z.object({ masker: z.string(), label: z.string(), count: countSchema })),
  })
  .meta({ id: 'MaskingPreview' });
export type MaskingPreview = z.output<typeof maskingPreviewSchema>;

/** `GET /api/masking`: what a gateway masks the recordings of a credential's project by. */
export const recordingMaskingSchema = z
  .object({
    project_id: z.string(),
    rules: z.array(maskingRuleSchema),
    hash_key: z
      .string()
      .nullable()
      .describe(
        'Base64url: what hashes are begun with, which the API finishes; `null` when no rule hashes, and when it cannot be had: values become labels then.',
      ),
  })
  .meta({ id: 'RecordingMasking' });
export type RecordingMasking = z.output<typeof recordingMaskingSchema>;
