import { Gauge, type Registry } from '@prometheus-io/client';
import { withinMs } from './time-limit.js';

/** How long a page of metrics waits for a source, in milliseconds. */
export const SOURCE_MS_MAX = 300;

/** A sample of a gauge. */
export interface GaugeSample {
  labels?: Record<string, string>;
  value: number;
}

/** A gauge and how its samples follow from a reading of its source. */
export interface SourceGauge<Reading> {
  name: string;
  help: string;
  labelNames?: readonly string[];
  samples: (reading: Reading) => readonly GaugeSample[];
}

/**
 * Registers gauges of a state that lies outside this process, such as the count of rows in a table. They have no samples
 * while the source cannot be read or takes longer than {@link SOURCE_MS_MAX}: a last value, or 0, would hide that from an
 * alert (docs/operations.md#metrics). The source is asked once for all gauges of a page, and never twice at once.
 * @param read a reading of the source; its failure is not logged, as the source's own health is reported elsewhere.
 */
export function registerSourceGauges<Reading>(
  registry: Registry,
  read: () => Promise<Reading>,
  gauges: readonly SourceGauge<Reading>[],
): void {
  const current = sharedReading(read);
  for (const { name, help, labelNames = [], samples } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const reading = await current();
        this.reset();
        // The library begins a gauge without labels at 0.
        if (labelNames.length === 0) this.remove();
        if (!reading) return;
        for (const { labels, value } of samples(reading.value)) {
          if (labels) this.set(labels, value);
          else this.set(value);
        }
      },
    });
  }
}

/** Reads the source, or joins a reading that is under way. @returns nothing when that fails or takes too long. */
function sharedReading<Reading>(read: () => Promise<Reading>): () => Promise<{ value: Reading } | undefined> {
  let reading: Promise<{ value: Reading } | undefined> | undefined;
  const ask = async (): Promise<{ value: Reading } | undefined> => {
    try {
      return { value: await read() };
    } catch {
      return undefined;
    }
  };
  return () => withinMs(SOURCE_MS_MAX, (reading ??= ask().finally(() => (reading = undefined))), () => undefined);
}
