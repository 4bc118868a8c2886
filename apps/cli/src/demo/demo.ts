import { StartError } from '@spandrel/kernel/launch';
import { printFailure } from '../command-settings.js';
import { createApi, SpandrelError } from '@spandrel/sdk';
import { demoSettings, type DemoSettings, DEMO_MARKS } from './demo-settings.js';
import { startFakeModel, FAKE_MODELS } from './fake-model.js';
import { findDemo, removeDemo, type FoundDemo } from './find-demo.js';
import { describeCause, GatewayClient } from './gateway-client.js';
import { connectModel, makeDemo, DEMO_TRACES } from './make-demo.js';
import { EVAL_TAG } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';

/** `spandrel demo`: records a small example through a gateway that runs; made twice it is there once. Ends with 1 if not. */
export async function demo({ remove }: { remove?: true }, args: readonly string[]): Promise<void> {
  try {
    const settings = demoSettings(args);
    await run(settings, remove === true).catch((error: unknown) => {
      throw error instanceof SpandrelError ? toStartError(error, settings) : error;
    });
  } catch (error) {
    printFailure(error, 'demo: ');
  }
}

async function run(settings: DemoSettings, isRemoval: boolean): Promise<void> {
  const api = createApi({ url: settings.apiUrl });
  const { mode } = await api.getHealth({ retry: false });
  if (mode === 'cloud') throw new StartError([LOCAL_ALONE]);
  if (isRemoval) return say(removedWords(await removeDemo(api), settings));
  if ((await findDemo(api)).state === 'whole') return say(whatToOpen(settings, 'there'));
  const model = await startFakeModel();
  try {
    const modelUrl = `http://127.0.0.1:${model.port}`;
    const gateway = new GatewayClient(settings.gatewayUrl, modelUrl);
    await gateway.check();
    // What an interrupted command left would be there twice.
    await removeDemo(api);
    await makeDemo(api, gateway, await connectModel(api, modelUrl));
    say(whatToOpen(settings, 'made'));
  } finally {
    await model.close();
  }
}

function toStartError(error: SpandrelError, { apiUrl, startCommand }: DemoSettings): StartError {
  if (error.code === 'unreachable') {
    return new StartError([
      `${apiUrl}: Spandrel does not answer there (${describeCause(error.cause)}); start it: ${startCommand}`,
    ]);
  }
  if (error.code === 'unexpected_answer') return new StartError([`${apiUrl}: this is not the API of Spandrel`]);
  return new StartError([`${error.detail} (${error.code}, ${error.status})`]);
}

const say = (words: string): void => void process.stdout.write(words);

const LOCAL_ALONE =
  'the demo is for local mode: gateways and servers of cloud mode call public addresses only, and its fake model listens on this machine';

/** What the user reads at the end; pages first, where the server has them. */
export function whatToOpen({ apiUrl, hasDashboard, demoCommand }: DemoSettings, what: 'made' | 'there'): string {
  const get = (path: string): string => `curl '${apiUrl}${path}'`;
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

  Remove all of this, and nothing else:
    ${demoCommand} --remove

`;
}

function dashboardWords(apiUrl: string): string {
  return `  In the browser
    Traces      ${apiUrl}/traces?tag=${DEMO_MARKS.tag}
    A session   ${apiUrl}/sessions/${DEMO_MARKS.sessionId}
    An agent    ${apiUrl}/traces/${DEMO_TRACES.weather}
    Analytics   ${apiUrl}/analytics

  As JSON
`;
}

function removedWords({ state, traces, dataset, connections }: FoundDemo, { apiUrl }: DemoSettings): string {
  if (state === 'none') return `There is nothing of the demo at ${apiUrl}.\n`;
  const gone = [
    ...(traces.length > 0 ? [formatCounted(traces.length, 'trace')] : []),
    ...(dataset ? ['the dataset with its capture rule, runs and reviews'] : []),
    ...(connections.length > 0 ? ['the connection to the fake model'] : []),
  ];
  return `Removed the demo from ${apiUrl}: ${gone.join(', ')}. Nothing else was touched.\n`;
}
