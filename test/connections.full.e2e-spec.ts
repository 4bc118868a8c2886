/** Provider connections in the started program: keys at rest, in no answer, log, file or table, through kills and rotations. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { createLogger } from '@spandrel/kernel';
import { databaseOf } from '@spandrel/storage';
import { rotateSecrets } from '../apps/cli/src/rotate-secrets.js';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import type { Api } from './support/api.ts';
import { Canaries } from './support/canaries.ts';
import type { Place, Program } from './support/places.ts';
import { withClient } from './support/postgres.ts';
import { runCommand } from './support/run-command.ts';
import { serveInProcess, testSettings } from './support/server-app.ts';
import { runSpandrel, tempDir, until } from './support/spandrel.ts';
import { describeOnBothDatabases, SQLITE } from './support/databases.ts';

const CLI = resolve('dist/apps/cli/src/main.js');
const PATH = '/api/provider-connections';
const KEY_FILE = 'secret.key';

let provider: FakeProvider;
let echo: Server;
let echoUrl: string;
beforeAll(async () => {
  provider = await startFakeProvider();
  echo = createEcho();
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
  echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
});
afterAll(async () => {
  echo.close();
  echo.closeAllConnections();
  await provider.close();
});

/** A server that repeats what it was sent, in every way it can: headers, list of models, error. */
const createEcho = (): Server =>
  createServer((request, response) => {
    const { authorization = '', 'x-api-key': xApiKey } = request.headers;
    const key = String(xApiKey ?? authorization.replace('Bearer ', ''));
    const status = Number(/\/(\d{3})\//.exec(request.url!)?.[1] ?? 200);
    const error = `bad key ${key}, ${key.slice(0, 9)}***${key.slice(-4)}, ${encodeURIComponent(key)}, ${Buffer.from(key).toString('base64')}`;
    response.writeHead(status, { 'x-echo': encodeURIComponent(key), location: `/?key=${encodeURIComponent(key)}` });
    response.end(
      request.url!.includes('/text')
        ? error
        : JSON.stringify({ error: { message: error }, data: [{ id: `m ${key}` }] }),
    );
  });

/** Variables of the API alone, with its built-in providers at the fake one. */
const environmentOf = (secretKey?: string): Record<string, string> => ({
  SPANDREL_LOG_LEVEL: 'trace',
  ...Object.fromEntries(['OPENAI', 'ANTHROPIC', 'OLLAMA'].map((name) => [`SPANDREL_${name}_BASE_URL`, provider.url])),
  ...(secretKey && { SPANDREL_SECRET_KEY: secretKey }),
});

/** Starts the program. */
const start = (place: Place, secretKey?: string): Promise<Program> =>
  place.start({ command: 'server', env: environmentOf(secretKey) });

/** A server within the tests, on what a program has left. */
interface Successor {
  api: Api;
  /** What it has said in its log. */
  output(): string;
  close(): Promise<void>;
}

/** Starts a server within the tests: that a program starts is shown before. */
async function succeed(place: Place, secretKey?: string): Promise<Successor> {
  const settings = testSettings({ ...place.env, ...environmentOf(secretKey) });
  settings.core.dataDir = place.dataDir;
  let log = '';
  const logger = createLogger('trace', 'server', { write: (line: string) => (log += line) });
  const { api, close } = await serveInProcess(settings, databaseOf(settings), { logger });
  let closed: Promise<void> | undefined;
  return {
    api: place.key === undefined ? api : api.as(place.key),
    output: () => log,
    close: () => (closed ??= close()),
  };
}

async function create(api: Api, body: object): Promise<string> {
  const answer = await api.post<ConnectionResource>(PATH, { name: 'c', ...body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Connections with keys of their own. @returns the keys by id */
async function fill(api: Api, count: number): Promise<Map<string, string>> {
  const keys = Array.from({ length: count }, (_, n) => `sk-kept-${n}-0123456789`);
  const filled = new Map<string, string>();
  for (const api_key of keys) filled.set(await create(api, { provider: 'openai', api_key }), api_key);
  return filled;
}

/** What the test of a connection says. */
const tested = async (api: Api, id: string): Promise<ConnectionTestResult> =>
  (await api.post<ConnectionTestResult>(`${PATH}/${id}/test`)).body;

/** The keys that a server sends to the provider, by connection. */
async function keysSent(api: Api, ids: Iterable<string>): Promise<Map<string, string | undefined>> {
  const sent = new Map<string, string | undefined>();
  for (const id of ids) {
    provider.requests.length = 0;
    expect(await tested(api, id)).toMatchObject({ ok: true, error: null });
    sent.set(id, provider.requests[0]!.rawHeaders.find((value) => value.startsWith('Bearer '))?.slice(7));
  }
  return sent;
}

/** `spandrel secrets rotate`, to be killed. @returns its end */
function startRotation(place: Place, env: Record<string, string> = {}): { kill(): void; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [CLI, 'secrets', 'rotate', '--data-dir', place.dataDir], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...place.env, ...env },
  });
  return { kill: () => void child.kill('SIGKILL'), ended: new Promise((done) => child.once('close', done)) };
}

describeOnBothDatabases('the keys of providers', ({ name: database, takePlace }) => {
  /** Secret keys: the server's at first, the one after a rotation, that of another server, and that of all in the end. */
  const [first, second, other, last] = Array.from({ length: 4 }, () => randomBytes(32).toString('hex')) as [
    string,
    string,
    string,
    string,
  ];
  const canaries = new Canaries();
  /** Whatever was answered or printed. */
  const shown: string[] = [];
  let place: Place;
  let server: Program;
  /** Behind the rotations. */
  let successor: Successor | undefined;
  let kept: Map<string, string>;
  let count: number;
  beforeAll(async () => {
    place = await takePlace();
    server = await start(place, first);
  });
  afterAll(async () => {
    await successor?.close();
    await place?.close();
  });

  const rotate = async (from: string, to: string): Promise<{ code: number; output: string }> => {
    const env = { ...place.env, SPANDREL_SECRET_KEY: from, SPANDREL_NEW_SECRET_KEY: to };
    const rotated = await runCommand(rotateSecrets, ['--data-dir', place.dataDir], env);
    shown.push(rotated.output);
    return rotated;
  };
  const expectNoCanaries = async (): Promise<void> => {
    const contents = await place.contents();
    // A running server's contents include what is in the log of its database only.
    const where = place.mode === 'local' ? 'spandrel.db' : 'public.provider_connection';
    expect(contents.map(([name]) => name)).toContain(where);
    expect(canaries.findInContents(contents)).toEqual([]);
    const printed = [...shown, server.output(), successor?.output()].join('\n');
    expect(canaries.findIn(printed)).toEqual([]);
    for (const key of [first, second, other, last]) expect(printed).not.toContain(key.slice(0, 12));
  };

  it('reach the providers, and no answer, log, file or table in the clear', async () => {
    const send = async (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
      const answer = await fetch(server.apiUrl + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...place.headers,
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      });
      const text = await answer.text();
      shown.push(text, JSON.stringify([...answer.headers]));
      return { status: answer.status, body: JSON.parse(text) as ConnectionResource & ConnectionTestResult };
    };
    const post = (body: object) => send('POST', PATH, JSON.stringify(body));

    // Connections of all providers, to servers that answer and to one that repeats everything.
    const ids: string[] = [];
    const wanted: string[] = [];
    for (const name of ['openai', 'anthropic', 'ollama', 'custom']) {
      for (const [to, base_url] of [
        ['default', name === 'custom' ? `${provider.url}/v1` : undefined],
        ['echo', `${echoUrl}/v1`],
        ...[400, 401, 429, 500, 302].map((status) => [`echo-${status}`, `${echoUrl}/${status}/`]),
        ['echo-text', `${echoUrl}/403/text`],
        ['nobody', 'http://127.0.0.1:9/v1'],
      ] as [string, string | undefined][]) {
        const api_key = canaries.plant(`${name}-${to}`);
        const { status, body } = await post({ name: to, provider: name, api_key, base_url });
        expect(status).toBe(201);
        ids.push(body.id);
        if (to === 'default') wanted.push(api_key);
      }
    }
    for (const id of ids) {
      await send('GET', `${PATH}/${id}`);
      await send('POST', `${PATH}/${id}/test`);
      const again = JSON.stringify({ api_key: canaries.plant(`put-${id}`) });
      expect((await send('PUT', `${PATH}/${id}`, again)).status).toBe(200);
      await send('POST', `${PATH}/${id}/test`);
      await send('PUT', `${PATH}/${id}`, JSON.stringify({ name: 'renamed' }));
      expect((await send('PUT', `${PATH}/${id}`, JSON.stringify({ base_url: 'http://127.0.0.1:10/' }))).status).toBe(
        400,
      );
    }
    await send('GET', PATH);
    await send('GET', `${PATH}?limit=2`);
    const reached = JSON.stringify(provider.requests.map(({ rawHeaders }) => rawHeaders));
    for (const key of wanted) expect(reached).toContain(JSON.stringify(key).slice(1, -1));
    expect(shown.join('\n')).toContain('bad key [redacted], [redacted], [redacted]');

    // Requests that are at fault, the key in them.
    const fault = (where: string): string => canaries.plant(`fault-${where}`);
    const good = { name: 'n', provider: 'openai', api_key: fault('good') };
    const id = ids[0]!;
    for (const wrong of [
      { ...good, api_key: [fault('list')] },
      { ...good, api_key: { key: fault('object') } },
      { ...good, api_key: `${fault('break')}\n` },
      { ...good, api_key: `${fault('unicode')}潮` },
      { ...good, api_key: fault('long').repeat(500) },
      { ...good, name: undefined },
      { ...good, name: [fault('name')] },
      { ...good, name: `${fault('name-nul')}\0` },
      { ...good, provider: fault('provider') },
      { ...good, provider: [fault('provider-list')] },
      { ...good, base_url: fault('no-url') },
      { ...good, base_url: `http://${encodeURIComponent(fault('user'))}@127.0.0.1/` },
      { ...good, base_url: `http://127.0.0.1/${fault('url-nul')}\0` },
      { ...good, base_url: [fault('url-list')] },
      { ...good, default_model: { [fault('model')]: 1 } },
      [good],
    ]) {
      for (const [method, path] of [
        ['POST', PATH],
        ['PUT', `${PATH}/${id}`],
        ['PUT', `${PATH}/nothing`],
      ] as const) {
        const { status } = await send(method, path, JSON.stringify(wrong));
        expect([400, 404, 200]).toContain(status);
      }
    }
    const text = JSON.stringify({ ...good, api_key: fault('text') });
    for (const [body, headers] of [
      [text.slice(0, -1), {}],
      [`${text}}`, {}],
      [text.replaceAll('"', "'"), {}],
      [text.replace('"api_key":', '"api_key" '), {}],
      [Buffer.from(text, 'utf16le'), {}],
      [Buffer.concat([Buffer.from(text), Buffer.of(0xff)]), {}],
      [text, { 'content-type': 'text/plain' }],
      [text, { 'content-type': 'application/x-www-form-urlencoded' }],
      [text, { 'content-encoding': 'gzip' }],
      // Cloud mode asks for a credential, not from where.
      ...(place.mode === 'local' ? [[text, { origin: 'https://evil.example' }]] : []),
    ] as [string | Buffer, Record<string, string>][]) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await send(method, method === 'POST' ? PATH : `${PATH}/nothing`, body, headers);
        expect(status).toBeGreaterThanOrEqual(400);
      }
    }
    const inPath = encodeURIComponent(fault('path'));
    for (const headers of [{}, { authorization: `Bearer ${fault('header')}` }]) {
      for (const [method, path] of [
        ['GET', `${PATH}/${inPath}`],
        ['PUT', `${PATH}/${inPath}`],
        ['DELETE', `${PATH}/${inPath}`],
        ['POST', `${PATH}/${inPath}/test`],
        ['GET', `${PATH}/${inPath}/nothing`],
        ['GET', `${PATH}?cursor=${inPath}`],
        ['GET', `${PATH}?limit=${inPath}`],
        ['GET', `${PATH}/nothing?api_key=${inPath}`],
      ] as const) {
        const { status } = await send(method, path, undefined, headers);
        expect(status).toBeGreaterThanOrEqual(400);
      }
    }
    for (const one of ids.slice(0, 4)) expect((await send('DELETE', `${PATH}/${one}`)).status).toBe(200);
    kept = await fill(server.api, 5);
    count = (await server.api.get<{ count: number }>(`${PATH}?limit=1000`)).body.count;
    expect(count).toBeGreaterThanOrEqual(ids.length - 4 + kept.size);
    const project = place.mode === 'local' ? 'local' : (await credentialOf(server.api)).project_id;
    const rules = [{ masker: 'email', replace: 'hash' }];
    expect((await server.api.send('PUT', `/api/projects/${project}/masking`, { rules })).status).toBe(200);
    // The first text that is recorded has the key of hashes made.
    expect((await server.api.post('/api/traces', { name: 'jane@planted.example' })).status).toBe(201);
    expect(await place.rows("select 1 from masking_rules where key_id <> ''")).toHaveLength(1);
    await expectNoCanaries();
    expect(existsSync(join(place.dataDir, KEY_FILE))).toBe(false);
  });

  it('are sealed with another secret key after a kill, by the program', async () => {
    await server.stop('SIGKILL');
    // The seconds go by in which a server that was killed counts as one that runs.
    if (database === 'Postgres') await place.rows('update key_holder set seen_at = seen_at - 20000');
    const env = { ...place.env, SPANDREL_SECRET_KEY: first, SPANDREL_NEW_SECRET_KEY: second };
    const { code, output } = await runSpandrel(['secrets', 'rotate', '--data-dir', place.dataDir], env);
    expect([code, output]).toEqual([
      0,
      `Encrypted the keys of ${count} provider connections with the new secret key.\n` +
        'Encrypted the masking keys of 1 project with it.\n' +
        'Next: set SPANDREL_SECRET_KEY to the value of SPANDREL_NEW_SECRET_KEY, unset SPANDREL_NEW_SECRET_KEY, and start the server.\n',
    ]);
  });

  // SQLite's rotations are killed below, where they have steps: this one is a transaction.
  if (database === 'Postgres') {
    it('stay as they are when their rotation is killed while it waits for a writer', async () => {
      const keyIds = () => place.rows('select distinct key_id from provider_connection');
      const before = await keyIds();
      expect(before).toHaveLength(1);
      await withClient(place.env['DATABASE_URL']!, async (writer) => {
        await writer.query('begin');
        await writer.query('select 1 from provider_connection order by id desc limit 1 for update');
        const rotation = startRotation(place, { SPANDREL_SECRET_KEY: second, SPANDREL_NEW_SECRET_KEY: last });
        await until(
          async () =>
            (
              await place.rows(`select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%provider_connection%'`)
            ).length > 0,
        );
        rotation.kill();
        await rotation.ended;
        await writer.query('commit');
      });
      expect(await keyIds()).toEqual(before);
    });
  }

  it('cannot be read with another secret key, which stops no start', async () => {
    successor = await succeed(place, other);
    const [id] = [...kept.keys()];
    const { ok, error } = await tested(successor.api, id!);
    expect([ok, error]).toEqual([false, expect.stringMatching(/cannot be decrypted.*SPANDREL_SECRET_KEY/)]);
    expect((await successor.api.get(`${PATH}/${id}`)).status).toBe(200);
  });

  it('that the key at hand does not open are listed, left, and make a rotation end with 1', async () => {
    const readable = await create(successor!.api, { provider: 'openai', api_key: 'sk-readable-0123' });
    await successor!.close();
    await expectNoCanaries();
    const { code, output } = await rotate(other, last);
    expect(code).toBe(1);
    expect(output).toContain('Encrypted the keys of 1 provider connection ');
    const [{ project_id: project } = { project_id: '' }] = await place.rows<{ project_id: string }>(
      'select project_id from provider_connection',
    );
    for (const id of kept.keys()) expect(output).toContain(`${id} (project ${project})`);
    expect(output).toContain(`the masking key of project ${project} could not be decrypted and stayed as before\n`);
    expect(output).not.toContain('Encrypted the masking keys');
    expect(output).not.toContain(readable);
    kept.set(readable, 'sk-readable-0123');
  });

  it('reach the providers again after all rotations, and are still nowhere in the clear', async () => {
    const file = join(tempDir(), 'new-key');
    writeFileSync(file, `${last}\n`);
    const env = { ...place.env, SPANDREL_SECRET_KEY: second, SPANDREL_NEW_SECRET_KEY_FILE: file };
    const rotated = await runCommand(rotateSecrets, ['--data-dir', place.dataDir], env);
    shown.push(rotated.output);
    expect([rotated.code, rotated.output]).toEqual([
      0,
      expect.stringContaining(`Encrypted the keys of ${count + 1} provider connections `),
    ]);
    successor = await succeed(place, last);
    expect(await keysSent(successor.api, kept.keys())).toEqual(kept);
    await successor.close();
    await expectNoCanaries();
  });

  it.each([
    ['no new key', {}, 'SPANDREL_NEW_SECRET_KEY: the server'],
    ['a malformed new key', { SPANDREL_NEW_SECRET_KEY: 'secret-nonsense' }, 'SPANDREL_NEW_SECRET_KEY: must be 32'],
    ['the same key', { SPANDREL_NEW_SECRET_KEY: 'a'.repeat(64) }, 'is the key that is in use already; give a new one'],
    [
      'an unreadable file',
      { SPANDREL_NEW_SECRET_KEY_FILE: '/nothing' },
      'SPANDREL_NEW_SECRET_KEY_FILE: /nothing does not exist',
    ],
  ] as [string, Record<string, string>, string][])('are not rotated with %s', async (_what, env, sentence) => {
    const given = { ...place.env, SPANDREL_SECRET_KEY: 'a'.repeat(64), ...env };
    const { code, output } = await runCommand(rotateSecrets, ['--data-dir', place.dataDir], given);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output).not.toMatch(/aaaaaaaa|nonsense/);
    expect(existsSync(join(place.dataDir, KEY_FILE))).toBe(false);
  });
});

/** Local mode alone has one: in cloud mode the key is always a variable. */
describe('the key file', () => {
  let place: Place;
  let server: Program;
  let successor: Successor;
  let kept: Map<string, string>;
  let keyFile: string;
  const rotate = (env: Record<string, string> = {}) => runCommand(rotateSecrets, ['--data-dir', place.dataDir], env);
  const keysInFile = (): string[] => readFileSync(keyFile, 'utf8').trim().split('\n');
  beforeAll(async () => {
    place = await SQLITE.takePlace();
    keyFile = join(place.dataDir, KEY_FILE);
    server = await start(place);
    kept = await fill(server.api, 3);
  });
  afterAll(() => place?.close());

  it('is its owner’s alone, and no log holds its key', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const secret = Buffer.from(keysInFile()[0]!, 'base64');
    expect(secret).toHaveLength(32);
    for (const spelling of [secret.toString('base64'), secret.toString('base64url'), secret.toString('hex')]) {
      expect(server.output()).not.toContain(spelling.slice(0, 12));
    }
  });

  it('is rotated while the server is stopped, and not while it runs', async () => {
    const before = keysInFile();
    const refused = await place.run('secrets', 'rotate');
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('in use by another Spandrel process')]);
    expect(keysInFile()).toEqual(before);
    await server.stop('SIGKILL');
    const { code, output } = await rotate();
    expect([code, output]).toEqual([0, 'Encrypted the keys of 3 provider connections with the new secret key.\n']);
    expect(keysInFile()).toHaveLength(1);
    expect(keysInFile()).not.toEqual(before);
  });

  it('may be rotated by a process that is killed on the way', async () => {
    const [before] = keysInFile();
    // The second step of the rotation waits for a writer.
    const writer = new Database(join(place.dataDir, 'spandrel.db'));
    writer.exec('begin immediate');
    const rotation = startRotation(place);
    await until(() => keysInFile().length === 2);
    rotation.kill();
    await rotation.ended;
    writer.close();
    expect(keysInFile()[1]).toBe(before);
    chmodSync(keyFile, 0o644);
    successor = await succeed(place);
    expect(await keysSent(successor.api, kept.keys())).toEqual(kept);
    await successor.close();
    expect((await rotate()).code).toBe(0);
    expect(keysInFile()).toHaveLength(1);
  });

  it('that others may read is closed to them by a start, with a warning', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(successor.output()).toContain('their modes are closed to them now');
  });

  it('goes over to a variable, and takes no new key of one', async () => {
    const newKey = randomBytes(32).toString('base64');
    const refused = await rotate({ SPANDREL_NEW_SECRET_KEY: newKey });
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('SPANDREL_SECRET_KEY_FILE')]);
    expect((await rotate({ SPANDREL_SECRET_KEY_FILE: keyFile, SPANDREL_NEW_SECRET_KEY: newKey })).code).toBe(0);
    const again = await rotate({ SPANDREL_SECRET_KEY: newKey, SPANDREL_NEW_SECRET_KEY: 'b'.repeat(64) });
    expect([again.code, again.output]).toEqual([0, expect.stringContaining('Encrypted the keys of 3 ')]);
  });

  it('is not made by a rotation without a database', async () => {
    const dataDir = tempDir();
    const { code, output } = await runCommand(rotateSecrets, ['--data-dir', dataDir]);
    expect([code, output]).toEqual([1, expect.stringContaining('there is no database')]);
    expect(existsSync(join(dataDir, KEY_FILE))).toBe(false);
  });

  it('that is malformed stops the start, which names it', async () => {
    const malformed = join(tempDir(), KEY_FILE);
    writeFileSync(malformed, 'half a key', { mode: 0o600 });
    const { code, output } = await runSpandrel(['server', '--port', '0', '--data-dir', join(malformed, '..')]);
    expect(code).toBe(1);
    expect(output).toContain(`spandrel: ${malformed}: must hold keys`);
    expect(output).not.toContain('half a key');
  });
});

const credentialOf = async (api: Api): Promise<{ project_id: string }> =>
  (await api.get<{ project_id: string }>('/api/credential')).body;
