import { z } from 'zod';
import { listAnswer } from './lists.js';
import { spanOutlineSchema } from './outlines.js';
import { boundedMembers, OWN_MEMBERS_MAX } from './values/bounded.js';
import { countSchema, settingNumber } from './values/numbers.js';
import { keySchema, labelSchema } from './values/text.js';
import { timestampTextSchema, storedTimes } from './values/timestamp.js';
import { statusNameSchema } from './traces.js';

/** Rules that a project has at most: each looks at every span that ends. */
export const CAPTURE_RULES_MAX = 500;

/** All filters given must hold, unknown ones are refused (docs/spec/capture-rules.md#filters-of-a-rule). */
export const captureFiltersSchema = boundedMembers(
  z
    .strictObject({
      model: keySchema.nullish(),
      provider: keySchema.nullish(),
      kind: keySchema.nullish(),
      status: statusNameSchema.exclude(['running']).nullish(),
      name_contains: z.string().max(2_000).nullish().describe('Ignores the case of ASCII letters.'),
      tag: keySchema.nullish().describe('A tag of the trace that the span belongs to.'),
      min_cost: settingNumber(z.number().min(0).nullish()).describe('Dollars.'),
      min_tokens: settingNumber(z.number().min(0).nullish()),
      min_duration_ms: settingNumber(z.number().min(0).nullish()),
    })
    .meta({ id: 'CaptureFilters', description: 'All given must hold.' }),
  OWN_MEMBERS_MAX,
);
export type CaptureFilters = z.output<typeof captureFiltersSchema>;

const sampleRateSchema = z.number().min(0).max(1);

/** `POST /api/datasets/:id/capture-rules`. */
export const createCaptureRuleSchema = z
  .object({
    name: labelSchema,
    enabled: z.boolean().nullish().describe('`true` when left out.'),
    filters: captureFiltersSchema.nullish(),
    sample_rate: settingNumber(sampleRateSchema.nullish()).describe('1 when left out.'),
  })
  .meta({ id: 'CreateCaptureRule' });
export type CreateCaptureRule = z.output<typeof createCaptureRuleSchema>;

/** `PUT /api/datasets/:id/capture-rules/:rule_id`: only members given change; `filters` is replaced whole. */
export const updateCaptureRuleSchema = z
  .object({
    name: labelSchema.optional(),
    enabled: z.boolean().optional(),
    filters: captureFiltersSchema.optional(),
    sample_rate: settingNumber(sampleRateSchema.optional()),
  })
  .meta({ id: 'UpdateCaptureRule', description: 'Only members given change; `filters` is replaced whole.' });
export type UpdateCaptureRule = z.output<typeof updateCaptureRuleSchema>;

/** Finished spans that a preview of a rule looks at, and the matching ones that it shows. */
export const CAPTURE_PREVIEW_SPANS_MAX = 1_000;
export const CAPTURE_PREVIEW_SHOWN_MAX = 20;

/** `POST /api/datasets/:id/capture-rules/preview` (docs/spec/capture-rules.md#preview-of-a-rule). */
export const previewCaptureSchema = z
  .object({
    filters: captureFiltersSchema.nullish(),
    sample_rate: settingNumber(sampleRateSchema.nullish()).describe('1 when left out.'),
  })
  .meta({ id: 'PreviewCapture' });
export type PreviewCaptureBody = z.output<typeof previewCaptureSchema>;

/** What a rule would have taken of the newest finished spans. */
export const capturePreviewSchema = z
  .object({
    scanned: countSchema.describe(`Finished spans that were looked at: the newest ${CAPTURE_PREVIEW_SPANS_MAX}.`),
    matched: countSchema,
    would_capture: countSchema.describe('About how many of the matching spans the sample takes.'),
    since: timestampTextSchema.nullable().describe('Start of the oldest span that was looked at.'),
    complete: z.boolean().describe('Whether all finished spans were looked at.'),
    spans: z
      .array(spanOutlineSchema)
      .max(CAPTURE_PREVIEW_SHOWN_MAX)
      .describe('Matching spans, newest first; the first 20.'),
  })
  .meta({ id: 'CapturePreview' });
export type CapturePreview = z.output<typeof capturePreviewSchema>;

export const captureRuleSchema = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    filters: captureFiltersSchema,
    sample_rate: sampleRateSchema.describe('Part of the matching spans that is taken.'),
    captured_count: countSchema,
    ...storedTimes,
  })
  .meta({ id: 'CaptureRule' });
export type CaptureRuleResource = z.output<typeof captureRuleSchema>;

export const captureRuleListSchema = listAnswer('CaptureRuleList', 'capture_rules', captureRuleSchema);
