/** The access log of the started program: one line a request, whatever becomes of it, and nothing in it that is secret. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { Canaries } from '../support/canaries.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startSpandrel, until, type Spandrel } from '../support/spandrel.ts';

interface Line {
  level: string;
  name: string;
  msg: string;
  request_id: string;
  [field: string]: unknown;
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(env: Record<string, string> = {}, command: 'serve' | 'server' = 'serve'): Promise<Spandrel> {
  const provider = await startFakeProvider();
  cleanUps.push(() => provider.close());
  const spandrel = await startSpandrel({ command, env: { SPANDREL_OPENAI_BASE_URL: provider.url, ...env } });
  cleanUps.push(() => spandrel.stop('SIGKILL'));
  return spandrel;
}

/** The lines of requests so far. */
const linesOf = ({ output }: Spandrel): Line[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg === 'request');

/** The one line of a request, once it is written. */
async function lineOf(spandrel: Spandrel, wanted: (line: Line) => boolean): Promise<Line> {
  await until(
    () => linesOf(spandrel).some(wanted),
    5_000,
    () => spandrel.output(),
  );
  const lines = linesOf(spandrel).filter(wanted);
  expect(lines.length).toBe(1);
  return lines[0]!;
}

const ANY_ID = expect.stringMatching(/^[0-9A-Z]{26}$/);
const completion = (scenario: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-fake': scenario },
  body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
});

/** As the service makes them. */
const ID = '01KAJ5Z3M8Q7V2W9XYTBCDEFGH';

describe('the server', () => {
  it('leaves a line a request with the id that the answer has, also where no route is reached', async () => {
    const spandrel = await start({}, 'server');
    const url = spandrel.apiUrl;
    const api = new Api(url);
    const body = JSON.stringify({ id: 't', name: 'n' });
    const made = await api.send('POST', '/api/traces', body, { 'x-request-id': 'my-own.id' });
    expect(made.headers.get('x-request-id')).toBe('my-own.id');
    expect(await lineOf(spandrel, ({ request_id: id }) => id === 'my-own.id')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      pid: spandrel.pid,
      name: 'server',
      msg: 'request',
      request_id: 'my-own.id',
      method: 'POST',
      path: '/api/traces',
      route: '/api/traces',
      status: 201,
      duration_ms: expect.any(Number),
      bytes_in: body.length,
      bytes_out: Number(made.headers.get('content-length')),
      remote_address: '127.0.0.1',
    });
    const requests: [path: string, init: RequestInit, fields: object][] = [
      ['/api/traces/t?a=b', {}, { path: '/api/traces/:id', route: '/api/traces/:id', status: 200 }],
      [`/api/traces/${ID}`, {}, { path: `/api/traces/${ID}`, route: '/api/traces/:id', status: 404 }],
      ['/api/spans?limit=x', {}, { path: '/api/spans', route: '/api/spans', status: 400 }],
      ['/no/such?x=1', { method: 'PUT' }, { method: 'PUT', route: 'unmatched', status: 404 }],
      ['/%zz', {}, { route: 'unmatched', status: 400 }],
      ['/api/spans', { headers: { origin: 'https://evil.example' } }, { route: '/api/spans', status: 403 }],
      ['/api/spans', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, { status: 400 }],
    ];
    for (const [path, init, fields] of requests) {
      const answer = await fetch(url + path, init);
      const id = answer.headers.get('x-request-id');
      const problem = (await answer.json()) as { request_id?: string };
      if (answer.status >= 400) expect([path, problem.request_id]).toEqual([path, id]);
      expect(await lineOf(spandrel, (line) => line.request_id === id)).toMatchObject(fields);
    }
    const malformed = await sendRaw(url, 'NOT HTTP AT ALL\r\n\r\n');
    const id = /X-Request-Id: (\w+)/.exec(malformed.text)?.[1];
    expect(await lineOf(spandrel, (line) => line.request_id === id)).toMatchObject({
      status: 400,
      route: 'unmatched',
      remote_address: '127.0.0.1',
    });
    expect(linesOf(spandrel).every(({ level }) => level === 'info')).toBe(true);
    expect(spandrel.output()).not.toMatch(/a=b|no\/such|%zz|limit=x/);
  }, 60_000);

  it('tells aborted requests, and event streams when they end', async () => {
    const spandrel = await start({}, 'server');
    const { hostname, port } = new URL(spandrel.apiUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      'POST /api/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    );
    await until(async () => /in_flight [1-9]/.test(await (await fetch(`${spandrel.apiUrl}/metrics`)).text()));
    socket.destroy();
    expect(await lineOf(spandrel, ({ aborted }) => aborted === true)).toMatchObject({
      path: '/api/traces',
      bytes_in: 50,
      status: expect.any(Number),
      remote_address: '127.0.0.1',
    });
    const client = new AbortController();
    const stream = await fetch(`${spandrel.apiUrl}/api/events`, { signal: client.signal });
    expect(stream.status).toBe(200);
    const started = Date.now();
    await until(() => Date.now() - started > 300);
    client.abort();
    const line = await lineOf(spandrel, ({ stream: isStream }) => isStream === true);
    expect(line).toMatchObject({ route: '/api/events', status: 200, request_id: stream.headers.get('x-request-id') });
    expect(line['duration_ms']).toBeGreaterThan(250);
    expect(line).not.toHaveProperty('aborted');
    const metrics = await (await fetch(`${spandrel.apiUrl}/metrics`)).text();
    expect(metrics).toContain(
      'spandrel_http_requests_total{method="POST",route="/api/traces",status_class="aborted"} 1',
    );
    // The scrape itself.
    expect(metrics).toContain('spandrel_http_requests_in_flight 1\n');
  }, 60_000);

  it('leaves a line for each of many requests sent at once on a connection, and no other', async () => {
    const spandrel = await start({}, 'server');
    const one = 'GET /api/stats HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { text } = await sendRaw(spandrel.apiUrl, one.repeat(40), { quietMs: 500 });
    expect(text.match(/HTTP\/1\.1 200 /g)?.length).toBe(40);
    const lines = () => linesOf(spandrel).filter(({ path }) => path === '/api/stats');
    await until(() => lines().length >= 40);
    expect(lines().every(({ status, aborted }) => status === 200 && aborted === undefined)).toBe(true);
    expect(lines().length).toBe(40);
    expect(spandrel.output()).not.toContain('Warning');
    const metrics = await (await fetch(`${spandrel.apiUrl}/metrics`)).text();
    expect(metrics).toContain('spandrel_http_requests_in_flight 1\n');
  }, 60_000);
});

describe('the gateway', () => {
  it('tells where calls went and where they are recorded, and passes answers on as they are', async () => {
    const spandrel = await start();
    const { gatewayUrl: url } = spandrel;
    const answer = await fetch(`${url}/v1/chat/completions?key=1`, completion('echo'));
    await answer.text();
    expect(answer.headers.get('x-request-id')).toMatch(/^req_fake/);
    const line = await lineOf(spandrel, ({ name }) => name === 'gateway');
    expect(line).toMatchObject({
      level: 'info',
      request_id: line['span_id'],
      method: 'POST',
      provider: 'openai',
      endpoint: 'chat.completions',
      status: 200,
      trace_id: ANY_ID,
      span_id: ANY_ID,
      duration_ms: expect.any(Number),
      remote_address: '127.0.0.1',
    });
    const api = new Api(spandrel.apiUrl);
    await until(async () => (await api.spans()).length === 1);
    const [span] = await api.spans();
    expect([span!.id, span!.trace_id]).toEqual([line['span_id'], line['trace_id']]);

    const refused = await fetch(`${url}/v1/models`, { headers: { origin: 'https://evil.example' } });
    const id = refused.headers.get('x-request-id');
    expect(((await refused.json()) as { request_id: string }).request_id).toBe(id);
    expect(await lineOf(spandrel, ({ request_id: of }) => of === id)).toMatchObject({ status: 403 });
    const malformed = await sendRaw(url, 'NOT HTTP AT ALL\r\n\r\n');
    const badId = /X-Request-Id: (\w+)/.exec(malformed.text)?.[1];
    expect(await lineOf(spandrel, ({ request_id: of }) => of === badId)).toMatchObject({ status: 400 });
    // Nobody listens there: the gateway answers by itself, with the id of the line.
    const nowhere = await fetch(`${url}/v1/embeddings`, {
      ...completion('echo'),
      headers: { 'x-forward-url': 'http://127.0.0.1:9' },
    });
    expect(nowhere.status).toBe(502);
    const nowhereId = nowhere.headers.get('x-request-id');
    expect(await lineOf(spandrel, ({ request_id: of }) => of === nowhereId)).toMatchObject({ status: 502 });
  }, 60_000);
});

describe('lines of requests', () => {
  it('hold no header, query string or body, and go to standard error as whole lines under load', async () => {
    const spandrel = await start({ SPANDREL_LOG_LEVEL: 'trace' });
    const canaries = new Canaries();
    const plant = (place: string): string => encodeURIComponent(canaries.plant(place));
    const calls = Array.from({ length: 300 }, async (_, n) => {
      const base = n % 2 === 0 ? spandrel.apiUrl : spandrel.gatewayUrl;
      const path = n % 2 === 0 ? '/api/traces' : '/v1/chat/completions';
      await fetch(`${base}${path}?token=${plant('query')}&n=${n}`, {
        ...completion('echo'),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${plant('header')}` },
        body: JSON.stringify({ name: canaries.plant('body'), model: 'gpt-4o', messages: [] }),
      }).then((answer) => answer.text());
    });
    await Promise.all(calls);
    const ofCalls = () =>
      linesOf(spandrel).filter(({ path, endpoint }) => path === '/api/traces' || endpoint === 'chat.completions');
    await until(
      () => ofCalls().length === 300,
      10_000,
      () => `${ofCalls().length} lines`,
    );
    expect(await spandrel.stop()).toBe(0);
    expect(canaries.findIn(spandrel.output())).toEqual([]);
    const broken = spandrel
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg"') && !(line.startsWith('{') && line.endsWith('}')));
    expect(broken).toEqual([]);
  }, 60_000);

  it('of health checks and scrapes are debug lines; with access_log off there are none', async () => {
    const paths = ['/livez', '/readyz', '/metrics', '/api/health'];
    const ask = async ({ apiUrl, gatewayUrl }: Spandrel): Promise<void> => {
      for (const path of paths) await fetch(apiUrl + path).then((answer) => answer.text());
      for (const path of paths.slice(0, 3)) await fetch(gatewayUrl + path).then((answer) => answer.text());
      await fetch(`${apiUrl}/api/stats`).then((answer) => answer.text());
    };
    const [quiet, loud, off] = await Promise.all([
      start(),
      start({ SPANDREL_LOG_LEVEL: 'debug' }),
      start({ SPANDREL_LOG_LEVEL: 'debug', SPANDREL_ACCESS_LOG: 'false' }),
    ]);
    for (const spandrel of [quiet, loud, off]) {
      await ask(spandrel);
      expect(await spandrel.stop()).toBe(0);
    }
    expect(linesOf(quiet).map(({ path }) => path)).toEqual(['/api/stats']);
    const debug = linesOf(loud).filter(({ level }) => level === 'debug');
    for (const path of paths) expect(debug.map((line) => line['path'])).toContain(path);
    expect(debug.filter(({ name }) => name === 'gateway').map(({ path }) => path)).toEqual(paths.slice(0, 3));
    expect(linesOf(off)).toEqual([]);
  }, 60_000);
});
