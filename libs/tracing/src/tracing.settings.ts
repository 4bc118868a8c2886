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
  /** A table of prices over the built-in one, which is read again when it changes; `null`: none. */
  priceFile: setting('pricing.file', z.string().nullable(), {
    default: null,
    doc: 'A JSON file with prices over the built-in table, in the form of config/pricing/models.json or of the data file of @pydantic/genai-prices; it is read again when it changes. Relative to the folder the program is started in.',
    isPath: true,
    source: {
      variable: 'SPANDREL_PRICING_FILE',
      help: 'a JSON file with prices of models, read again when it changes',
    },
  }),
  /** Prices by exact model name, over the built-in table. */
  prices: setting('pricing.models', z.record(z.string(), modelPriceSchema), {
    default: {},
    doc: 'Dollars per million tokens by exact model name, over all other prices:\n  my-model: { input: 1.5, output: 6, cached_input: 0.75 }',
  }),
}) {}
