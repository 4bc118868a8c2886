import { parentPort, type MessagePort } from 'node:worker_threads';
import { type SettingsPart, settingName, type Setting } from '../config/setting.js';
import { loadSettings, writeWarnings, type Settings } from '../config/settings.js';
import { StartError } from '../errors.js';
import { LifeLog, type StopReason } from '../log/life-log.js';
import { logLines, createLogger, type Logger, sourceStack } from '../log/logger.js';
import { takeProcessOutput, takeWarnings, type LogOutput, type ProcessOutput } from '../log/process-output.js';
import { type AppMessage, type AppOrder, type AppReady, ProgramStatus } from './program-status.js';
import { endWithOutput, killProcess, stopOnSignals } from './end-process.js';
import { onStrayFaults } from './stray-faults.js';
import { withinMs } from '../time.js';

/** What a stop may take, after `shutdown_delay` (docs/spec/configuration.md#stopping). */
const STOP_MS_MAX = 10_000;

export interface AppContext {
  settings: Settings;
  logger: Logger;
  /** What the log says of the start; `ready` and the stop are said by {@link runApp}. */
  life: LifeLog;
  output: LogOutput;
  lifecycle: Lifecycle;
  status: ProgramStatus;
}

/**
 * Runs an app as a process or as a thread of `spandrel serve`: reads the settings, starts it, and stops it in order on
 * a signal or order, and after a fault that nobody handled. Ends with 0, or with 1 and a line per fault.
 * @param start starts the app, registers its parts with the lifecycle, and returns once it serves.
 * @param announce shows the user where a process of its own listens.
 */
export async function runApp(
  name: string,
  parts: readonly SettingsPart[],
  start: (context: AppContext) => Promise<AppReady>,
  announce: (settings: Settings, ready: AppReady) => string,
): Promise<void> {
  const output = takeProcessOutput();
  let lifecycle: Lifecycle | undefined;
  try {
    const settings = loadSettings(parts, { args: process.argv.slice(2), env: process.env, cwd: process.cwd() });
    if (!parentPort) writeWarnings(settings.warnings, output.err);
    const logger = createLogger(settings.core.logLevel, name, logLines(settings.core.logFormat, output.err));
    const stopMsMax = STOP_MS_MAX + settings.core.shutdownDelayMs;
    lifecycle = new Lifecycle(logger, stopMsMax);
    takeWarnings((warning) => logger.warn({ err: warning }, 'a warning of Node.js'));
    const life = new LifeLog(logger, settings.core.mode);
    const stop = stopInOrder({ logger, life, lifecycle, output, stopMsMax });
    const status = new ProgramStatus();
    if (parentPort) obey(parentPort, stop, status);
    const ready = await start({ settings, logger, life, output, lifecycle, status });
    life.ready(settings.core.host, ready.port);
    if (parentPort) {
      parentPort.postMessage({ type: 'ready', ...ready } satisfies AppMessage);
    } else {
      stopOnSignals(stop);
      status.update({ isReady: true });
      output.out.write(announce(settings, ready));
    }
  } catch (error) {
    await refuseStart(error, output, lifecycle);
  }
}

type Running = Pick<AppContext, 'logger' | 'life' | 'lifecycle'> & { output: ProcessOutput; stopMsMax: number };

/** Makes the app stop after a fault of ours. @returns stops it; the second time does nothing. */
function stopInOrder({ logger, life, lifecycle, output, stopMsMax }: Running): (reason: StopReason) => void {
  let exitCode = 0;
  let stopping: Promise<void> | undefined;
  const stop = async (reason: StopReason): Promise<void> => {
    const began = performance.now();
    const deadline = began + stopMsMax;
    life.stopping(reason);
    const clean = await lifecycle.stop();
    if (!clean) exitCode = 1;
    life.stopped(clean, performance.now() - began);
    await endWithOutput(output, exitCode, deadline - performance.now(), stuck);
  };
  const stopOnce = (reason: StopReason): void => void (stopping ??= stop(reason));
  onStrayFaults({
    ofOurs: (error) => {
      exitCode = 1;
      logger.fatal({ err: error }, 'an unhandled error: the program stops');
      stopOnce('fault');
    },
    ofPlugin: (error, plugin) =>
      logger.error({ err: error, plugin }, 'a plugin raised an error that it did not handle'),
    ofConnection: (error) => logger.error({ err: error }, 'a connection was lost that nothing listened to'),
  });
  return stopOnce;
}

function obey(main: MessagePort, stop: (reason: StopReason) => void, status: ProgramStatus): void {
  main.on('message', (order: AppOrder) => {
    if (order.type === 'stop') return stop('serve');
    status.update(order);
    main.postMessage({ type: 'acknowledged' } satisfies AppMessage);
  });
}

/** Says why the app does not serve, and ends what of it has started: a thread that is cut off while it loads a native module takes the process with it. */
async function refuseStart(error: unknown, output: ProcessOutput, started: Lifecycle | undefined): Promise<void> {
  const faults =
    error instanceof StartError
      ? error.faults
      : [error instanceof Error ? sourceStack(error.stack ?? error.message) : String(error)];
  if (parentPort) parentPort.postMessage({ type: 'refused', faults } satisfies AppMessage);
  else for (const fault of faults) output.err.write(`spandrel: ${fault}\n`);
  await started?.stop();
  await endWithOutput(output, 1, STOP_MS_MAX, stuck);
}

/** A thread leaves the end to the main one, which other threads may still need. */
const stuck = (exitCode: number): void => {
  if (parentPort) parentPort.postMessage({ type: 'stuck', exitCode } satisfies AppMessage);
  else killProcess();
};

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or choose another port',
  EACCES: 'the user that Spandrel runs as may not listen there; choose a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of that name',
};

/** Why an app does not listen where its settings say, naming the setting of the port. */
export function listenFault(setting: Setting, host: string, port: number, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new StartError([
    `${settingName(setting)}: cannot listen on ${host}:${port}: ${REASONS[code ?? ''] ?? message}`,
  ]);
}

/** Parts register as they start; `stop` ends them last first, and goes on when one fails, within `graceMs` in all. */
export class Lifecycle {
  private readonly parts: { name: string; stop: () => Promise<void> | void }[] = [];
  private stopping: Promise<boolean> | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly graceMs: number,
  ) {}

  onStop(name: string, stop: () => Promise<void> | void): void {
    this.parts.push({ name, stop });
  }

  /** Stops everything. @returns true when all parts ended in time and without error. Later calls get the first's answer. */
  stop(): Promise<boolean> {
    return (this.stopping ??= this.stopAll());
  }

  private async stopAll(): Promise<boolean> {
    const deadline = performance.now() + this.graceMs;
    let clean = true;
    for (const { name, stop } of this.parts.toReversed()) {
      try {
        const leftMs = Math.max(0, deadline - performance.now());
        const outcome = await withinMs(leftMs, Promise.resolve(stop()), () => 'timeout' as const);
        if (outcome !== 'timeout') continue;
        this.logger.warn({ part: name }, 'did not stop in time');
      } catch (error) {
        this.logger.error({ part: name, err: error }, 'failed to stop');
      }
      clean = false;
    }
    return clean;
  }
}
