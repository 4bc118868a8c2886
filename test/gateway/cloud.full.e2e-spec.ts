/** Cloud mode: callers are let in by their keys, and each recording goes to its caller's project. */
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { credentialOf, finished, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { rawRequest, startRawServer } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

const ALICE = 'spn_sk_alice-0123456789';
const BOB = 'spn_sk_bob-0123456789';

/** The API's answer about a key is good for so long here, in milliseconds; a refusal for as long. */
const FRESH_MS = 60_000;
/** Longer than any test: who waits for an answer gets it. */
const PATIENCE_MS = 600_000;

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;

/** By how much the clock by which answers grow old has been put forward. */
let skippedMs = 0;
const skip = (ms: number): void => void (skippedMs += ms);

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  api.keys = new Map([ALICE, BOB].map((key) => [key, credentialOf({ project_id: key })]));
  gateway = await start();
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

const start = (settings: Parameters<typeof startGateway>[1] = {}): Promise<StartedGateway> =>
  startGateway(
    upstream.url,
    {
      apiUrl: api.url,
      mode: 'cloud',
      keyFreshMs: FRESH_MS,
      keyRefusedMs: FRESH_MS,
      keyPatienceMs: PATIENCE_MS,
      shutdownMs: 1_000,
      ...settings,
    },
    { tick: () => performance.now() + skippedMs },
  );

const call = (key: string | null, content = 'Hi', headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-upstream', ...(key !== null && { 'x-spandrel-key': key }), ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
const statusOf = async (key: string | null): Promise<number> => {
  const answer = await call(key);
  await answer.text();
  return answer.status;
};

/** How each client fails. */
async function refusals(key: string | null): Promise<{ status: number; message: string }[]> {
  const defaultHeaders = key === null ? {} : { 'X-Spandrel-Key': key };
  const options = { apiKey: 'sk-upstream', maxRetries: 0, defaultHeaders };
  const openai = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  const anthropic = new Anthropic({ ...options, baseURL: gateway.url });
  const ollama = new Ollama({ host: gateway.url, headers: defaultHeaders as Record<string, string> });
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const calls = await Promise.allSettled([
    openai.chat.completions.create({ model: 'gpt-4o', messages }),
    anthropic.messages.create({ model: 'claude-sonnet-5', max_tokens: 9, messages }),
    ollama.chat({ model: 'llama3', messages }),
  ]);
  return calls.map((each) => {
    const error = (each as PromiseRejectedResult).reason as { status?: number; status_code?: number; message: string };
    return { status: (error.status ?? error.status_code)!, message: error.message };
  });
}

describe('a caller', () => {
  it.each([
    ['without a key', null, 401, /key is needed/],
    ['with one the API does not know', 'spn_sk_nobody', 401, /not valid/],
    ['with what is no key', 'a key with blanks', 401, /not valid/],
    ['whose key may not record', 'spn_sk_reader', 403, /scope ingest or write/],
    ['with the operator’s token', 'operator', 403, /project/],
    ['whose key has expired', 'spn_sk_old', 401, /expired/],
  ])('%s is refused as its client understands', async (_, key, status, message) => {
    api.keys!.set('spn_sk_reader', credentialOf({ scopes: ['read'] }));
    api.keys!.set('operator', credentialOf({ kind: 'admin_token', project_id: null, scopes: ['admin'] }));
    api.keys!.set('spn_sk_old', credentialOf({ expires_at: '2026-01-01T00:00:00.000Z' }));
    const refusal = { status, message: expect.stringMatching(message) };
    expect(await refusals(key)).toEqual([refusal, refusal, refusal]);
    expect(upstream.requests).toHaveLength(0);
    expect(finished(api)).toHaveLength(0);
  });

  it('with a key in the header or the URL is served, and the key goes no further', async () => {
    expect(await statusOf(ALICE)).toBe(200);
    const answer = await fetch(`${gateway.url}/v1/chat/completions?a=1&token=${ALICE}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `my key is ${ALICE}` }] }),
    });
    await answer.text();
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/chat/completions?a=1']);
    expect(upstream.requests.flatMap(({ rawHeaders }) => rawHeaders).join()).not.toMatch(/spandrel|alice/i);
    await recorded(api, 2);
    expect(api.bodies.join()).not.toContain(ALICE);
    expect([...api.keyOf.values()]).toEqual([ALICE, ALICE]);
  });

  it('needs a key for WebSockets too, which goes no further', async () => {
    const raw = await startRawServer((socket) => socket.end('HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n'));
    await gateway.close();
    gateway = await startGateway(raw.url, { apiUrl: api.url, mode: 'cloud' });
    const upgrade = async (path: string, key = ''): Promise<string> => {
      const lines = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
      const head = `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${key}${lines.join('\r\n')}\r\n\r\n`;
      return (await rawRequest(gateway.port, head)).head;
    };
    expect(await upgrade('/v1/realtime?model=x')).toMatch(/^HTTP\/1.1 401 /);
    expect(raw.received).toHaveLength(0);
    await upgrade('/v1/realtime?model=x', `X-Spandrel-Key: ${ALICE}\r\n`);
    await upgrade(`/v1/realtime?model=x&token=${ALICE}`);
    expect(raw.received).toHaveLength(2);
    const sent = raw.received.join();
    expect(sent.match(/GET \/v1\/realtime\?model=x HTTP/g)).toHaveLength(2);
    expect(sent).not.toMatch(/spandrel|alice/i);
    await raw.close();
  });

  it('learns nothing of where requests may go without a key', async () => {
    const named = { 'x-forward-url': 'http://unlisted.test' };
    expect((await call(null, 'Hi', named)).status).toBe(401);
    expect((await call(ALICE, 'Hi', named)).status).toBe(403);
  });

  it('may ask for health without a key, for metrics with the token for them', async () => {
    await gateway.close();
    gateway = await start({ metricsToken: 'scrape-me' });
    const get = async (path: string, authorization = ''): Promise<number> =>
      (await fetch(gateway.url + path, { headers: { authorization } })).status;
    expect(await get('/livez')).toBe(200);
    expect(await get('/readyz')).toBe(200);
    expect(await get('/metrics')).toBe(401);
    expect(await get('/metrics', 'Bearer other')).toBe(401);
    expect(await get('/metrics', 'Bearer scrape-me')).toBe(200);
  });
});

describe('the answer about a key', () => {
  it('is asked for once, however many call at once, and again before it is too old', async () => {
    await Promise.all(Array.from({ length: 20 }, () => statusOf(ALICE)));
    expect(api.checks).toEqual([ALICE]);
    skip(FRESH_MS * 0.8);
    expect(await statusOf(ALICE)).toBe(200);
    await until(() => api.checks.length === 2);
    await Promise.all(Array.from({ length: 20 }, () => statusOf('spn_sk_nobody')));
    expect(api.checks.filter((key) => key === 'spn_sk_nobody')).toHaveLength(1);
  });

  it('does not outlive the key: a revoked one is out once the answer is too old', async () => {
    expect(await statusOf(ALICE)).toBe(200);
    api.keys!.delete(ALICE);
    expect(await statusOf(ALICE)).toBe(200);
    skip(FRESH_MS);
    expect(await statusOf(ALICE)).toBe(401);
    api.keys!.set(ALICE, credentialOf({}));
    expect(await statusOf(ALICE)).toBe(401);
    skip(FRESH_MS);
    expect(await statusOf(ALICE)).toBe(200);
  });

  it('ends with the key, to the moment', async () => {
    let now = Date.parse('2026-11-21T12:00:00.000Z');
    await gateway.close();
    gateway = await startGateway(upstream.url, { apiUrl: api.url, mode: 'cloud' }, { clock: { now: () => now } });
    api.keys!.set(ALICE, credentialOf({ expires_at: '2026-11-21T12:00:10.000Z' }));
    expect(await statusOf(ALICE)).toBe(200);
    now += 9_999;
    expect(await statusOf(ALICE)).toBe(200);
    now += 1;
    expect(await statusOf(ALICE)).toBe(401);
    expect(api.checks).toHaveLength(1);
  });

  it.each(['unavailable', 'hang'] as const)(
    'stands while the API is %j; who is not known is asked to come again',
    async (mood) => {
      await gateway.close();
      gateway = await start({ keyCheckMs: 200 });
      expect(await statusOf(ALICE)).toBe(200);
      api.mood = mood;
      for (let i = 0; i < 20; i++) {
        skip(FRESH_MS / 5);
        expect(await statusOf(ALICE)).toBe(200);
      }
      expect((await refusals(BOB)).map(({ status }) => status)).toEqual([503, 503, 503]);
      const answer = await call(BOB);
      expect(answer.headers.get('retry-after')).toBe('1');
      api.keys!.delete(ALICE);
      api.mood = 'up';
      await until(async () => (await statusOf(ALICE)) === 401);
      await until(async () => (await statusOf(BOB)) === 200);
    },
  );

  it('is waited for a moment only where the last one is too old, and by one call only', async () => {
    const patience = 2_000;
    await gateway.close();
    gateway = await start({ keyCheckMs: 600_000, keyPatienceMs: patience });
    for (const key of [ALICE, BOB]) expect(await statusOf(key)).toBe(200);
    skip(FRESH_MS);
    api.mood = 'hang';
    const took: number[] = [];
    for (const key of [ALICE, ALICE, BOB]) {
      const began = performance.now();
      expect(await statusOf(key)).toBe(200);
      took.push(performance.now() - began);
    }
    expect(took[0]).toBeGreaterThan(patience * 0.9);
    for (const other of took.slice(1)) expect(other).toBeLessThan(took[0]!);
  });

  it('counts also when it comes late', async () => {
    await gateway.close();
    gateway = await start({ keyCheckMs: 3_000, keyPatienceMs: 50 });
    // Not recorded, so that no delivery reports the key.
    const refused = async (): Promise<boolean> =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { 'x-spandrel-key': ALICE } })).status === 401;
    expect(await refused()).toBe(false);
    api.keys!.delete(ALICE);
    api.checkDelayMs = 400;
    skip(FRESH_MS);
    expect(await refused()).toBe(false);
    await until(refused);
    expect(api.checks).toEqual([ALICE, ALICE]);
  });

  it('that comes when the client has left sends nothing on', async () => {
    await gateway.close();
    gateway = await start({ keyCheckMs: 60_000 });
    expect(await statusOf(ALICE)).toBe(200);
    skip(FRESH_MS);
    api.mood = 'hang';
    const leaving = new AbortController();
    const headers = { 'x-spandrel-key': ALICE };
    const left = fetch(`${gateway.url}/v1/models`, { headers, signal: leaving.signal });
    await until(() => api.hungChecks.length === 1);
    expect(upstream.requests).toHaveLength(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await until(async () => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      return /^spandrel_gateway_requests_in_flight 0$/m.test(metrics);
    });
    api.mood = 'up';
    for (const answer of api.hungChecks.splice(0)) answer();
    expect(await statusOf(ALICE)).toBe(200);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
  });
});

describe('recordings', () => {
  it('of tenants at once arrive each under its own key', async () => {
    const keys = [ALICE, BOB, 'a.jwt.token'];
    api.keys!.set('a.jwt.token', credentialOf({ kind: 'jwt', scopes: ['write'] }));
    await Promise.all(
      Array.from({ length: 90 }, (_, i) =>
        call(keys[i % 3]!, `tenant ${i % 3}`, { 'x-spandrel-trace-id': 'shared' }).then((answer) => answer.text()),
      ),
    );
    const spans = await recorded(api, 90);
    const seen = spans.map(({ id, input }) => [(input as [{ content: string }])[0].content, api.keyOf.get(id)]);
    const expected = spans.map((_, i) => [`tenant ${i % 3}`, keys[i % 3]]);
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect([...api.finishes.values()]).toEqual(Array(90).fill(1));
  });
});
