/** Servers with different secret keys on one Postgres: who reads which connection, whose runs those are, and a rotation without a pause. */
import { hostname } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { ConnectionResource, EvalRunResource } from '@spandrel/contract';
import { createLogger } from '@spandrel/kernel';
import { rotateSecrets } from '../../apps/cli/src/rotate-secrets.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, cloudEnvironment, type Tenant } from '../support/tenant.ts';

const PATH = '/api/provider-connections';
const keyOf = (n: number): string => Buffer.alloc(32, n).toString('hex');

let postgres: TestPostgres;
let url: string;
let provider: FakeProvider;
let tenant: Tenant;
let connectionId: string;
let datasetId: string;
const running: CloudApp[] = [];
let logged: string;

/** A server with a secret key, and perhaps the one before it. */
async function start(key: number, previous?: number): Promise<CloudApp> {
  const server = await cloudApp(url, {
    env: {
      SPANDREL_SECRET_KEY: keyOf(key),
      ...(previous !== undefined && { SPANDREL_SECRET_KEY_PREVIOUS: keyOf(previous) }),
    },
    logger: createLogger('info', 'test', { write: (line) => void (logged += line) }),
    settings: (settings) => void (settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1']),
  });
  running.push(server);
  return server;
}

async function stop(server: CloudApp): Promise<void> {
  running.splice(running.indexOf(server), 1);
  await server.close();
}

/** What the tenant sees of its connection at a server. */
const keyStatusAt = async (server: CloudApp): Promise<string> =>
  (await server.api.as(tenant.key).get<ConnectionResource>(`${PATH}/${connectionId}`)).body.key_status;

/** A run that was started at a server, once it is over. */
async function runAt(server: CloudApp): Promise<EvalRunResource> {
  const api = server.api.as(tenant.key);
  const config = { connection_id: connectionId, model: 'gpt-5.1' };
  const body = { name: 'run', scoring: 'None', config };
  const { id } = (await api.post<{ id: string }>(`/api/datasets/${datasetId}/eval`, body)).body;
  let run: EvalRunResource | undefined;
  await until(async () => {
    run = (await api.get<EvalRunResource>(`/api/eval/${id}`)).body;
    return run.status === 'completed' || run.status === 'failed';
  });
  return run!;
}

const rotate = (env: Record<string, string>) => runCommand(rotateSecrets, [], { ...cloudEnvironment(url), ...env });

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'secret_keys');
  provider = await startFakeProvider();
});
beforeAll(async () => {
  logged = '';
  const first = await start(1);
  tenant = await first.createTenant();
  const made = await tenant.api.post<ConnectionResource>(PATH, {
    ...{ name: 'sealed', provider: 'openai', api_key: 'sk-test-fake-key', base_url: `${provider.url}/v1` },
  });
  expect(made.body.key_status).toBe('readable');
  connectionId = made.body.id;
  datasetId = (await tenant.api.post<{ id: string }>('/api/datasets', { name: 'set' })).body.id;
  const kind = { Generic: { input: 'Hi' } };
  expect((await tenant.api.post(`/api/datasets/${datasetId}/datapoints`, { kind })).status).toBe(201);
});
afterEach(() => void (logged = ''));
afterAll(async () => {
  await Promise.all(running.map((server) => server.close()));
  await provider?.close();
  await postgres?.stop();
});

describe('a server with another secret key', () => {
  it('says so, and leaves runs to one that can read their connection, as long as that runs', async () => {
    const [reader] = running as [CloudApp];
    const other = await start(2);
    expect([await keyStatusAt(reader), await keyStatusAt(other)]).toEqual(['readable', 'unreadable']);
    const error = logged.split('\n').find((line) => line.includes('"level":"error"'));
    expect(JSON.parse(error!)).toMatchObject({
      connections: 1,
      msg: expect.stringMatching(/^this server cannot read/),
    });
    const metrics = async ({ url: at }: CloudApp): Promise<string> =>
      (await fetch(`${at}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).text();
    expect(await metrics(other)).toMatch(/^spandrel_unreadable_connections 1$/m);
    expect(await metrics(reader)).toMatch(/^spandrel_unreadable_connections 0$/m);

    expect(await runAt(other)).toMatchObject({ status: 'completed', error: null });
    await stop(reader);
    expect(await runAt(other)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/cannot be decrypted: it was encrypted with another secret key/),
    });
    await stop(other);
  });
});

describe('a rotation without a pause', () => {
  it('waits until every server has the new key, seals with it, and needs the one before no more', async () => {
    const before = await start(1);
    const after = await start(3, 1);
    expect([await keyStatusAt(before), await keyStatusAt(after)]).toEqual(['readable', 'readable']);
    const keys = { SPANDREL_SECRET_KEY: keyOf(3), SPANDREL_SECRET_KEY_PREVIOUS: keyOf(1) };
    const refused = await rotate(keys);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain(`SPANDREL_SECRET_KEY: 1 server without the new key runs: ${hostname()} (`);
    // The old way, with the new key at the command alone, would take all connections from those that run.
    const unknown = await rotate({ SPANDREL_SECRET_KEY: keyOf(3), SPANDREL_NEW_SECRET_KEY: keyOf(4) });
    expect(unknown.err).toContain('2 servers without the new key run');
    await stop(before);
    const done = await rotate(keys);
    expect([done.code, done.err, done.out]).toEqual([
      0,
      '',
      'Encrypted the keys of 1 provider connection with the new secret key.\n',
    ]);
    expect(await keyStatusAt(after)).toBe('readable');
    const last = await start(3);
    expect(await keyStatusAt(last)).toBe('readable');
    expect(await runAt(last)).toMatchObject({ status: 'completed' });
  });
});
