import { EVAL_TAG } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { DEMO_MARKS, type DemoSettings } from './demo-settings.js';
import { FAKE_MODELS } from './fake-model.js';
import type { FoundDemo } from './find-demo.js';
import { DEMO_TRACES } from './make-demo.js';

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
export function servingWords({ gatewayUrl, key }: DemoSettings, modelUrl: string): string {
  const auth = key === null ? '' : ' -H "X-Spandrel-Key: $SPANDREL_API_KEY"';
  return `  The fake model answers until Ctrl-C. A call through the gateway:
    curl ${gatewayUrl}/v1/chat/completions${auth} -H 'X-Forward-URL: ${modelUrl}' -H 'Content-Type: application/json' \\
      -d '{"model": "${FAKE_MODELS.chat}", "messages": [{"role": "user", "content": "What is the capital of Japan?"}]}'

`;
}

/** What the user reads after a removal. */
export function removedWords({ state, traces, dataset, connections }: FoundDemo, { apiUrl }: DemoSettings): string {
  if (state === 'none') return `There is nothing of the demo at ${apiUrl}.\n`;
  const gone = [
    ...(traces.length > 0 ? [formatCounted(traces.length, 'trace')] : []),
    ...(dataset ? ['the dataset with its capture rule, runs and reviews'] : []),
    ...(connections.length > 0 ? ['the connection to the fake model'] : []),
  ];
  return `Removed the demo from ${apiUrl}: ${gone.join(', ')}. Nothing else was touched.\n`;
}
