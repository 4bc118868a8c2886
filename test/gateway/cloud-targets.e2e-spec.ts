/** Cloud mode: where callers may send their calls. */
import { dialled, lookedUp, names } from './support/fake-internet.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { credentialOf, recorded, startFakeApi, type FakeApi } from './support/fake-api.js';
import { rawRequest, startRawServer, type RawServer } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

const KEY = 'spn_sk_alice-0123456789';
const PUBLIC = '93.184.216.34';

let upstream: RawServer;
let answer: string;
let api: FakeApi;
let gateway: StartedGateway;

beforeEach(async () => {
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
  upstream = await startRawServer((socket) => socket.end(answer));
  api = await startFakeApi();
  api.keys = new Map([[KEY, credentialOf({})]]);
  const forwardAllow = ['localhost', '127.0.0.1', '169.254.169.254', '*.example', `one-port.test:${upstream.port}`];
  gateway = await startGateway(upstream.url, { apiUrl: api.url, mode: 'cloud', forwardAllow });
  names.clear();
  names.set('public.example', [[PUBLIC]]);
  for (const list of [lookedUp, dialled]) list.length = 0;
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

const call = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-spandrel-key': KEY, ...headers },
    body: JSON.stringify({ model: 'm', messages: [] }),
  });
const withPort = (url: string): string => url.replace('PORT', String(upstream.port));

/** Each way to name a target. */
const WAYS = [
  ['x-forward-url', '/v1/messages', { type: 'error', error: { type: 'permission_error' } }],
  ['x-ollama-base', '/api/chat', { error: expect.any(String) }],
] as const;

describe.each(WAYS)('%s', (header, path, shape) => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:127.0.0.1]:PORT',
    'http://[::ffff:a9fe:a9fe]',
    'http://[::1]:PORT',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[fd00:ec2::254]',
    'http://2130706433:PORT',
    'http://0x7f000001:PORT',
    'http://0x7f.1:PORT',
    'http://0177.0.0.1:PORT',
    'http://017700000001:PORT',
    'http://127.1:PORT',
    'http://127.0.0.1.:PORT',
    'http://0.0.0.0:PORT',
    'http://localhost:PORT',
    'http://localhost.:PORT',
    'http://LOCALHOST:PORT',
    'http://10.0.0.1',
    'http://unlisted.test',
    'http://example',
    'http://public.example.unlisted.test',
    'http://one-port.test:1',
  ])('may not lead to %s', async (url) => {
    const refused = await call(path, { [header]: withPort(url) });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject(shape);
    expect(upstream.received).toHaveLength(0);
    expect(dialled).toEqual([]);
  });

  it.each([
    ['a private address', ['10.0.0.7']],
    ['this machine', ['127.0.0.1']],
    ['this machine, in IPv6', ['::ffff:127.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['a public address and a private one', [PUBLIC, '192.168.1.1']],
    ['nothing', []],
  ])('may not name what resolves to %s', async (_, addresses) => {
    names.set('inward.example', [addresses]);
    const refused = await call(path, { [header]: withPort('http://inward.example:PORT') });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject(shape);
    expect(upstream.received).toHaveLength(0);
    expect(dialled).toEqual([]);
    expect(lookedUp).toEqual(['inward.example']);
  });

  it.each(['http://user:pass@public.example', 'file:///etc/passwd', 'gopher://public.example', 'public.example', ''])(
    'is malformed as "%s"',
    async (url) => {
      const refused = await call(path, { [header]: url });
      expect(refused.status).toBe(400);
      expect([...lookedUp, ...dialled]).toEqual([]);
    },
  );

  it('dials what the look-up gave: a name that leads inward the second time is refused then', async () => {
    names.set('rebinding.example', [[PUBLIC], ['127.0.0.1'], [PUBLIC]]);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await call(path, { [header]: withPort('http://rebinding.example:PORT') })).status);
    }
    expect(statuses).toEqual([200, 403, 200]);
    expect(lookedUp).toHaveLength(3);
    expect(dialled).toEqual([PUBLIC, PUBLIC]);
  });

  it('passes redirects on and follows none', async () => {
    const location = 'http://169.254.169.254/latest/meta-data';
    answer = `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const redirected = await call(path, { [header]: withPort('http://public.example:PORT') });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([307, location]);
    expect(dialled).toEqual([PUBLIC]);
    expect(upstream.received).toHaveLength(1);
    const [span] = await recorded(api);
    expect(span!.status).toMatchObject({ failed: { error: expect.stringContaining('307') } });
  });

  it('sends neither itself nor the caller’s key on', async () => {
    await call(`${path}?token=${KEY}`, { [header]: withPort('http://public.example:PORT') });
    expect(upstream.received.join()).toMatch(new RegExp(`^POST ${path} HTTP/1.1\r\n`));
    expect(upstream.received.join()).not.toMatch(/x-spandrel|x-forward-url|x-ollama-base|alice/i);
  });
});

describe('targets', () => {
  it('of the operator may be anywhere', async () => {
    expect((await call('/v1/messages', {})).status).toBe(200);
    expect(upstream.received).toHaveLength(1);
  });

  it('may be listed with a port', async () => {
    names.set('one-port.test', [[PUBLIC]]);
    expect((await call('/v1/messages', { 'x-forward-url': withPort('http://one-port.test:PORT') })).status).toBe(200);
  });

  it('of WebSockets follow the same rules', async () => {
    names.set('inward.example', [['127.0.0.1']]);
    for (const url of ['http://localhost:PORT', 'http://inward.example:PORT', 'http://unlisted.test']) {
      const lines = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
      const own = `Host: gateway\r\nX-Spandrel-Key: ${KEY}\r\nX-Forward-URL: ${withPort(url)}`;
      const { head, body } = await rawRequest(
        gateway.port,
        `GET /v1/realtime HTTP/1.1\r\n${own}\r\n${lines.join('\r\n')}\r\n\r\n`,
      );
      expect(head).toMatch(/^HTTP\/1.1 403 /);
      expect(JSON.parse(body.toString())).toMatchObject({ error: { type: 'invalid_request_error' } });
    }
    expect(upstream.received).toHaveLength(0);
  });

  it('cannot be listed in a way nobody understands', async () => {
    const bad = startGateway(upstream.url, { mode: 'cloud', forwardAllow: ['https://x', '*'] });
    await expect(bad).rejects.toThrow(/forward_allow/);
  });
});
