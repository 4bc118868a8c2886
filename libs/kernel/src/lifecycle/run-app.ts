import { parentPort } from 'node:worker_threads';
import { loadSettings } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { StartError } from '../errors/start-error.js';
import { createLogger, type Logger } from '../logger.js';
import { STOP_MESSAGE, type AppMessage, type AppReady } from './app-messages.js';
import { Lifecycle } from './lifecycle.js';
import { requireNode } from './require-node.js';

/** What a stop may take, after `shutdown_delay` (docs/spec/configuration.md#stopping). */
const STOP_MS_MAX = 10_000;

/** What an app gets to start with. */
export interface AppContext {
  settings: Settings;
  logger: Logger;
  lifecycle: Lifecycle;
}

/**
 * Runs an app as a process of its own, or as a thread of `spandrel serve`: reads the settings, starts it, stops it in
 * order on SIGTERM and SIGINT (as a thread: when told), and ends with 0, or with 1 and a line per fault.
 * @param start starts the app, registers its parts with the lifecycle, and returns once it serves.
 * @param announce tells the user where a process of its own listens.
 */
export async function runApp(
  name: string,
  start: (context: AppContext) => Promise<AppReady>,
  announce: (settings: Settings, ready: AppReady) => string,
): Promise<void> {
  requireNode();
  try {
    const settings = loadSettings({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() });
    const logger = createLogger(settings.logLevel, name);
    const lifecycle = new Lifecycle(logger, STOP_MS_MAX + settings.shutdownDelayMs);
    stopOnRequest(lifecycle);
    // A plugin's method that returns a promise, where none is expected, must not end the process.
    process.on('unhandledRejection', (reason) => logger.error({ err: reason }, 'a promise was rejected unhandled'));
    const ready = await start({ settings, logger, lifecycle });
    if (parentPort) parentPort.postMessage({ type: 'ready', ...ready } satisfies AppMessage);
    else process.stdout.write(announce(settings, ready));
  } catch (error) {
    refuseStart(error);
  }
}

function stopOnRequest(lifecycle: Lifecycle): void {
  const stop = async (): Promise<void> => {
    const clean = await lifecycle.stop();
    process.exit(clean ? 0 : 1);
  };
  if (parentPort) {
    parentPort.on('message', (message) => message === STOP_MESSAGE && void stop());
    return;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

function refuseStart(error: unknown): never {
  const faults =
    error instanceof StartError
      ? error.faults
      : [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  if (parentPort) parentPort.postMessage({ type: 'refused', faults } satisfies AppMessage);
  else process.stderr.write(faults.map((fault) => `spandrel: ${fault}\n`).join(''));
  process.exit(1);
}
