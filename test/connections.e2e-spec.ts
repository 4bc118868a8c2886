/** Provider connections in the started program: keys at rest, in no answer, log or file, through kills and rotations. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { Api } from './support/api.ts';
import { Canaries } from './support/canaries.ts';
import { runSpandrel, startSpandrel, tempDir, type Spandrel, type StartOptions } from './support/spandrel.ts';

const PATH = '/api/provider-connections';
const KEY_FILE = 'secret.key';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  cleanUps.push(() => provider.close());
  return provider;
}

/** The API alone, its built-in providers at the fake one. */
async function start(provider: FakeProvider, options: StartOptions = {}): Promise<Spandrel> {
  const urls = ['OPENAI', 'ANTHROPIC', 'OLLAMA'].map((name) => [`SPANDREL_${name}_BASE_URL`, provider.url]);
  const env = { SPANDREL_LOG_LEVEL: 'trace', ...Object.fromEntries(urls), ...options.env };
  const spandrel = await startSpandrel({ command: 'server', ...options, env });
  cleanUps.push(() => spandrel.stop('SIGKILL'));
  return spandrel;
}

/** A server that repeats what it was sent, in every way it can: headers, list of models, error. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
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
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanUps.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const create = async (api: Api, body: object): Promise<string> => {
  const answer = await api.post<ConnectionResource>(PATH, { name: 'c', ...body });
  expect(answer.status).toBe(201);
  return answer.body.id;
};

/** What the test of a connection says. */
const tested = async (spandrel: Spandrel, id: string): Promise<ConnectionTestResult> =>
  (await new Api(spandrel.apiUrl).post<ConnectionTestResult>(`${PATH}/${id}/test`)).body;

describe('a provider key', () => {
  it('reaches the provider, and no answer, log or file in the clear', async () => {
    const [provider, echoUrl] = [await startProvider(), await startEcho()];
    const canaries = new Canaries();
    const spandrel = await start(provider);
    const shown: string[] = [];
    const send = async (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
      const answer = await fetch(spandrel.apiUrl + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      });
      const text = await answer.text();
      shown.push(text, JSON.stringify([...answer.headers]));
      return { status: answer.status, body: JSON.parse(text) as ConnectionResource & ConnectionTestResult };
    };
    const post = (body: object) => send('POST', PATH, JSON.stringify(body));

    // Connections of all providers, to servers that answer and to one that repeats everything.
    const keys: string[] = [];
    const ids: string[] = [];
    for (const name of ['openai', 'anthropic', 'ollama', 'custom']) {
      for (const [place, base_url] of [
        ['default', name === 'custom' ? `${provider.url}/v1` : undefined],
        ['echo', `${echoUrl}/v1`],
        ...[400, 401, 429, 500, 302].map((status) => [`echo-${status}`, `${echoUrl}/${status}/`]),
        ['echo-text', `${echoUrl}/403/text`],
        ['nobody', 'http://127.0.0.1:9/v1'],
      ] as [string, string | undefined][]) {
        const api_key = canaries.plant(`${name}-${place}`);
        const { status, body } = await post({ name: place, provider: name, api_key, base_url });
        expect(status).toBe(201);
        keys.push(api_key);
        ids.push(body.id);
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
    for (const [n, key] of keys.entries()) {
      if (n % 9 === 0) expect(reached).toContain(JSON.stringify(key).slice(1, -1));
    }
    expect(shown.join('\n')).toContain('bad key [redacted], [redacted], [redacted]');

    // Requests that are at fault, the key in them.
    const fault = (place: string): string => canaries.plant(`fault-${place}`);
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
      [text, { origin: 'https://evil.example' }],
    ] as [string | Buffer, Record<string, string>][]) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await send(method, method === 'POST' ? PATH : `${PATH}/nothing`, body, headers);
        expect(status).toBeGreaterThanOrEqual(400);
      }
    }
    const inPath = encodeURIComponent(fault('path'));
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
      const { status } = await send(method, path, undefined, { authorization: `Bearer ${fault('header')}` });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    for (const one of ids.slice(0, 4)) expect((await send('DELETE', `${PATH}/${one}`)).status).toBe(200);

    const isFree = (): void => {
      expect(shown.flatMap((answer) => canaries.findIn(answer))).toEqual([]);
      expect(canaries.findIn(spandrel.output())).toEqual([]);
      expect(canaries.findInFiles(spandrel.dataDir, [KEY_FILE])).toEqual([]);
      const secret = Buffer.from(readFileSync(join(spandrel.dataDir, KEY_FILE), 'utf8').trim(), 'base64');
      for (const spelling of [secret.toString('base64'), secret.toString('base64url'), secret.toString('hex')]) {
        expect(spandrel.output() + shown.join('')).not.toContain(spelling.slice(0, 12));
      }
    };
    expect(existsSync(join(spandrel.dataDir, 'spandrel.db-wal'))).toBe(true);
    isFree();
    expect(await spandrel.stop()).toBe(0);
    isFree();
    expect(statSync(join(spandrel.dataDir, KEY_FILE)).mode & 0o777).toBe(0o600);
  }, 60_000);
});

describe('the secret key', () => {
  const CLI = resolve('dist/apps/cli/src/main.js');
  const keyFileOf = (dataDir: string): string => join(dataDir, KEY_FILE);
  const rotate = (dataDir: string, env: Record<string, string> = {}) =>
    runSpandrel(['secrets', 'rotate', '--data-dir', dataDir], env);

  /** A stopped data directory with connections. */
  async function fill(provider: FakeProvider, env: Record<string, string> = {}) {
    const spandrel = await start(provider, { env });
    const api = new Api(spandrel.apiUrl);
    const keys = Array.from({ length: 5 }, (_, n) => `sk-kept-${n}-0123456789`);
    const ids: string[] = [];
    for (const api_key of keys) ids.push(await create(api, { provider: 'openai', api_key }));
    return { spandrel, dataDir: spandrel.dataDir, keys, ids };
  }

  /** The keys that a server started now sends to the provider. */
  async function keysSent(provider: FakeProvider, dataDir: string, ids: string[], env: Record<string, string> = {}) {
    const spandrel = await start(provider, { dataDir, env });
    provider.requests.length = 0;
    for (const id of ids) expect(await tested(spandrel, id)).toMatchObject({ ok: true, error: null });
    await spandrel.stop('SIGKILL');
    return provider.requests.map(({ rawHeaders }) => rawHeaders.find((value) => value.startsWith('Bearer '))?.slice(7));
  }

  it('opens connections again after a kill', async () => {
    const provider = await startProvider();
    const { spandrel, dataDir, keys, ids } = await fill(provider);
    await spandrel.stop('SIGKILL');
    expect(await keysSent(provider, dataDir, ids)).toEqual(keys);
  });

  it('is rotated while the server is stopped, and not while it runs', async () => {
    const provider = await startProvider();
    const { spandrel, dataDir, keys, ids } = await fill(provider);
    const before = readFileSync(keyFileOf(dataDir), 'utf8');
    const refused = await rotate(dataDir);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('in use by another Spandrel process');
    expect(readFileSync(keyFileOf(dataDir), 'utf8')).toBe(before);
    await spandrel.stop();
    const { code, output } = await rotate(dataDir);
    expect([code, output]).toEqual([0, 'Encrypted the keys of 5 provider connections with the new secret key.\n']);
    expect(readFileSync(keyFileOf(dataDir), 'utf8')).not.toContain(before.trim());
    expect(await keysSent(provider, dataDir, ids)).toEqual(keys);
  });

  it('may be rotated by a process that is killed at any moment', async () => {
    const provider = await startProvider();
    const { spandrel, dataDir, keys, ids } = await fill(provider);
    await spandrel.stop();
    const started = performance.now();
    expect((await rotate(dataDir)).code).toBe(0);
    const wholeMs = performance.now() - started;
    for (let kill = 0; kill < 6; kill++) {
      const child = spawn(process.execPath, [CLI, 'secrets', 'rotate', '--data-dir', dataDir], { stdio: 'ignore' });
      const ended = new Promise((done) => child.once('close', done));
      const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.6 + 0.07 * kill));
      await ended;
      clearTimeout(timer);
    }
    expect(await keysSent(provider, dataDir, ids)).toEqual(keys);
    expect((await rotate(dataDir)).code).toBe(0);
    expect(readFileSync(keyFileOf(dataDir), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(await keysSent(provider, dataDir, ids)).toEqual(keys);
  }, 60_000);

  it('given by a variable is rotated to another one; a changed one stops no start', async () => {
    const provider = await startProvider();
    const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')];
    const { spandrel, dataDir, keys, ids } = await fill(provider, { SPANDREL_SECRET_KEY: oldKey });
    await spandrel.stop();
    expect(existsSync(keyFileOf(dataDir))).toBe(false);

    const changed = await start(provider, { dataDir, env: { SPANDREL_SECRET_KEY: newKey } });
    const { ok, error } = await tested(changed, ids[0]!);
    expect([ok, error]).toEqual([false, expect.stringMatching(/cannot be decrypted.*SPANDREL_SECRET_KEY/)]);
    expect((await new Api(changed.apiUrl).get(`${PATH}/${ids[0]}`)).status).toBe(200);
    await changed.stop();

    const file = join(tempDir(), 'new-key');
    writeFileSync(file, `${newKey}\n`);
    const { code, output } = await rotate(dataDir, {
      SPANDREL_SECRET_KEY: oldKey,
      SPANDREL_NEW_SECRET_KEY_FILE: file,
    });
    expect(code).toBe(0);
    expect(output).toMatch(/^Encrypted the keys of 5 .*\nNext: set SPANDREL_SECRET_KEY/);
    for (const key of [oldKey, newKey]) expect(output + changed.output()).not.toContain(key.slice(0, 10));
    expect(await keysSent(provider, dataDir, ids, { SPANDREL_SECRET_KEY: newKey })).toEqual(keys);
  });

  it('goes over from the key file to a variable', async () => {
    const provider = await startProvider();
    const { spandrel, dataDir, keys, ids } = await fill(provider);
    await spandrel.stop();
    const newKey = randomBytes(32).toString('base64');
    const env = { SPANDREL_SECRET_KEY_FILE: keyFileOf(dataDir), SPANDREL_NEW_SECRET_KEY: newKey };
    expect((await rotate(dataDir, env)).code).toBe(0);
    expect(await keysSent(provider, dataDir, ids, { SPANDREL_SECRET_KEY: newKey })).toEqual(keys);
  });

  it('that opens some connections only: the others are listed, left, and make the rotation end with 1', async () => {
    const provider = await startProvider();
    const [lostKey, key, newKey] = Array.from({ length: 3 }, () => randomBytes(32).toString('hex'));
    const { spandrel, dataDir, ids } = await fill(provider, { SPANDREL_SECRET_KEY: lostKey! });
    await spandrel.stop();
    const second = await start(provider, { dataDir, env: { SPANDREL_SECRET_KEY: key! } });
    const readable = await create(new Api(second.apiUrl), { provider: 'openai', api_key: 'sk-second-0123' });
    await second.stop();
    const { code, output } = await rotate(dataDir, { SPANDREL_SECRET_KEY: key!, SPANDREL_NEW_SECRET_KEY: newKey! });
    expect(code).toBe(1);
    expect(output).toContain('Encrypted the keys of 1 provider connection ');
    for (const id of ids) expect(output).toContain(`${id} (project local)`);
    expect(output).not.toContain(readable);
    expect(await keysSent(provider, dataDir, [readable], { SPANDREL_SECRET_KEY: newKey! })).toEqual(['sk-second-0123']);
    expect(await keysSent(provider, dataDir, ids, { SPANDREL_SECRET_KEY: lostKey! })).toHaveLength(5);
  });

  it.each([
    ['no database', {}, 'there is no database', false],
    ['no new key', { SPANDREL_SECRET_KEY: 'a'.repeat(64) }, 'SPANDREL_NEW_SECRET_KEY: the server', true],
    [
      'a malformed new key',
      { SPANDREL_SECRET_KEY: 'a'.repeat(64), SPANDREL_NEW_SECRET_KEY: 'secret-nonsense' },
      'SPANDREL_NEW_SECRET_KEY: must be 32 bytes',
      true,
    ],
    [
      'the same key',
      { SPANDREL_SECRET_KEY: 'a'.repeat(64), SPANDREL_NEW_SECRET_KEY: 'a'.repeat(64) },
      'is the key in use',
      true,
    ],
    ['a new key for a key file', { SPANDREL_NEW_SECRET_KEY: 'a'.repeat(64) }, 'SPANDREL_SECRET_KEY_FILE', true],
    [
      'an unreadable file',
      { SPANDREL_SECRET_KEY: 'a'.repeat(64), SPANDREL_NEW_SECRET_KEY_FILE: '/nothing' },
      'cannot be read',
      true,
    ],
  ] as [string, Record<string, string>, string, boolean][])(
    'is not rotated with %s',
    async (_what, env, sentence, withDatabase) => {
      const dataDir = tempDir();
      if (withDatabase) writeFileSync(join(dataDir, 'spandrel.db'), '');
      const { code, output } = await rotate(dataDir, env);
      expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
      expect(output).not.toMatch(/aaaaaaaa|nonsense/);
      expect(existsSync(keyFileOf(dataDir))).toBe(false);
    },
  );

  it('in a malformed key file stops the start, which names the file', async () => {
    const dataDir = tempDir();
    writeFileSync(keyFileOf(dataDir), 'half a key', { mode: 0o600 });
    const { code, output } = await runSpandrel(['server', '--port', '0', '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(output).toContain(`spandrel: ${keyFileOf(dataDir)}: must hold keys`);
    expect(output).not.toContain('half a key');
  });

  it('in a key file that others may read is closed to them, with a warning', async () => {
    const dataDir = tempDir();
    const key = randomBytes(32).toString('base64');
    writeFileSync(keyFileOf(dataDir), `${key}\n`);
    const spandrel = await start(await startProvider(), { dataDir });
    expect(statSync(keyFileOf(dataDir)).mode & 0o777).toBe(0o600);
    expect(await spandrel.stop()).toBe(0);
    expect(spandrel.output()).toContain('its mode is now 0600');
    expect(spandrel.output()).not.toContain(key.slice(0, 10));
  });
});
