/** Where provider connections of cloud mode may lead: attacks by `base_url`, and what operators allow. */
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type {
  AlertChannelResource,
  AlertChannelTest,
  ConnectionResource,
  ConnectionTestResult,
  EvalRunResource,
  Problem,
} from '@spandrel/contract';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import type { Client } from 'pg';
import { connectClient, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';

const PATH = '/api/provider-connections';
/** What is said of a name that is not called, whether it leads inward or nowhere. */
const notCalled = (origin: string): string =>
  `the host name of ${origin} is not known, or has an address that is not public: check base_url for a typing error; hosts that are not public need an entry in connections.allow_private`;
const KEY = 'sk-0123456789abcdef0123456789';

/** A server on loopback, as one that an attacker wants to reach; it answers as models do, or with a redirect. */
interface Inside {
  server: Server;
  port: number;
  /** Paths it was asked for. */
  asked: string[];
}

async function startInside(redirectTo?: () => string): Promise<Inside> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (redirectTo) response.writeHead(307, { location: redirectTo() }).end();
    else response.setHeader('content-type', 'application/json').end('{"data":[{"id":"m"}]}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as AddressInfo).port, asked };
}

let postgres: TestPostgres;
let database: Client;
let secret: Inside;
let redirecting: Inside;
let model: Inside;
let app: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  const { lookup } = dns;
  // Names that an attacker's own name server answers.
  jest.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object, callback: (...of: unknown[]) => void) =>
    name.endsWith('.unknown.example')
      ? callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
      : name.endsWith('.evil.example')
        ? callback(null, [
            { address: '127.0.0.1', family: 4 },
            { address: '8.8.8.8', family: 4 },
          ])
        : lookup(name, options as never, callback as never)) as never);
  postgres = await startPostgres();
  [secret, model] = [await startInside(), await startInside()];
  redirecting = await startInside(() => `http://127.0.0.1:${secret.port}/stolen`);
  const url = await createMigrated(postgres, 'addresses');
  database = await connectClient(url);
  app = await cloudApp(url, {
    env: { SPANDREL_OPENAI_BASE_URL: `http://127.0.0.1:${model.port}` },
    settings: (settings) => {
      settings.of(ConnectionsSettings).allowPrivate = [`127.0.0.1:${redirecting.port}`, `localhost:${model.port}`];
    },
  });
  tenant = await app.createTenant();
});
afterAll(async () => {
  await app?.close();
  await database?.end();
  await postgres?.stop();
  for (const inside of [secret, redirecting, model]) inside?.server.close().closeAllConnections();
  jest.restoreAllMocks();
});
beforeEach(() => {
  for (const { asked } of [secret, redirecting, model]) asked.length = 0;
});

const create = (base_url: string | null, provider = 'custom') =>
  tenant.api.post<ConnectionResource & Problem>(PATH, { name: 'c', provider, api_key: KEY, base_url });

async function created(base_url: string | null, provider?: string): Promise<string> {
  const { status, body } = await create(base_url, provider);
  expect([base_url, status]).toEqual([base_url, 201]);
  return body.id;
}

const tested = async (id: string): Promise<ConnectionTestResult> =>
  (await tenant.api.post<ConnectionTestResult>(`${PATH}/${id}/test`)).body;

/** Runs one datapoint. @returns the run when it is over. */
async function runWith(config: object, scoring = 'ExactMatch'): Promise<EvalRunResource> {
  const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'd' });
  const kind = { Generic: { input: 'x', expected_output: 'y' } };
  await tenant.api.post(`/api/datasets/${dataset.id}/datapoints`, { kind });
  const started = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
    name: 'r',
    scoring,
    config,
  });
  expect([started.status, started.body]).toEqual([201, expect.anything()]);
  const read = async () => (await tenant.api.get<EvalRunResource>(`/api/eval/${started.body.id}`)).body;
  await until(async () => ['completed', 'failed'].includes((await read()).status));
  return read();
}

describe('a base_url in cloud mode', () => {
  it('that can only lead inward is refused when it is given, however it is written', async () => {
    const id = await created('https://api.example/v1');
    for (const host of [
      '169.254.169.254',
      '10.0.0.1',
      '127.0.0.1',
      `127.0.0.1:${secret.port}`,
      '2130706433',
      '0x7f000001',
      '017700000001',
      '127.1',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[::ffff:a9fe:a9fe]',
      '[fd00:ec2::254]',
      'localhost',
      'localhost.',
      `LOCALHOST:${secret.port}`,
      'x.localhost',
    ]) {
      const base_url = `https://${host}/v1`;
      const refusals = [
        await create(base_url),
        await tenant.api.send('PUT', `${PATH}/${id}`, { base_url, api_key: KEY }),
      ];
      for (const { status, body } of refusals) {
        expect([host, status, body.code, body.errors?.map(({ path }) => path)]).toEqual([
          host,
          400,
          'validation_failed',
          ['base_url'],
        ]);
      }
    }
    expect((await tenant.api.get<ConnectionResource>(`${PATH}/${id}`)).body.base_url).toBe('https://api.example/v1');
  });

  it('over plain http, or with a port where no provider is, is refused when it is given', async () => {
    const id = await created('https://api.example/v1');
    for (const [base_url, fault] of [
      ['http://api.example/v1', /must begin with https/],
      ['http://api.example:443', /must begin with https/],
      [`https://inward.evil.example:${secret.port}/v1`, /must have the port 443,/],
      ['https://api.example:22', /must have the port 443,/],
    ] as const) {
      for (const { status, body } of [
        await create(base_url),
        await tenant.api.send('PUT', `${PATH}/${id}`, { base_url, api_key: KEY }),
      ]) {
        expect([base_url, status, body.code]).toEqual([base_url, 400, 'validation_failed']);
        expect(body.errors).toEqual([{ path: 'base_url', message: expect.stringMatching(fault) }]);
      }
    }
    // Ollama listens on a port of its own.
    expect((await create('https://ollama.example:11434', 'ollama')).status).toBe(201);
    expect((await create('https://ollama.example:11435', 'ollama')).status).toBe(400);
    const { body } = await create('https://ollama.example:11434', 'ollama');
    expect((await tenant.api.send('PUT', `${PATH}/${body.id}`, { provider: 'custom', api_key: KEY })).status).toBe(400);
  });

  it('of a webhook of alerts is refused as well, when it is given and when its name leads inward', async () => {
    const channel = (url: string) =>
      tenant.api.post<AlertChannelResource & Problem>('/api/alert-channels', { name: 'c', kind: 'webhook', url });
    for (const [url, fault] of [
      ['https://169.254.169.254/latest/meta-data', /must name a host that is public/],
      ['https://[fd00:ec2::254]/latest', /must name a host that is public/],
      [`https://127.0.0.1:${secret.port}/hook`, /must name a host that is public|must have the port 443/],
      ['http://api.example/hook', /must begin with https/],
    ] as const) {
      const { status, body } = await channel(url);
      expect([url, status]).toEqual([url, 400]);
      expect(body.errors).toEqual([{ path: 'url', message: expect.stringMatching(fault) }]);
    }
    const { body: inward } = await channel('https://inward.evil.example/hook');
    const { body: tested } = await tenant.api.post<AlertChannelTest>(`/api/alert-channels/${inward.id}/test`);
    const error = 'https://inward.evil.example is not known, or has an address that is not public';
    expect(tested).toMatchObject({ ok: false, status: null, error });
    expect([secret.asked, model.asked]).toEqual([[], []]);
  });

  it('is refused by its test, a run and a judge when it was stored before the rule', async () => {
    const stored = async (base_url: string): Promise<string> => {
      const id = await created('https://api.example/v1');
      await database.query('update provider_connection set base_url = $1 where id = $2', [base_url, id]);
      return id;
    };
    for (const [base_url, fault] of [
      [
        `http://inward.evil.example:${secret.port}/v1`,
        'must begin with https://, unless its host is in connections.allow_private',
      ],
      [
        `https://inward.evil.example:${secret.port}`,
        'must have the port 443, unless its host is in connections.allow_private',
      ],
      [`http://127.0.0.1:${secret.port}/v1`, 'must name a host that is public, or in connections.allow_private'],
    ] as const) {
      const id = await stored(base_url);
      const error = `the base_url of connection "c" (${id}) ${fault}`;
      expect(await tested(id)).toMatchObject({ ok: false, models: null, error });
      expect(await runWith({ connection_id: id, model: 'm' })).toMatchObject({ status: 'failed', error });
      const judge = { connection_id: id, model: 'm' };
      const own = await created(`http://localhost:${model.port}/v1`);
      const judged = await runWith({ connection_id: own, model: 'm', judge }, 'LlmJudge');
      expect(judged).toMatchObject({ status: 'failed', error });
    }
    expect([secret.asked, model.asked]).toEqual([[], []]);
  });

  it('whose name leads inward is stored, and not called, with nothing that distinguishes it from a name that is not known', async () => {
    const results: ConnectionTestResult[] = [];
    for (const host of ['inward.evil.example', 'name.unknown.example']) {
      const id = await created(`https://${host}/v1`);
      const error = notCalled(`https://${host}`);
      const result = await tested(id);
      results.push(result);
      expect(result).toEqual({ ok: false, models: null, error, latency_ms: expect.any(Number) });
      expect((await runWith({ connection_id: id, model: 'm' })).result_items).toMatchObject([
        { status: 'failed', error, output: null },
      ]);
    }
    // Both wait for the same moment, however soon the look-up has failed.
    for (const { latency_ms } of results) expect(latency_ms).toBeGreaterThanOrEqual(990);
    expect(secret.asked).toEqual([]);
  });

  it('that answers with a redirect is not followed, so that no other server gets the key', async () => {
    const result = await tested(await created(`http://127.0.0.1:${redirecting.port}/v1`));
    expect(result).toMatchObject({ ok: false, error: expect.stringMatching(/^HTTP 307/) });
    expect([redirecting.asked, secret.asked]).toEqual([['/v1/models'], []]);
  });

  it('may be a host of one’s own when the operator lists it, with its port', async () => {
    expect(await tested(await created(`http://localhost:${model.port}/v1`))).toMatchObject({ ok: true, models: ['m'] });
    expect((await create(`http://127.0.0.1:${model.port}/v1`)).status).toBe(400);
    expect((await create(`http://localhost:${secret.port}/v1`)).status).toBe(400);
  });

  it('left out leads to the base that the operator gave the provider, and to no built-in one inside', async () => {
    expect(await tested(await created(null, 'openai'))).toMatchObject({ ok: true, models: ['m'] });
    expect(await tested(await created(null, 'ollama'))).toMatchObject({
      ok: false,
      error: notCalled('http://localhost:11434'),
    });
  });
});
