import type { EvalRunResource, QueueItemResource } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { until } from '../support/spandrel.ts';

/**
 * Makes the objects that rows of docs/first-hour.md name.
 * @param gatewayUrl of a gateway that calls the provider.
 * @param closedPort where nobody listens.
 * @returns the ids by the names that they have in the page: `$TRACE`.
 */
export async function makeObjects(
  api: Api,
  gatewayUrl: string,
  providerUrl: string,
  closedPort: number,
): Promise<Record<string, string>> {
  const create = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await api.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(made)}`);
    return made.id;
  };
  const trace = await create('/api/traces', { name: 'made by the page', session_id: 'mine' });
  const llmCall = { type: 'llm_call', model: 'gpt-4o' };
  const span = await create('/api/spans', { trace_id: trace, name: 'running', kind: llmCall });
  const done = await create('/api/spans', { trace_id: trace, name: 'done', kind: llmCall });
  await api.post(`/api/spans/${done}/complete`, { output: 'Paris' });
  const { body: page } = await api.get<{ next_cursor: string }>('/api/spans?limit=1');

  const dataset = await create('/api/datasets', { name: 'capitals' });
  const datapoint = await create(`/api/datasets/${dataset}/datapoints`, {
    kind: { Generic: { input: 'Capital of France?' } },
  });
  const claimed = await create(`/api/datasets/${dataset}/datapoints`, {
    kind: { Generic: { input: 'Capital of Kenya?' } },
  });
  const { body: queue } = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${dataset}/queue`, {
    datapoint_ids: [datapoint, claimed],
  });
  const [item, claimedItem] = queue.items.map(({ id }) => id) as [string, string];
  await api.post(`/api/queue/${claimedItem}/claim`, { claimed_by: 'ann' });

  const connect = (name: string, baseUrl: string): Promise<string> =>
    create('/api/provider-connections', { name, provider: 'custom', api_key: '', base_url: baseUrl });
  const connection = await connect('fake', `${providerUrl}/v1`);
  const closed = await connect('closed', `http://127.0.0.1:${closedPort}/v1`);
  const runs = [
    await startRun(api, dataset, { connection_id: connection, model: 'gpt-4o' }, 'ExactMatch'),
    await startRun(api, dataset, { connection_id: closed, model: 'gpt-4o' }, 'None'),
  ] as const;
  return {
    TRACE: trace,
    SPAN: span,
    DONE_SPAN: done,
    CURSOR: page.next_cursor,
    DATASET: dataset,
    DATAPOINT: datapoint,
    ITEM: item,
    CLAIMED_ITEM: claimedItem,
    CONNECTION: connection,
    CLOSED_CONNECTION: closed,
    RUN: runs[0],
    CLOSED_RUN: runs[1],
    PREVIEW_SPAN: await recordCall(api, gatewayUrl, {}, { 'x-spandrel-capture': 'Preview' }),
    STREAMED_SPAN: await recordCall(api, gatewayUrl, { stream: true }, {}),
  };
}

/** Makes a call through the gateway. @returns the id of its span, once that is completed. */
async function recordCall(api: Api, gatewayUrl: string, members: object, headers: object): Promise<string> {
  const known = new Set((await api.spans('status=completed')).map(({ id }) => id));
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...members }),
  });
  await response.text();
  let recorded: string | undefined;
  await until(async () => {
    recorded = (await api.spans('status=completed')).find(({ id }) => !known.has(id))?.id;
    return recorded !== undefined;
  });
  return recorded!;
}

async function startRun(api: Api, dataset: string, config: object, scoring: string): Promise<string> {
  const { body: run } = await api.post<EvalRunResource>(`/api/datasets/${dataset}/eval`, {
    name: 'run',
    config,
    scoring,
    allow_unscored: true,
  });
  await until(async () => (await api.get<EvalRunResource>(`/api/eval/${run.id}`)).body.ended_at !== null);
  return run.id;
}
