import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about the read store. */
export class ReadStoreSettings extends defineSettings(
  {
    /** Name of the read store plugin; `null`: the database answers alone. */
    plugin: setting('read_store.plugin', z.string().min(1).nullable(), {
      default: null,
      doc: 'The read store plugin, which must be listed in plugins: too (clickhouse); null: the database answers alone. The same on all servers.',
      source: { variable: 'SPANDREL_READ_STORE' },
    }),
    lagMaxMs: setting('read_store.lag_max', settingValue.seconds(1, 86_400), {
      default: 60,
      doc: 'Seconds that the store may be behind; from then on the database answers alone until it has caught up.',
    }),
    /** Days for which the database keeps texts that the store has, too; `null`: for as long as the span. */
    hotDays: setting('retention.hot_days', z.number().int().min(1).max(36_500).nullable(), {
      default: null,
      doc: 'Days after which input and output of spans are in the read store alone, on SQLite and on Postgres; null: never. Needs read_store.plugin; the same on all servers.',
    }),
  },
  { read_store: 'A store beside the database that lists and searches spans where they are very many.' },
) {}
