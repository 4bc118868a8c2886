import { collectDefaultMetrics, Counter, Gauge, Registry } from '@prometheus-io/client';
import { lostConnections } from './lifecycle/lost-connection.js';
import type { LogOutput } from './log/process-output.js';
import { PACKAGE } from './package-root.js';

/** Injection token of the process's metrics: a `Registry` of @prometheus-io/client, which `/metrics` shows. */
export const METRICS = Symbol('metrics');

/** Gauges of the client library that are named like counters and walk over every open handle when they are read. */
const LEFT_OUT = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/**
 * The metrics a program begins with: `spandrel_build_info`, and those of its process and of Node.js (`process_…`,
 * `nodejs_…`). Once a program: they watch the event loop and the garbage collector of their thread for as long as it
 * lives.
 * @param mode `local` or `cloud`.
 * @param output what the program writes its lines to.
 */
export function programMetrics(mode: string, output: LogOutput): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'spandrel_build_info',
    help: 'Always 1; its labels say which version runs, and in which mode.',
    labelNames: ['version', 'mode'] as const,
    registers: [registry],
  }).set({ version: PACKAGE.version, mode }, 1);
  let shown = 0;
  new Counter({
    name: 'spandrel_log_lines_dropped_total',
    help: 'Lines of the log lost because nobody read them in time, or nobody could.',
    registers: [registry],
    collect() {
      this.inc(output.droppedLines - shown);
      shown = output.droppedLines;
    },
  });
  let lost = 0;
  new Counter({
    name: 'spandrel_unheard_connections_total',
    help: 'Connections lost that nothing listened to: a fault of the program, which goes on.',
    registers: [registry],
    collect() {
      this.inc(lostConnections.count - lost);
      lost = lostConnections.count;
    },
  });
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  return registry;
}

/**
 * All metrics in the text format of Prometheus. The library writes `Nan` for what is not known yet, such as the mean lag of
 * an event loop that has just begun; the format says `NaN`, and a strict reader refuses the whole page otherwise.
 */
export const metricsText = async (registry: Registry): Promise<string> =>
  (await registry.metrics()).replace(/^([^#].*) Nan$/gm, '$1 NaN');
