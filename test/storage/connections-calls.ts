import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionUnusable } from '@spandrel/connections';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { sql } from '@spandrel/storage';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { ConnectionsApp } from './connections-app.js';
import { anyRows } from '../support/any-rows.ts';

const KEY = 'sk-calls-0123456789abcdef';

export function connectionCalls(app: () => ConnectionsApp): void {
  let fake: FakeProvider | undefined;
  let odd: Server | undefined;
  /** Answers as the last part of the path says, the caller's key in it. */
  let oddUrl: string;

  beforeAll(async () => {
    fake = await startFakeProvider();
    odd = createServer((request, response) => {
      const key = String(request.headers.authorization).replace('Bearer ', '');
      const answers: Record<string, [number, string]> = {
        denied: [
          401,
          JSON.stringify({ error: { message: `Incorrect API key provided: ${key.slice(0, 6)}***${key.slice(-4)}` } }),
        ],
        plain: [403, `who is ${key}?`],
        empty: [500, ''],
        html: [200, '<html>hello</html>'],
        echo: [200, JSON.stringify({ data: [{ id: `model-${key}` }, { id: 'm2' }] })],
        none: [200, '{"object":"list","data":[]}'],
        go: [200, '{"object":"list","data":null}'],
        bare: [200, '[{"id":"m1"}]'],
        other: [200, '{"status":"ok"}'],
        nonsense: [200, '{"data":"nonsense"}'],
        nothing: [204, ''],
        moved: [302, ''],
      };
      const [status, body] = answers[new URL(request.url!, 'http://x').pathname.split('/')[1]!]!;
      response.writeHead(status, { location: `${fake!.url}/v1/models` }).end(body);
    });
    await new Promise<void>((done) => odd!.listen(0, '127.0.0.1', done));
    oddUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    odd?.close();
    odd?.closeAllConnections();
    await fake?.close();
  });

  const test = async (id: string) => {
    const { status, body, text } = await app().call('POST', `/${id}/test`);
    expect(status).toBe(200);
    expect(text).not.toMatch(/sk-calls|0123456789|cdef/);
    expect(Object.keys(body).sort()).toEqual(['error', 'latency_ms', 'models', 'ok']);
    expect(body.latency_ms).toBeGreaterThanOrEqual(0);
    return body;
  };

  describe('the test of a connection', () => {
    it.each([
      ['openai', '/v1'],
      ['anthropic', ''],
      ['ollama', '/'],
      ['custom', '/v1/'],
    ])('lists the models of %s', async (provider, path) => {
      const { id } = await app().create({ provider, base_url: fake!.url + path, api_key: KEY });
      fake!.requests.length = 0;
      const result = await test(id);
      expect(result).toMatchObject({ ok: true, error: null });
      expect(result.models!.length).toBeGreaterThan(0);
      expect(fake!.requests).toHaveLength(1);
      expect(fake!.requests[0]!.rawHeaders.join('\n')).toContain(KEY);
    });

    it.each([
      [
        'denied',
        'HTTP 401 from S: Incorrect API key provided: [redacted] (check the api_key of the connection "NAME")',
      ],
      ['plain', 'HTTP 403 from S: who is [redacted]? (check the api_key of the connection "NAME")'],
      ['empty', 'HTTP 500 from S'],
      ['html', 'HTTP 200 from S, but the answer is not JSON: is this the base_url of an API?'],
      ['moved', 'HTTP 302 from S (redirects are not followed: give base_url as the address it leads to)'],
      ['other', 'HTTP 200 from S, but the answer is no list of models: is this the base_url of an API?'],
      ['nonsense', 'HTTP 200 from S, but the answer is no list of models: is this the base_url of an API?'],
      ['nothing', 'HTTP 204 from S, but the answer is not JSON: is this the base_url of an API?'],
    ])('says what was wrong: %s', async (path, sentence) => {
      fake!.requests.length = 0;
      const { id, name } = await app().create({ base_url: `${oddUrl}/${path}`, api_key: KEY });
      const error = sentence.replace('S', oddUrl).replace('NAME', name);
      expect(await test(id)).toMatchObject({ ok: false, models: null, error });
      expect(fake!.requests).toHaveLength(0);
    });

    it('shows no key that a server puts in its list, and takes a list of nothing', async () => {
      const echo = await app().create({ base_url: `${oddUrl}/echo`, api_key: KEY });
      expect(await test(echo.id)).toMatchObject({ ok: true, models: ['model-[redacted]', 'm2'] });
      for (const [path, models] of [
        ['none', []],
        ['go', []],
        ['bare', ['m1']],
      ] as const) {
        const { id } = await app().create({ base_url: `${oddUrl}/${path}`, api_key: KEY });
        expect(await test(id)).toMatchObject({ ok: true, models });
      }
    });

    it('says that a server without TLS has none', async () => {
      const { id } = await app().create({ base_url: oddUrl.replace('http:', 'https:'), api_key: KEY });
      const server = oddUrl.replace('http:', 'https:');
      const error = `${server} does not speak TLS: does base_url have to begin with http:// instead of https://?`;
      expect(await test(id)).toMatchObject({ ok: false, models: null, error });
    });

    it('says that nobody is there', async () => {
      const { id } = await app().create({ base_url: 'http://127.0.0.1:9/v1', api_key: KEY });
      const error =
        'http://127.0.0.1:9 refused the connection: is the server running, and is this its port? In a container this address is the container itself.';
      expect(await test(id)).toMatchObject({ ok: false, models: null, error });
    });
  });

  describe('a connection that cannot be used', () => {
    const change = (id: string, column: string, value: string) =>
      app().storage.write((tx) =>
        tx.run(
          column === 'provider'
            ? sql`update provider_connection set provider = ${value} where id = ${id}`
            : column === 'key_id'
              ? sql`update provider_connection set key_id = ${value} where id = ${id}`
              : sql`update provider_connection set sealed_key = ${value} where id = ${id}`,
        ),
      );
    const unusable = async (id: string, scope = LOCAL_SCOPE): Promise<string> => {
      const error = await app()
        .connections.open(scope, id)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConnectionUnusable);
      expect(String(error)).not.toContain(KEY);
      return (error as Error).message;
    };

    it('is one that is gone', async () => {
      expect(await unusable('gone')).toContain('gone does not exist');
      expect(await unusable('a\0b')).toContain('does not exist');
    });

    it('is one whose provider is not loaded; it can still be renamed', async () => {
      const { id } = await app().create({ api_key: KEY });
      await change(id, 'provider', 'away');
      expect(await unusable(id)).toContain('provider "away"');
      expect(await test(id)).toMatchObject({ ok: false, models: null, error: expect.stringContaining('"away"') });
      expect((await app().call('PUT', `/${id}`, { name: 'renamed' })).body).toMatchObject({ name: 'renamed' });
      expect((await app().call('PUT', `/${id}`, { api_key: 'sk-x' })).body.errors![0]!.path).toBe('provider');
    });

    it('is one sealed with another key; giving it its key again mends it', async () => {
      const { id } = await app().create({ name: 'lost', api_key: KEY });
      await change(id, 'key_id', '0123456789abcdef');
      const message = await unusable(id);
      expect(message).toContain(`the key of connection "lost" (${id}) cannot be decrypted`);
      expect(message).toContain('SPANDREL_SECRET_KEY');
      expect(await app().call('POST', `/${id}/test`)).toMatchObject({
        status: 200,
        body: { ok: false, models: null, error: message },
      });
      expect((await app().call('GET', `/${id}`)).status).toBe(200);
      expect((await app().call('PUT', `/${id}`, { name: 'still lost' })).status).toBe(200);
      expect((await app().call('PUT', `/${id}`, { base_url: 'http://other/' })).body.errors![0]!.path).toBe('api_key');
      expect((await app().call('PUT', `/${id}`, { api_key: KEY })).status).toBe(200);
      expect((await app().connections.open(LOCAL_SCOPE, id)).target.apiKey).toBe(KEY);
    });

    it('is one whose sealed key was altered, or moved here from another row or project', async () => {
      const [one, two] = [await app().create({ api_key: KEY }), await app().create({ api_key: 'sk-other-key' })];
      const [row] = await app().storage.read(
        anyRows<{ sealed: string }>()`select sealed_key as sealed from provider_connection where id = ${one.id}`,
      );
      await change(two.id, 'sealed_key', row!.sealed);
      expect(await unusable(two.id)).toMatch(/cannot be decrypted.*SPANDREL_SECRET_KEY/);
      await app().storage.write((tx) =>
        tx.run(sql`update provider_connection set project_id = 'thief' where id = ${one.id}`),
      );
      expect(await unusable(one.id, { orgId: 'org', projectId: 'thief' })).toContain('cannot be decrypted');
      for (const sealed of ['', 'AAAA', 'not base64', row!.sealed.slice(4)]) {
        await change(two.id, 'sealed_key', sealed);
        expect(await unusable(two.id)).toContain('cannot be decrypted');
      }
    });
  });

  describe('a provider plugin', () => {
    it('cannot have the key sent to another server, and costs one test when it throws', async () => {
      fake!.requests.length = 0;
      const { storage } = app();
      const secretKey = Buffer.alloc(32, 9);
      const plugins = ['greedy', 'thrower', 'nonsense'].map((name) => ({
        use: pluginFile(name, fake!.url),
        config: {},
      }));
      const own = await ConnectionsApp.on(storage, { secretKey, plugins });
      for (const [provider, error] of [
        ['greedy', 'another server'],
        ['thrower', 'the provider plugin thrower failed: no [redacted] today'],
        ['nonsense', 'the provider plugin nonsense failed: readModels returned no list of names'],
      ] as const) {
        const { id } = await own.create({ provider, base_url: `${oddUrl}/none`, api_key: KEY });
        const { status, body, text } = await own.call('POST', `/${id}/test`);
        expect([status, body.ok, body.models]).toEqual([200, false, null]);
        expect(body.error).toContain(error);
        expect(text).not.toContain(KEY);
      }
      await own.close();
      expect(fake!.requests).toHaveLength(0);
    });
  });
}

/** A provider that sends its models request elsewhere, throws with the key in its message, or answers nonsense. */
function pluginFile(name: string, elsewhere: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'spandrel-plugin-')), `${name}.mjs`);
  const urls: Record<string, string> = { greedy: `'${elsewhere}/v1/models'`, nonsense: `target.baseUrl` };
  writeFileSync(
    file,
    `export default {
      extensionPoint: 'provider', name: '${name}', apiVersion: 1,
      setup: () => ({
        defaultBaseUrl: null, hosts: [], recognises: () => 'no', endpoint: () => undefined,
        errorBody: () => ({}), errorMessage: () => undefined,
        chat: {
          buildModelsRequest(target) {
            ${name === 'thrower' ? 'throw new Error(`no ${target.apiKey} today`);' : ''}
            return { method: 'GET', url: ${urls[name] ?? "''"}, headers: { authorization: target.apiKey } };
          },
          readModels: () => 7,
        },
      }),
    };`,
  );
  return file;
}
