import { z } from 'zod';
import { settingNumber } from './numbers.js';
import { keySchema, labelSchema } from './text.js';
import { statusNameSchema } from './traces.js';

/** Which spans a rule takes; all given must hold. Unknown ones are refused (contract.md "Capture rules"). */
export const captureFiltersSchema = z.strictObject({
  model: keySchema.nullish(),
  provider: keySchema.nullish(),
  kind: keySchema.nullish(),
  status: statusNameSchema.exclude(['running']).nullish(),
  name_contains: z.string().max(2_000).nullish(),
  tag: keySchema.nullish(),
  /** Dollars. */
  min_cost: settingNumber(z.number().min(0).nullish()),
  min_tokens: settingNumber(z.number().min(0).nullish()),
  min_duration_ms: settingNumber(z.number().min(0).nullish()),
});
export type CaptureFilters = z.output<typeof captureFiltersSchema>;

const sampleRateSchema = z.number().min(0).max(1);

/** `POST /api/datasets/:id/capture-rules`. */
export const createCaptureRuleSchema = z.object({
  name: labelSchema,
  enabled: z.boolean().nullish(),
  filters: captureFiltersSchema.nullish(),
  sample_rate: settingNumber(sampleRateSchema.nullish()),
});
export type CreateCaptureRule = z.output<typeof createCaptureRuleSchema>;

/** `PUT /api/datasets/:id/capture-rules/:rule_id`: only members given change; `filters` is replaced whole. */
export const updateCaptureRuleSchema = z.object({
  name: labelSchema.optional(),
  enabled: z.boolean().optional(),
  filters: captureFiltersSchema.optional(),
  sample_rate: settingNumber(sampleRateSchema.optional()),
});
export type UpdateCaptureRule = z.output<typeof updateCaptureRuleSchema>;

export interface CaptureRuleResource {
  id: string;
  dataset_id: string;
  name: string;
  enabled: boolean;
  filters: CaptureFilters;
  /** Part of the matching spans that is taken, 0 to 1. */
  sample_rate: number;
  captured_count: number;
  created_at: string;
  updated_at: string;
}
