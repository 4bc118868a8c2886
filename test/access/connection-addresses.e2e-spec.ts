/** Where provider connections of cloud mode may lead: attacks by `base_url`, and what operators allow. */
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { ConnectionResource, ConnectionTestResult, EvalRunResource, Problem } from '@spandrel/contract';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';

const PATH = '/api/provider-connections';
const NOT_PUBLIC = 'the host resolves to an address that is not public';
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
let secret: Inside;
let redirecting: Inside;
let model: Inside;
let app: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  const { lookup } = dns;
  // Names that an attacker's own name server answers.
  jest.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object, callback: (...of: unknown[]) => void) =>
    name.endsWith('.evil.example')
      ? callback(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '8.8.8.8', family: 4 },
        ])
      : lookup(name, options as never, callback as never)) as never);
  postgres = await startPostgres();
  [secret, model] = [await startInside(), await startInside()];
  redirecting = await startInside(() => `http://127.0.0.1:${secret.port}/stolen`);
  app = await cloudApp(await createMigrated(postgres, 'addresses'), {
    env: { SPANDREL_OPENAI_BASE_URL: `http://127.0.0.1:${model.port}` },
    settings: (settings) => {
      settings.of(ConnectionsSettings).allowPrivate = [`127.0.0.1:${redirecting.port}`, `localhost:${model.port}`];
    },
  });
  tenant = await app.createTenant();
});
afterAll(async () => {
  await app?.close();
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
      const base_url = `http://${host}/v1`;
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

  it('whose name leads inward is stored, and not called: by its test, nor by a run', async () => {
    const id = await created(`http://inward.evil.example:${secret.port}/v1`);
    expect(await tested(id)).toMatchObject({ ok: false, models: null, error: NOT_PUBLIC });
    const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'd' });
    const kind = { Generic: { input: 'x', expected_output: 'y' } };
    await tenant.api.post(`/api/datasets/${dataset.id}/datapoints`, { kind });
    const run = { name: 'r', scoring: 'ExactMatch', config: { connection_id: id, model: 'm' } };
    const started = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, run);
    const read = async () => (await tenant.api.get<EvalRunResource>(`/api/eval/${started.body.id}`)).body;
    await until(async () => (await read()).status === 'completed');
    expect((await read()).result_items).toMatchObject([{ status: 'failed', error: NOT_PUBLIC, output: null }]);
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
    expect(await tested(await created(null, 'ollama'))).toMatchObject({ ok: false, error: NOT_PUBLIC });
  });
});
