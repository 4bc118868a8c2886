import { once } from 'node:events';
import { StartError } from '@spandrel/kernel/launch';
import { printFailure } from '../command-settings.js';
import { createApi, SpandrelError, type Api } from '@spandrel/sdk';
import { demoSettings, type DemoOptions, type DemoSettings } from './demo-settings.js';
import { startFakeModel } from './fake-model.js';
import { findDemo, removeDemo } from './find-demo.js';
import { describeCause, GatewayClient } from './gateway-client.js';
import { connectModel, makeDemo } from './make-demo.js';
import { removedWords, servingWords, whatToOpen } from './words.js';

/** `spandrel demo`: records a small example through a gateway that runs; made twice it is there once. Ends with 1 if not. */
export async function demo(options: DemoOptions, args: readonly string[]): Promise<void> {
  try {
    const settings = demoSettings(options, args);
    await run(settings, options).catch((error: unknown) => {
      throw error instanceof SpandrelError ? toStartError(error, settings) : error;
    });
  } catch (error) {
    printFailure(error, 'demo: ');
  }
}

async function run(settings: DemoSettings, { remove, serve }: DemoOptions): Promise<void> {
  const api = createApi({ url: settings.apiUrl, key: settings.key ?? undefined });
  const { mode } = await api.getHealth({ retry: false });
  if (remove) say(removedWords(await removeDemo(api), settings));
  else await withModel(api, mode, settings, serve === true);
}

async function withModel(api: Api, mode: string, settings: DemoSettings, serve: boolean): Promise<void> {
  if (mode === 'cloud' && settings.modelUrl === null) throw new StartError([CLOUD_NEEDS]);
  const isThere = (await findDemo(api)).state === 'whole';
  if (isThere && !serve) return say(whatToOpen(settings, 'there', await hasDashboard(api)));
  const model = await startModel(settings.modelPort);
  try {
    const modelUrl = settings.modelUrl ?? `http://127.0.0.1:${model.port}`;
    const gateway = new GatewayClient(settings.gatewayUrl, modelUrl, settings.key);
    await gateway.check();
    // What an interrupted command left would be there twice.
    if (!isThere) await removeDemo(api);
    const connectionId = await connectModel(api, modelUrl);
    if (!isThere) await makeDemo(api, gateway, connectionId);
    say(whatToOpen(settings, isThere ? 'there' : 'made', await hasDashboard(api)));
    if (serve) await serveUntilSignal(settings, modelUrl);
  } finally {
    await model.close();
  }
}

/** Whether pages for people are served at the same address: where the feature is left out or nothing was built, none are. */
const hasDashboard = (api: Api): Promise<boolean> =>
  api.raw('HEAD', '/traces', { retry: false }).then(
    () => true,
    () => false,
  );

function toStartError(error: SpandrelError, { apiUrl, key, startCommand }: DemoSettings): StartError {
  if (error.code === 'unreachable') {
    return new StartError([
      `${apiUrl}: Spandrel does not answer there (${describeCause(error.cause)}); start it: ${startCommand}`,
    ]);
  }
  if (error.code === 'unexpected_answer') return new StartError([`${apiUrl}: this is not the API of Spandrel`]);
  if (error.status !== 401) return new StartError([`${error.detail} (${error.code}, ${error.status})`]);
  return new StartError([
    key === null
      ? `${apiUrl}: the API asks for a key: give one with the scopes read and write in SPANDREL_API_KEY`
      : `${apiUrl}: the API does not accept the key of SPANDREL_API_KEY; it must be valid, with the scopes read and write`,
  ]);
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
