import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { modelPriceSchema } from '@spandrel/plugin-api';
import { z } from 'zod';

/** What users set about traces and spans. */
export class TracingSettings extends defineSettings({
  /** How often what a plan does not keep is deleted. */
  retentionIntervalMs: setting('retention.interval', settingValue.seconds(1, 86_400), {
    default: 3_600,
    doc: 'Cloud mode: seconds between two deletions of what the plans do not keep; the first comes about a quarter of it after the start.',
    source: {
      variable: 'SPANDREL_RETENTION_INTERVAL',
      kind: 'integer',
      help: 'seconds between two deletions of what the plans do not keep (cloud mode)',
    },
  }),
  /** Prices by exact model name, over the built-in table. */
  prices: setting('pricing.models', z.record(z.string(), modelPriceSchema), {
    default: {},
    doc: 'Dollars per million tokens by exact model name, over the built-in table:\n  my-model: { input: 1.5, output: 6, cached_input: 0.75 }',
  }),
}) {}
