import { isStorableText } from '@spandrel/contract';
import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { modelPriceSchema } from '@spandrel/plugin-api';
import { z } from 'zod';

/** What users set about traces and spans. */
export class TracingSettings extends defineSettings({
  /** How often what a plan does not keep is deleted. */
  retentionIntervalMs: setting('retention.interval', settingValue.seconds(1, 86_400), {
    default: 3_600,
    doc: 'Seconds between two deletions of what the plans do not keep (cloud mode), and between two looks at texts that are older than retention.hot_days; the first comes about a quarter of it after the start.',
    source: { variable: 'SPANDREL_RETENTION_INTERVAL', kind: 'integer' },
  }),
  /** A table of prices over the built-in one, which is read again when it changes; `null`: none. */
  priceFile: setting('pricing.file', z.string().nullable(), {
    default: null,
    doc: 'A JSON file with prices over the built-in table, in the form of config/pricing/models.json or of the data file of @pydantic/genai-prices; it is read again when it changes. Relative to the folder the program is started in.',
    isPath: true,
    source: { variable: 'SPANDREL_PRICING_FILE' },
  }),
  /** Prices by exact model name, over the built-in table. */
  prices: setting('pricing.models', z.record(z.string(), modelPriceSchema), {
    default: {},
    doc: 'Dollars per million tokens by exact model name, over all other prices:\n  my-model: { input: 1.5, output: 6, cached_input: 0.75 }',
  }),
  /** Keys of metadata by which traces and spans are found without a look at each of them. */
  indexedMetadata: setting(
    'tracing.indexed_metadata',
    z.array(z.string().min(1).max(100).refine(isStorableText)).max(5),
    {
      default: ['environment', 'release', 'version'],
      doc: 'Up to five keys of the metadata of traces and spans that have an index: filters on them are fast. Others are looked for in one trace or span after the other. A key that is added is indexed in the background; the same on all servers.',
    },
  ),
}) {}

/** How much one request may read of what no sums are kept of. */
export class ScanSettings extends defineSettings({
  /** Rows that one request reads to sum up what no sums are kept of. */
  analyticsScanRows: setting('limits.analytics_scan_rows', z.number().int().min(1_000).max(1_000_000_000), {
    default: 2_000_000,
    doc: 'Spans or traces that one request reads at most, to split sums by user, session, tag, trace name or metadata.',
  }),
  /** How long it may take to read them. */
  analyticsScanMs: setting('limits.analytics_scan_seconds', settingValue.seconds(1, 3_600), {
    default: 5,
    doc: 'Seconds that reading them may take.',
  }),
}) {}
