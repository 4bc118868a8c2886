import { formatTimestamp, type CaptureRuleResource } from '@spandrel/contract';
import type { CaptureRuleRow } from './capture-rule.entity.js';
import { storedFilters } from './capture-filters.js';

/** A stored capture rule as the wire shows it. */
export const captureRuleResource = (rule: CaptureRuleRow): CaptureRuleResource => ({
  id: rule.id,
  dataset_id: rule.datasetId,
  name: rule.name,
  enabled: rule.enabled === 1,
  filters: storedFilters(rule),
  sample_rate: rule.sampleRate,
  captured_count: rule.capturedCount,
  created_at: formatTimestamp(rule.createdAt),
  updated_at: formatTimestamp(rule.updatedAt),
});
