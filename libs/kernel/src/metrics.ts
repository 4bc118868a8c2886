import { collectDefaultMetrics, Counter, Gauge, Registry } from '@prometheus-io/client';
import { lostConnections } from './lifecycle/lost-connection.js';
import type { LogOutput } from './log/process-output.js';
import { PACKAGE } from './package-root.js';
import { withinMs } from './time.js';

/** Injection token of the process's metrics: a `Registry` of @prometheus-io/client, which `/metrics` shows. */
export const METRICS = Symbol('metrics');

/** Gauges of the client library that are named like counters and walk over every open handle when they are read. */
const LEFT_OUT = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** The metrics that a program begins with, once: they watch event loop and garbage collector for as long as it lives. */
export function programMetrics(mode: string, output: LogOutput): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'spandrel_build_info',
    help: 'Always 1; its labels say which version runs, and in which mode.',
    labelNames: ['version', 'mode'] as const,
    registers: [registry],
  }).set({ version: PACKAGE.version, mode }, 1);
  const count = (name: string, help: string, total: () => number): void => {
    let shown = 0;
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.inc(total() - shown);
        shown = total();
      },
    });
  };
  count(
    'spandrel_log_lines_dropped_total',
    'Lines of the log lost because nobody read them in time, or nobody could.',
    () => output.droppedLines,
  );
  count(
    'spandrel_unheard_connections_total',
    'Connections lost that nothing listened to: a fault of the program, which goes on.',
    () => lostConnections.count,
  );
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  return registry;
}

/** All metrics in the text format of Prometheus, whose strict readers refuse a page for the library's `Nan`. */
export const metricsText = async (registry: Registry): Promise<string> =>
  (await registry.metrics()).replace(/^([^#].*) Nan$/gm, '$1 NaN');

/** How long a page of metrics waits for a source, in milliseconds. */
export const SOURCE_MS_MAX = 300;

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
 * Registers gauges of a state outside this process. They have no samples while the source cannot be read in time: a
 * last value would hide that from an alert (docs/operations.md#metrics). It is asked once for all gauges of a page.
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
