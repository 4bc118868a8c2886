import { once } from 'node:events';
import { StartError } from '@spandrel/kernel/launch';
import { printFailure } from '../print-failure.js';
import { ApiClient } from './api-client.js';
import { connectModel } from './connect-model.js';
import { demoSettings, type DemoOptions, type DemoSettings } from './demo-settings.js';
import { startFakeModel } from './fake-model/start-fake-model.js';
import { findDemo } from './find-demo.js';
import { GatewayClient } from './gateway-client.js';
import { capturedDatapoints, describeAsWhole, makeDataset } from './make-dataset.js';
import { RecordTraces } from './record-traces.js';
import { removeDemo } from './remove-demo.js';
import { reviewAnswer } from './review-answer.js';
import { runEvaluation } from './run-evaluation.js';
import { removedWords, servingWords, whatToOpen } from './words.js';

/**
 * `spandrel demo`: records a small example through a gateway that runs, against a fake model of its own, and makes a
 * dataset, a capture rule, a run and a review of it. Made twice it is there once; `--remove` removes it. Ends with 1 when
 * it cannot be done.
 * @param args settings, as for the server.
 */
export async function demo(options: DemoOptions, args: readonly string[]): Promise<void> {
  try {
    const settings = demoSettings(options, args);
    const api = new ApiClient(settings.apiUrl, settings.key, settings.startCommand);
    if (options.remove) await remove(api, settings);
    else await withModel(api, settings, options.serve === true);
  } catch (error) {
    printFailure(error, 'demo: ');
  }
}

async function remove(api: ApiClient, settings: DemoSettings): Promise<void> {
  say(removedWords(await removeDemo(api), settings));
}

async function withModel(api: ApiClient, settings: DemoSettings, serve: boolean): Promise<void> {
  const { mode } = await api.get<{ mode: string }>('/api/health');
  if (mode === 'cloud' && settings.modelUrl === null) throw new StartError([CLOUD_NEEDS]);
  const isThere = (await findDemo(api)).state === 'whole';
  if (isThere && !serve) return say(whatToOpen(settings, 'there', await api.hasDashboard()));
  const model = await startModel(settings.modelPort);
  try {
    const modelUrl = settings.modelUrl ?? `http://127.0.0.1:${model.port}`;
    const gateway = new GatewayClient(settings.gatewayUrl, modelUrl, settings.key);
    await gateway.check();
    // What an interrupted command left would be there twice.
    if (!isThere) await removeDemo(api);
    const connectionId = await connectModel(api, modelUrl);
    if (!isThere) await make(api, gateway, connectionId);
    say(whatToOpen(settings, isThere ? 'there' : 'made', await api.hasDashboard()));
    if (serve) await serveUntilSignal(settings, modelUrl);
  } finally {
    await model.close();
  }
}

async function make(api: ApiClient, gateway: GatewayClient, connectionId: string): Promise<void> {
  await makeDataset(api);
  await new RecordTraces(api, gateway).execute();
  await reviewAnswer(api, await capturedDatapoints(api));
  await runEvaluation(api, connectionId);
  await describeAsWhole(api);
}

async function startModel(port: number) {
  try {
    return await startFakeModel(port);
  } catch (error) {
    throw new StartError([`--model-port: cannot listen on 127.0.0.1:${port}: ${(error as Error).message}`]);
  }
}

async function serveUntilSignal(settings: DemoSettings, modelUrl: string): Promise<void> {
  say(servingWords(settings, modelUrl));
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

const say = (words: string): void => void process.stdout.write(words);

const CLOUD_NEEDS =
  '--model-url: in cloud mode gateway and server call public addresses only, and the fake model of the demo listens on this machine: ' +
  'give the public URL of a tunnel to it, with --model-port for its port, and list its host in gateway.forward_allow; or try the demo in local mode';
