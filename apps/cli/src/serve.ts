import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  codeFile,
  StartError,
  endWithOutput,
  killProcess,
  onStrayFaults,
  stopOnSignals,
  takeProcessOutput,
  takeWarnings,
  type CoreSettings,
  type AppMessage,
  type AppOrder,
  type AppReady,
  type ProgramState,
  type ProcessOutput,
} from '@spandrel/kernel/launch';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { commandSettings } from './command-settings.js';

/** The entry module of an app. The command starts apps by file, as whole programs; it imports nothing of them. */
const appEntry = (app: 'server' | 'gateway'): string => codeFile(`apps/${app}/src/main.ts`);

/** Turns this process into one app, as if its own entry had been started with the same flags. */
export async function runInPlace(app: 'server' | 'gateway'): Promise<void> {
  const entry = appEntry(app);
  process.argv.splice(1, 2, entry);
  await import(pathToFileURL(entry).href);
}

/** What the user reads at start: where things are and how to point a client at them. */
export function banner(settings: CoreSettings, apiPort: number, gatewayPort: number | undefined): string {
  const lines = ['', `  Spandrel runs in ${settings.mode} mode.`, ''];
  if (settings.features?.includes('dashboard') ?? true) lines.push(`  Dashboard  http://127.0.0.1:${apiPort}`);
  lines.push(`  API        http://127.0.0.1:${apiPort}/api`);
  if (gatewayPort !== undefined) lines.push(`  Gateway    http://127.0.0.1:${gatewayPort}`);
  if (settings.mode === 'local') lines.push(`  Data       ${settings.dataDir}`);
  const isCloud = settings.mode === 'cloud';
  if (gatewayPort !== undefined) {
    lines.push(
      '',
      '  Point a client at the gateway and its calls are recorded:',
      `    OpenAI     OPENAI_BASE_URL=http://127.0.0.1:${gatewayPort}/v1`,
      `    Anthropic  ANTHROPIC_BASE_URL=http://127.0.0.1:${gatewayPort}`,
      `    Ollama     OLLAMA_HOST=http://127.0.0.1:${gatewayPort}`,
      ...(isCloud ? ['    with the header X-Spandrel-Key: spn_sk_… (spandrel admin key create)'] : []),
    );
  }
  lines.push(
    '',
    '  Let an application with OpenTelemetry send it to the API:',
    `    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${apiPort}`,
    ...(isCloud ? ['    OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20spn_sk_…'] : []),
    '',
    '  Read it back:',
    `    curl http://127.0.0.1:${apiPort}/api/traces${isCloud ? " -H 'Authorization: Bearer spn_sk_…'" : ''}`,
  );
  return `${lines.join('\n')}\n\n`;
}

/** An app in a thread of this process. */
export class AppThread {
  /** Settles once the app serves. Rejects with its StartError. */
  readonly ready: Promise<AppReady>;
  /** The app has ended, and its thread cannot: its last write does not return. */
  isStuck = false;
  private readonly exited: Promise<number>;
  private readonly worker: Worker;
  /** How far the start is; one that was refused ends by itself. */
  private state: 'starting' | 'ready' | 'refused' = 'starting';

  /** @param onDeath called when the app ends without being asked to, after it was ready. */
  constructor(
    private readonly app: 'server' | 'gateway',
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    onDeath: () => void,
  ) {
    this.worker = new Worker(appEntry(app), { argv: [...args], env });
    this.exited = new Promise((resolve) => {
      this.worker.once('exit', resolve);
      this.worker.on('message', (message: AppMessage) => {
        if (message.type !== 'stuck') return;
        this.isStuck = true;
        resolve(message.exitCode);
      });
    });
    this.ready = this.awaitReady();
    this.ready.then(
      () => {
        this.state = 'ready';
        void this.exited.then(onDeath);
      },
      () => (this.state = 'refused'),
    );
  }

  /** Updates the app on the rest of the program. @returns once it has been received. */
  sendStatus(status: ProgramState): Promise<void> {
    const acknowledged = new Promise<void>((resolve) => {
      this.worker.on('message', ({ type }: AppMessage) => type === 'acknowledged' && resolve());
    });
    this.order({ type: 'status', ...status });
    return acknowledged;
  }

  /** Stops the app: in order, or at once while it starts. @returns true when it ended cleanly. */
  async stop(): Promise<boolean> {
    if (this.state === 'ready') this.order({ type: 'stop' });
    else if (this.state === 'starting') await this.worker.terminate();
    return (await this.exited) === 0;
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private order(order: AppOrder): void {
    this.worker.postMessage(order);
  }

  private awaitReady(): Promise<AppReady> {
    return new Promise((resolve, reject) => {
      const refuse = (faults: readonly string[]) =>
        reject(new StartError(faults.map((fault) => `${this.app}: ${fault}`)));
      this.worker.on('message', (message: AppMessage) => {
        if (message.type === 'ready') resolve(message);
        else if (message.type === 'refused') refuse(message.faults);
      });
      this.worker.on('error', (error: Error) => {
        process.stderr.write(`spandrel: ${this.app}: ${error.stack ?? error.message}\n`);
        refuse(['ended with an error']);
      });
      void this.exited.then((code) => refuse([`ended with code ${code}`]));
    });
  }
}

/** What the last lines of the main thread may take once both apps have ended. */
const OUTPUT_MS_MAX = 1_000;

/**
 * Runs API and gateway in one process, each in a thread of its own, so that neither waits for the other's event loop
 * and a kill takes both. Clients are asked in, by the banner and by `/readyz`, once both serve. Ends with 0 when asked
 * to stop, with 1 when one of them cannot start or dies.
 */
export async function serve(): Promise<void> {
  const args = process.argv.slice(3);
  const output = takeProcessOutput();
  const threads: AppThread[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number): Promise<void> => (stopping ??= stopAll(threads, output, exitCode));
  const report = (error: Error): void => output.err.write(`spandrel: ${error.stack ?? error.message}\n`);
  takeWarnings(report);
  onStrayFaults({
    ofOurs: (error) => {
      report(error);
      void stop(1);
    },
    ofConnection: report,
  });
  try {
    const settings = commandSettings(args);
    const startThread = (app: 'server' | 'gateway', env: NodeJS.ProcessEnv): AppThread => {
      const thread = new AppThread(app, args, env, () => void stop(1));
      threads.push(thread);
      return thread;
    };
    const server = startThread('server', process.env);
    const api = await server.ready;
    const gateway = settings.of(GatewayUserSettings).enabled
      ? await startThread('gateway', { ...process.env, SPANDREL_API_URL: `http://127.0.0.1:${api.port}` }).ready
      : undefined;
    stopOnSignals(() => void stop(0));
    await server.sendStatus({ isReady: true, gatewayPort: gateway?.port });
    output.out.write(banner(settings.core, api.port, gateway?.port));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const fault of error.faults) output.err.write(`spandrel: ${fault}\n`);
    await stop(1);
  }
}

/** The gateway first, so that its last recordings still find the API. */
async function stopAll(threads: AppThread[], output: ProcessOutput, exitCode: number): Promise<void> {
  // Clients are to stay away from the API too, which serves on for the gateway.
  void threads[0]?.sendStatus({ isReady: false });
  let clean = true;
  for (const thread of threads.toReversed()) clean = (await thread.stop()) && clean;
  if (threads.some(({ isStuck }) => isStuck)) killProcess();
  await endWithOutput(output, clean ? exitCode : 1, OUTPUT_MS_MAX);
}
