import { once } from 'node:events';
import { StartError } from '@spandrel/kernel/launch';
import { printFailure } from '../command-settings.js';
import { createApi, SpandrelError, type Api } from '@spandrel/sdk';
import { demoSettings, type DemoOptions, type DemoSettings, DEMO_MARKS } from './demo-settings.js';
import { startFakeModel, FAKE_MODELS } from './fake-model.js';
import { findDemo, removeDemo, type FoundDemo } from './find-demo.js';
import { describeCause, GatewayClient } from './gateway-client.js';
import { connectModel, makeDemo, DEMO_TRACES } from './make-demo.js';
import { EVAL_TAG } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';

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

/** What the user reads at the end. @param hasDashboard whether the server has pages, which are named first then. */
export function whatToOpen(
  { apiUrl, key, demoCommand }: DemoSettings,
  what: 'made' | 'there',
  hasDashboard: boolean,
): string {
  const auth = key === null ? '' : ' -H "Authorization: Bearer $SPANDREL_API_KEY"';
  const get = (path: string): string => `curl${auth} '${apiUrl}${path}'`;
  const dataset = `/api/datasets/${DEMO_MARKS.datasetId}`;
  return `
  ${what === 'made' ? 'The demo is recorded.' : 'The demo is there already; nothing was added.'} Its answers come from a fake model inside this command
  (${FAKE_MODELS.chat}, wrong about Australia on purpose); no provider was called, no key was needed.

${hasDashboard ? dashboardWords(apiUrl) : ''}  Traces        ${get(`/api/traces?tag=${DEMO_MARKS.tag}`)}
  One session   ${get(`/api/sessions/${DEMO_MARKS.sessionId}`)}
  An agent      ${get(`/api/traces/${DEMO_TRACES.weather}`)}
  Failed calls  ${get(`/api/spans?status=failed&tag=${DEMO_MARKS.tag}`)}
  Dataset       ${get(`${dataset}/datapoints`)}
  Capture rule  ${get(`${dataset}/capture-rules`)}
  Eval run      ${get(`${dataset}/eval`)}
  Its calls     ${get(`/api/traces?tag=${EVAL_TAG}`)}
  To review     ${get(`${dataset}/queue?status=pending`)}
  Analytics     ${get('/api/analytics/summary')}
  The whole API ${apiUrl}/docs

  Keep the fake model running, to try calls and runs of your own:
    ${demoCommand} --serve
  Remove all of this, and nothing else:
    ${demoCommand} --remove

`;
}

/** Addresses for a browser, before those for a program. */
function dashboardWords(apiUrl: string): string {
  return `  In the browser
    Traces      ${apiUrl}/traces?tag=${DEMO_MARKS.tag}
    A session   ${apiUrl}/sessions/${DEMO_MARKS.sessionId}
    An agent    ${apiUrl}/traces/${DEMO_TRACES.weather}
    Analytics   ${apiUrl}/analytics

  As JSON
`;
}

/** What the user reads while the fake model goes on. @param modelUrl where gateway and server reach it. */
function servingWords({ gatewayUrl, key }: DemoSettings, modelUrl: string): string {
  const auth = key === null ? '' : ' -H "X-Spandrel-Key: $SPANDREL_API_KEY"';
  return `  The fake model answers until Ctrl-C. A call through the gateway:
    curl ${gatewayUrl}/v1/chat/completions${auth} -H 'X-Forward-URL: ${modelUrl}' -H 'Content-Type: application/json' \\
      -d '{"model": "${FAKE_MODELS.chat}", "messages": [{"role": "user", "content": "What is the capital of Japan?"}]}'

`;
}

/** What the user reads after a removal. */
function removedWords({ state, traces, dataset, connections }: FoundDemo, { apiUrl }: DemoSettings): string {
  if (state === 'none') return `There is nothing of the demo at ${apiUrl}.\n`;
  const gone = [
    ...(traces.length > 0 ? [formatCounted(traces.length, 'trace')] : []),
    ...(dataset ? ['the dataset with its capture rule, runs and reviews'] : []),
    ...(connections.length > 0 ? ['the connection to the fake model'] : []),
  ];
  return `Removed the demo from ${apiUrl}: ${gone.join(', ')}. Nothing else was touched.\n`;
}
