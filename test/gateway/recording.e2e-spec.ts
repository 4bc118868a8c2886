/** What is recorded of calls through a started gateway. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, type Logger } from '@spandrel/kernel';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { rawRequest } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  gateway = await startGateway(upstream.url, { apiUrl: api.url, reportRunningMs: 20 });
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

const chat = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-canary-0123456789', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello.' }], ...body }),
  });

describe('a call through the gateway', () => {
  it('is recorded whole', async () => {
    const answer = await chat({ temperature: 0.2 });
    expect(answer.status).toBe(200);
    const text = ((await answer.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      name: 'gpt-4o',
      status: 'completed',
      kind: { type: 'llm_call', provider: 'openai', model: 'gpt-4o' },
      input: [{ role: 'user', content: 'Say hello.' }],
      output: { text, finish_reason: 'stop' },
      metadata: { endpoint: '/v1/chat/completions', status_code: 200, streaming: false, request: { temperature: 0.2 } },
    });
    expect(api.traces.get(span!.trace_id)).toMatchObject({ defaults: { name: 'gpt-4o' } });
  });

  it('is recorded when it streams', async () => {
    const answer = await chat({ stream: true });
    expect((await answer.text()).trimEnd()).toMatch(/\[DONE\]$/);
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      status: 'completed',
      output: { finish_reason: 'stop' },
      metadata: { streaming: true },
    });
    expect(span!.metadata['time_to_first_token_ms']).toEqual(expect.any(Number));
  });
});

describe('a call that takes a while', () => {
  it('is announced as running, then finished under the same id', async () => {
    const answer = chat({}, { 'x-fake': 'slow:200' });
    await until(() => api.announced.size === 1);
    expect([...api.spans.values()][0]).toMatchObject({
      status: 'running',
      name: 'gpt-4o',
      input: [{ content: 'Say hello.' }],
    });
    await answer;
    const [span] = await recorded(api);
    expect(api.announced.has(span!.id)).toBe(true);
    expect(Date.parse(span!.ended_at!) - Date.parse(span!.started_at)).toBeGreaterThanOrEqual(195);
  });

  it('is not announced when it is short', async () => {
    await gateway.close();
    gateway = await startGateway(upstream.url, { apiUrl: api.url, reportRunningMs: 600_000 });
    await Promise.all([chat({}), chat({})]);
    await gateway.close();
    expect(await recorded(api, 2)).toHaveLength(2);
    expect(api.announced.size).toBe(0);
  });
});

describe('headers', () => {
  it('place the call in a trace', async () => {
    await chat(
      {},
      {
        'x-spandrel-trace-id': 'my-trace',
        'x-spandrel-parent-id': 'my-parent',
        'x-spandrel-name': 'Grüße',
        'x-spandrel-session-id': 'S 1',
        'x-spandrel-user-id': 'u',
        'x-spandrel-tags': 'a, b,,c',
      },
    );
    const [span] = await recorded(api);
    expect(span).toMatchObject({ trace_id: 'my-trace', parent_id: 'my-parent' });
    expect(api.traces.get('my-trace')).toMatchObject({
      name: 'Grüße',
      session_id: 'S 1',
      user_id: 'u',
      tags: ['a', 'b', 'c'],
    });
  });

  it('of W3C place it too, malformed ones do nothing', async () => {
    await chat({}, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
    await chat(
      {},
      {
        'x-spandrel-trace-id': 'no spaces allowed',
        traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
      },
    );
    const [first, second] = await recorded(api, 2);
    expect(first).toMatchObject({ trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', parent_id: '00f067aa0ba902b7' });
    expect(second!.trace_id).toMatch(/^[0-9A-Z]{26}$/);
    expect(second!.parent_id).toBeNull();
  });

  it.each([
    ['off', undefined],
    ['Preview(3)', [{ role: 'user', content: 'Say' }]],
  ])('may lower the capture mode: %s', async (mode, input) => {
    await chat({ temperature: 0.5, metadata: { secret: 'hush' } }, { 'x-spandrel-capture': mode });
    const [span] = await recorded(api);
    expect(span!.input).toEqual(input);
    expect(span!.metadata['request']).toMatchObject({ temperature: 0.5 });
    expect(span!.kind['input_tokens']).toEqual(expect.any(Number));
    expect(api.bodies.join()).not.toContain('hush');
  });
});

describe('a capture mode that is not understood', () => {
  it.each(['Preview', 'preview-10', 'none', ''])('counts as off, and the span says so: %j', async (mode) => {
    await chat({ metadata: { secret: 'hush' } }, { 'x-spandrel-capture': mode });
    const [span] = await recorded(api);
    expect(span!.metadata['capture_not_understood']).toBe(mode);
    expect([span!.input, span!.output]).toEqual([undefined, undefined]);
    expect(span!.kind['input_tokens']).toEqual(expect.any(Number));
    expect(api.bodies.join()).not.toMatch(/hush|hello/);
  });

  it('may be one whose header is misspelt', async () => {
    await chat({}, { 'x-spandrel-captur': 'Off', 'x-spandrel-sesion-id': 's' });
    const [span] = await recorded(api);
    expect(span!.input).toBeUndefined();
    expect(span!.metadata).toMatchObject({
      capture_not_understood: 'x-spandrel-captur: Off',
      unknown_headers: {
        'x-spandrel-captur': 'x-spandrel-capture',
        'x-spandrel-sesion-id': 'x-spandrel-session-id',
      },
    });
  });

  it('leaves a line in the log, once for many calls, without what the header said', async () => {
    const lines: string[] = [];
    const logger = {
      ...createLogger('silent', 'test'),
      warn: (...line: unknown[]) => lines.push(JSON.stringify(line)),
    };
    const logging = await startGateway(upstream.url, { apiUrl: api.url }, { logger: logger as unknown as Logger });
    for (let call = 0; call < 3; call++) {
      await fetch(`${logging.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-spandrel-capture': 'canary' },
        body: '{}',
      });
    }
    await logging.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('X-Spandrel-Capture was not understood and counts as Off');
    expect(lines[0]).not.toContain('canary');
  });
});

describe('a base that has the path of the call in it', () => {
  it('is named in the error of the span, and the call goes where it was asked to', async () => {
    const doubled = `${upstream.url}/v1`;
    await chat({}, { 'x-forward-url': doubled, 'x-fake': 'error-404' });
    await chat({}, { 'x-forward-url': doubled });
    expect(upstream.requests.map(({ url }) => url)).toEqual(Array(2).fill('/v1/v1/chat/completions'));
    const spans = await recorded(api, 2);
    const error = `HTTP 404: fake provider error 404; the call went to 127.0.0.1:${upstream.port}/v1/v1/chat/completions: X-Forward-URL must not have the path of the call in it`;
    expect(spans.map(({ status }) => status)).toEqual([{ failed: { error } }, 'completed']);
  });
});

describe('credentials', () => {
  it('are recorded nowhere, not even when an error repeats them', async () => {
    const secrets = ['sk-canary-0123456789', 'canary-password', 'canary-cookie', 'canary-query', 'canary-google'];
    await fetch(`${gateway.url}/v1/chat/completions?key=canary-query`, {
      method: 'POST',
      headers: {
        'x-fake': 'error-401',
        authorization: `Bearer ${secrets[0]}`,
        cookie: 'session=canary-cookie',
        'x-goog-api-key': 'canary-google',
        'x-api-key': 'canary-password',
      },
      body: JSON.stringify({
        model: `gpt ${secrets.join(' ')}`,
        messages: [{ role: 'user', content: secrets.join(',') }],
        user: secrets[0],
      }),
    });
    const [span] = await recorded(api);
    expect(JSON.stringify(span)).toContain('[redacted]');
    for (const secret of secrets) expect(api.bodies.join()).not.toContain(secret);
  });

  it('withhold what was said where there are too many to look for', async () => {
    const cookies = Array.from({ length: 900 }, (_, n) => `canary${n}`);
    const said = { model: 'gpt canary899', messages: [{ role: 'user', content: 'canary17' }], user: 'canary18' };
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        cookie: cookies
          .map((value, n) => `${n % 10}=${value}`)
          .join(';')
          .slice(0, 60_000),
        'x-spandrel-user-id': 'canary19',
        'x-spandrel-name': 'canary20',
      },
      body: JSON.stringify(said),
    });
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      name: 'gpt [redacted]',
      status: 'completed',
      metadata: { status_code: 200, content_withheld: 'too_many_credentials' },
    });
    expect(span).not.toHaveProperty('input');
    expect(api.bodies.join()).not.toContain('canary');
  });
});

describe('WebSockets', () => {
  it('pass through, unrecorded', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=x`);
    const echoed = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send('hello there');
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error('no connection'));
    });
    socket.close();
    expect(echoed).toBe('hello there');
    expect(api.spans.size).toBe(0);
  });

  it('get an error when upstream cannot be reached', async () => {
    const { head } = await rawRequest(
      gateway.port,
      'GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nX-Forward-URL: http://127.0.0.1:1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    expect(head).toMatch(/^HTTP\/1.1 502 /);
  });
});

describe('the gateway itself', () => {
  it('answers its own endpoints', async () => {
    expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/readyz`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${gateway.url}/livez`, { method: 'POST' })).status).toBe(405);
    await chat({});
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain(
      'spandrel_gateway_requests_total{provider="openai",endpoint="chat.completions",status_class="2xx"} 1',
    );
  });
});
