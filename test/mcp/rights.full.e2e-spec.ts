/** What agents of different callers get, in cloud mode (docs/spec/mcp.md#access). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { Permission } from '@spandrel/contract';
import { McpSettings } from '@spandrel/mcp';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';
import { CONNECTIONS, overHttp, type McpClient } from './clients.ts';
import { plant, type Planted } from './planted.ts';

let postgres: TestPostgres;
let app: CloudApp;
let ours: Tenant;
let theirs: Tenant;
let planted: Planted;
const open: McpClient[] = [];

async function connect(key: string, by: (typeof CONNECTIONS)[string] = overHttp): Promise<McpClient> {
  const client = await by({ url: app.url, key });
  open.push(client);
  return client;
}

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'mcp'), {
    settings: (settings) => {
      settings.of(McpSettings).write = true;
      settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
    },
  });
  [ours, theirs] = [await app.createTenant({ name: 'Ours' }), await app.createTenant({ name: 'Theirs' })];
  planted = await plant(theirs.api, { name: 'the secret of the others', messages: 5 });
});

afterAll(async () => {
  for (const client of open) await client.close();
  await app?.close();
  await postgres?.stop();
});

const namesFor = async (scopes: readonly Permission[]): Promise<string[]> => {
  const { key } = await ours.createKey(scopes);
  return (await (await connect(key)).list()).map(({ name }) => name);
};

const WRITES = [
  'create_dataset',
  'add_datapoints',
  'export_span',
  'start_run',
  'cancel_run',
  'enqueue_reviews',
  'add_score',
];

describe('a tool', () => {
  it('is listed for those alone who may do what it does', async () => {
    const all = await namesFor(['read', 'write']);
    expect(WRITES.filter((name) => all.includes(name))).toEqual(WRITES);
    expect(all).toHaveLength(20);
    expect(await namesFor(['read'])).toEqual(all.filter((name) => !WRITES.includes(name)));
    expect(await namesFor(['write'])).toEqual(WRITES);
    expect(await namesFor(['ingest'])).toEqual(['add_score']);
    expect(await namesFor(['review'])).toEqual([]);
    expect(await (await connect(ADMIN_TOKEN)).list()).toEqual([]);
  });

  it.each(Object.keys(CONNECTIONS))('that is not listed is not called either, by the %s', async (name) => {
    const { key } = await ours.createKey(['read']);
    const client = await connect(key, CONNECTIONS[name]);
    expect((await client.list()).filter((tool) => WRITES.includes(tool.name))).toEqual([]);
    for (const tool of WRITES) await expect(client.call(tool, { name: 'x' })).rejects.toThrow(`no tool "${tool}"`);
    const writer = await connect((await ours.createKey(['write'])).key, CONNECTIONS[name]);
    await expect(writer.call('list_traces')).rejects.toThrow('no tool "list_traces"');
  });
});

describe('the data of another tenant', () => {
  it('is in no answer', async () => {
    const client = await connect(ours.key);
    const lists = [
      'list_traces',
      'list_spans',
      'list_sessions',
      'list_datasets',
      'list_runs',
      'list_reviews',
      'list_scores',
    ];
    const calls: [string, Record<string, unknown>][] = [
      ...lists.map((name): [string, Record<string, unknown>] => [name, {}]),
      ['list_traces', { ids: [planted.hugeTraceId, planted.deepTraceId] }],
      ['list_spans', { trace_id: planted.deepTraceId }],
      ['list_spans', { ids: [planted.hugeSpanId] }],
      ['list_runs', { dataset_id: planted.dataset.id }],
    ];
    for (const [tool, args] of calls) {
      const { body, isError } = await client.call(tool, args);
      const listed = Object.values(body as Record<string, unknown>).filter(Array.isArray);
      expect([tool, isError, listed.flat()]).toEqual([tool, false, []]);
    }
    const { total } = (await client.call('get_analytics')).body;
    expect(total).toMatchObject({ span_count: 0, error_count: 0 });
  });

  it('is not found by its ids, and not changed', async () => {
    const client = await connect(ours.key);
    const mine = (await client.call('create_dataset', { name: 'mine' })).body.dataset.id as string;
    const calls: [string, Record<string, unknown>, string][] = [
      ['get_trace', { trace_id: planted.deepTraceId }, 'trace_not_found'],
      ['get_span', { span_id: planted.hugeSpanId }, 'span_not_found'],
      ['get_span', { span_id: planted.hugeSpanId, field: 'input', offset: 10 }, 'span_not_found'],
      ['list_datapoints', { dataset_id: planted.dataset.id }, 'dataset_not_found'],
      ['list_reviews', { dataset_id: planted.dataset.id }, 'dataset_not_found'],
      ['get_run', { run_id: planted.run.id }, 'eval_run_not_found'],
      ['list_run_items', { run_id: planted.run.id }, 'eval_run_not_found'],
      [
        'add_datapoints',
        { dataset_id: planted.dataset.id, datapoints: [{ Generic: { input: 1 } }] },
        'dataset_not_found',
      ],
      ['export_span', { dataset_id: mine, span_id: planted.hugeSpanId }, 'span_not_found'],
      ['export_span', { dataset_id: planted.dataset.id, span_id: planted.hugeSpanId }, 'dataset_not_found'],
      ['cancel_run', { run_id: planted.run.id }, 'eval_run_not_found'],
      ['add_score', { name: 'x', value: 1, span_id: planted.hugeSpanId }, 'span_not_found'],
      ['enqueue_reviews', { dataset_id: mine, datapoint_ids: planted.datapointIds.slice(0, 1) }, 'datapoint_not_found'],
      [
        'start_run',
        { dataset_id: mine, name: 'x', scoring: 'None', config: { connection_id: planted.connectionId, model: 'm' } },
        'connection_not_found',
      ],
    ];
    // A text that the others are reading is remembered for nobody else.
    const reader = await connect(theirs.key);
    expect((await reader.call('get_span', { span_id: planted.hugeSpanId, field: 'input' })).isError).toBe(false);
    for (const [tool, args, code] of calls) {
      const { isError, body } = await client.call(tool, args);
      expect([tool, isError, body.code]).toEqual([tool, true, code]);
    }
    const { body: dataset } = await theirs.api.get(`/api/datasets/${planted.dataset.id}`);
    expect(dataset).toEqual(planted.dataset);
  });

  it('with the same ids as one’s own stays the others’', async () => {
    for (const [tenant, word] of [
      [ours, 'our'],
      [theirs, 'their'],
    ] as const) {
      await tenant.api.post('/api/traces', { id: 'same' });
      await tenant.api.post('/api/spans', {
        id: 'same-span',
        trace_id: 'same',
        name: word,
        input: word.repeat(100_000),
      });
    }
    const [mine, foreign] = [await connect(ours.key), await connect(theirs.key)];
    for (let turn = 0; turn < 2; turn++) {
      for (const [client, word] of [
        [mine, 'our'],
        [foreign, 'their'],
      ] as const) {
        const { body } = await client.call('get_span', {
          span_id: 'same-span',
          field: 'input',
          offset: word.length * 10,
          chars: word.length,
        });
        expect(body).toMatchObject({ text: word, total_chars: word.length * 100_000 });
      }
    }
  });
});

describe('a call', () => {
  it('needs a credential, and says so as JSON-RPC does', async () => {
    for (const headers of [{}, { authorization: 'Bearer spn_sk_wrong' }, { cookie: 'spandrel_session=x' }]) {
      const response = await fetch(`${app.url}/mcp`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { data: { code: 'unauthenticated' } },
      });
    }
  });

  it('counts as one request, whatever it asks the API for', async () => {
    const limited = await app.createTenant({ name: 'Limited', rateLimit: 1_000 });
    const left = async (body: object): Promise<number> => {
      const response = await fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${limited.key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      });
      expect(response.status).toBe(200);
      return Number(/r=(\d+)/.exec(response.headers.get('ratelimit')!)![1]);
    };
    const datapoints = Array.from({ length: 100 }, (_, n) => ({ Generic: { input: n } }));
    const { body: dataset } = await limited.api.post<{ id: string }>('/api/datasets', { name: 'x' });
    const before = await left({ method: 'tools/list' });
    const call = { name: 'add_datapoints', arguments: { dataset_id: dataset.id, datapoints } };
    // The bucket fills while the call runs, and never by more than a hundred calls would have taken.
    expect(await left({ method: 'tools/call', params: call })).toBeGreaterThanOrEqual(before - 1);
    const { body } = await limited.api.get<{ datapoint_count: number }>(`/api/datasets/${dataset.id}`);
    expect(body.datapoint_count).toBe(100);
  });

  it('is refused with 429 when the organization has made its requests', async () => {
    const limited = await app.createTenant({ name: 'Poor', rateLimit: 1 });
    const send = () =>
      fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${limited.key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: { data: { code: 'rate_limited' } } });
  });
});
