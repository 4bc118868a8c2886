import { AppThread } from './app-thread.js';
import { banner } from './banner.js';
import {
  endWithOutput,
  killProcess,
  onStrayFaults,
  StartError,
  stopOnSignals,
  takeProcessOutput,
  takeWarnings,
  type ProcessOutput,
} from '@spandrel/kernel/launch';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { commandSettings } from './command-settings.js';

/** What the last lines of the main thread may take once both apps have ended. */
const OUTPUT_MS_MAX = 1_000;

/**
 * Runs API and gateway in one process, each in a thread of its own, so that neither waits for the other's event loop
 * and a kill takes both. Clients are told to come, by the banner and by `/readyz`, once both serve. Ends with 0 when asked
 * to stop, with 1 when one of them cannot start or dies.
 */
export async function serve(): Promise<void> {
  const args = process.argv.slice(3);
  const output = takeProcessOutput();
  const threads: AppThread[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number): Promise<void> => (stopping ??= stopAll(threads, output, exitCode));
  const tell = (error: Error): void => output.err.write(`spandrel: ${error.stack ?? error.message}\n`);
  takeWarnings(tell);
  onStrayFaults({
    ofOurs: (error) => {
      tell(error);
      void stop(1);
    },
    ofConnection: tell,
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
