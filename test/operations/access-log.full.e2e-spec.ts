/**
 * The access log of the started program: one line a request, whatever becomes of it, and nothing in it that is secret.
 * That none is written with `access_log` off is shown by metrics.full.e2e-spec.ts.
 */
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Canaries } from '../support/canaries.ts';
import type { Place, Program } from '../support/places.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startSpandrel, until, type Spandrel } from '../support/spandrel.ts';
import { ADMIN_TOKEN } from '../support/tenant.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

interface Line {
  level: string;
  name: string;
  msg: string;
  request_id: string;
  [field: string]: unknown;
}

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());

const allLinesOf = (program: Spandrel): Line[] =>
  program
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** The lines of requests so far. */
const linesOf = (program: Spandrel): Line[] => allLinesOf(program).filter(({ msg }) => msg === 'request');

/** The one line of a request, once it is written: lines are gathered for up to a second. */
async function lineOf(program: Program, wanted: (line: Line) => boolean): Promise<Line> {
  let lines: Line[] = [];
  await until(
    () => (lines = linesOf(program).filter(wanted)).length > 0,
    5_000,
    () => program.output(),
  );
  expect(lines.length).toBe(1);
  return lines[0]!;
}

const lineWithId = (program: Program, id: string | null | undefined): Promise<Line> =>
  lineOf(program, ({ request_id: of }) => of === id);

const ANY_ID = expect.stringMatching(/^[0-9A-Z]{26}$/);
const JSON_BODY = { 'content-type': 'application/json' };
const completion = (headers: Readonly<Record<string, string>>): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_BODY, ...headers },
  body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
});

/** An id in the form that the service makes. */
const ID = '01KAJ5Z3M8Q7V2W9XYTBCDEFGH';
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const PROBES = ['/livez', '/readyz', '/metrics', '/api/health'];
/** The probes that the gateway answers itself. */
const GATEWAY_PROBES = PROBES.slice(0, 3);
const METRICS = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };

const metricsOf = async ({ apiUrl }: Program): Promise<string> => (await fetch(`${apiUrl}/metrics`, METRICS)).text();

async function askProbes({ apiUrl, gatewayUrl }: Program): Promise<void> {
  const urls = [...PROBES.map((path) => apiUrl + path), ...GATEWAY_PROBES.map((path) => gatewayUrl + path)];
  for (const url of urls) expect((await fetch(url, METRICS)).status).toBe(200);
}

describeOnBothDatabases('the access log', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({
      env: {
        SPANDREL_ACCESS_LOG: 'true',
        SPANDREL_LOG_LEVEL: 'trace',
        SPANDREL_OPENAI_BASE_URL: provider.url,
        SPANDREL_ANTHROPIC_BASE_URL: NOWHERE,
      },
    });
  });
  afterAll(() => place?.close());

  it('has a line a request with the id that the answer has, also where no route is reached', async () => {
    const { apiUrl: url, api } = program;
    const body = JSON.stringify({ id: 't', name: 'n' });
    const made = await api.send('POST', '/api/traces', body, { 'x-request-id': 'my-own.id' });
    expect(made.headers.get('x-request-id')).toBe('my-own.id');
    // Who does not come in: a web page in local mode, who has no credential in cloud mode.
    const stranger: [init: RequestInit, fields: object] =
      place.mode === 'local'
        ? [{ headers: { origin: 'https://evil.example' } }, { route: '/api/spans', status: 403 }]
        : [{ headers: { authorization: '' } }, { route: '/api/spans', status: 401 }];
    const requests: [path: string, init: RequestInit, fields: object][] = [
      ['/api/traces/t', {}, { path: '/api/traces/:id', route: '/api/traces/:id', status: 200 }],
      ['/api/traces?user_id=u', {}, { path: '/api/traces', route: '/api/traces', status: 200 }],
      [`/api/traces/${ID}`, {}, { path: `/api/traces/${ID}`, route: '/api/traces/:id', status: 404 }],
      ['/api/spans?limit=x', {}, { path: '/api/spans', route: '/api/spans', status: 400 }],
      ['/no/such?x=1', { method: 'PUT' }, { method: 'PUT', route: 'unmatched', status: 404 }],
      ['/%zz', {}, { route: 'unmatched', status: 400 }],
      ['/api/spans', ...stranger],
      ['/api/spans', { method: 'POST', body: '{', headers: JSON_BODY }, { status: 400 }],
    ];
    const expected: [id: string | null | undefined, fields: object][] = [];
    for (const [path, init, fields] of requests) {
      const answer = await fetch(url + path, { ...init, headers: { ...place.headers, ...init.headers } });
      const id = answer.headers.get('x-request-id');
      const problem = (await answer.json()) as { request_id?: string };
      if (answer.status >= 400) expect([path, problem.request_id]).toEqual([path, id]);
      expected.push([id, fields]);
    }
    const malformed = await sendRaw(url, 'NOT HTTP AT ALL\r\n\r\n');
    const id = /X-Request-Id: (\w+)/.exec(malformed.text)?.[1];
    expected.push([id, { status: 400, route: 'unmatched', remote_address: '127.0.0.1' }]);

    for (const [of, fields] of expected) expect(await lineWithId(program, of)).toMatchObject(fields);
    expect(await lineWithId(program, 'my-own.id')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      pid: program.pid,
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
    // But those of health checks and scrapes, see below.
    const others = linesOf(program).filter(({ path }) => !PROBES.includes(path as string));
    expect(others.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(program.output()).not.toMatch(/user_id|no\/such|%zz|limit=x/);
  });

  it('reports aborted requests, and event streams when they end', async () => {
    const { hostname, port } = new URL(program.apiUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const credential = place.key === undefined ? '' : `Authorization: Bearer ${place.key}\r\n`;
    socket.write(
      `POST /api/traces HTTP/1.1\r\nHost: localhost\r\n${credential}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    );
    // The scrape itself is one.
    await until(async () => /in_flight 2\n/.test(await metricsOf(program)));
    socket.destroy();
    const client = new AbortController();
    const stream = await fetch(`${program.apiUrl}/api/events`, { signal: client.signal, headers: place.headers });
    expect(stream.status).toBe(200);
    const started = Date.now();
    await until(() => Date.now() - started > 300);
    client.abort();
    expect(await lineOf(program, ({ aborted }) => aborted === true)).toMatchObject({
      path: '/api/traces',
      bytes_in: 50,
      status: expect.any(Number),
      remote_address: '127.0.0.1',
    });
    const line = await lineOf(program, ({ stream: isStream }) => isStream === true);
    expect(line).toMatchObject({ route: '/api/events', status: 200, request_id: stream.headers.get('x-request-id') });
    expect(line['duration_ms']).toBeGreaterThan(250);
    expect(line).not.toHaveProperty('aborted');
    const metrics = await metricsOf(program);
    expect(metrics).toContain(
      'spandrel_http_requests_total{method="POST",route="/api/traces",status_class="aborted"} 1',
    );
    expect(metrics).toContain('spandrel_http_requests_in_flight 1\n');
  });

  it('has a line for each of many requests sent at once on a connection, and no other', async () => {
    const credential = place.key === undefined ? '' : `Authorization: Bearer ${place.key}\r\n`;
    const one = `GET /api/stats HTTP/1.1\r\nHost: localhost\r\n${credential}\r\n`;
    const { text } = await sendRaw(program.apiUrl, one.repeat(40), { quietMs: 500 });
    expect(text.match(/HTTP\/1\.1 200 /g)?.length).toBe(40);
    const lines = () => linesOf(program).filter(({ path }) => path === '/api/stats');
    await until(() => lines().length >= 40);
    expect(lines().every(({ status, aborted }) => status === 200 && aborted === undefined)).toBe(true);
    expect(lines().length).toBe(40);
    expect(program.output()).not.toContain('Warning');
    expect(await metricsOf(program)).toContain('spandrel_http_requests_in_flight 1\n');
  });

  it('says where calls of the gateway went and are recorded; their answers are passed on as they are', async () => {
    const { gatewayUrl: url, api } = program;
    const answer = await fetch(`${url}/v1/chat/completions?key=1`, completion(place.gatewayHeaders));
    await answer.text();
    expect(answer.headers.get('x-request-id')).toMatch(/^req_fake/);
    // Who does not come in, as above.
    const refused = await fetch(`${url}/v1/models`, { headers: { origin: 'https://evil.example' } });
    const refusedId = refused.headers.get('x-request-id');
    const problem = (await refused.json()) as { request_id?: string };
    // In cloud mode the answer has the provider's form, which has no place for an id.
    if (place.mode === 'local') expect(problem.request_id).toBe(refusedId);
    const malformed = await sendRaw(url, 'NOT HTTP AT ALL\r\n\r\n');
    // The gateway answers by itself, with the id of the line.
    const nowhere = await fetch(`${url}/v1/messages`, completion(place.gatewayHeaders));
    expect(nowhere.status).toBe(502);

    const line = await lineOf(program, ({ provider: of }) => of === 'openai');
    expect(line).toMatchObject({
      level: 'info',
      name: 'gateway',
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
    const spans = async () => api.spans('provider=openai');
    await until(async () => (await spans()).length === 1);
    const [span] = await spans();
    expect([span!.id, span!.trace_id]).toEqual([line['span_id'], line['trace_id']]);
    expect(await lineWithId(program, refusedId)).toMatchObject({ status: place.mode === 'local' ? 403 : 401 });
    const malformedId = /X-Request-Id: (\w+)/.exec(malformed.text)?.[1];
    expect(await lineWithId(program, malformedId)).toMatchObject({ status: 400 });
    expect(await lineWithId(program, nowhere.headers.get('x-request-id'))).toMatchObject({ status: 502 });
  });

  it('holds no header, query string or body, and is whole lines under load; health checks are debug lines', async () => {
    const canaries = new Canaries();
    const plant = (where: string): string => encodeURIComponent(canaries.plant(where));
    const planted = {
      query: plant('query'),
      header: plant('header'),
      cookie: plant('cookie'),
      body: canaries.plant('body'),
    };
    const before = linesOf(program).length;
    const CALLS = 200;
    const calls = Array.from({ length: CALLS }, async (_, n) => {
      const [url, credential] =
        n % 2 === 0
          ? [`${program.apiUrl}/api/traces`, place.headers]
          : [`${program.gatewayUrl}/v1/chat/completions`, place.gatewayHeaders];
      const answer = await fetch(`${url}?token=${planted.query}&n=${n}`, {
        method: 'POST',
        headers: {
          ...JSON_BODY,
          authorization: `Bearer ${planted.header}`,
          cookie: `session=${planted.cookie}`,
          ...credential,
        },
        body: JSON.stringify({ name: planted.body, model: 'gpt-4o', messages: [] }),
      });
      await answer.text();
      return answer.status;
    });
    // The API refuses a query that it does not know; its log shows nothing of that either.
    expect(new Set(await Promise.all(calls))).toEqual(new Set([400, 200]));
    await askProbes(program);
    // A stop writes what waits.
    expect(await program.stop()).toBe(0);
    const lines = linesOf(program).slice(before);
    const ofCalls = lines.filter(({ path, endpoint }) => path === '/api/traces' || endpoint === 'chat.completions');
    expect(ofCalls.length).toBe(CALLS);
    expect(canaries.findIn(program.output())).toEqual([]);
    if (place.key !== undefined) expect(program.output()).not.toContain(place.key);
    const broken = program
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg"') && !(line.startsWith('{') && line.endsWith('}')));
    expect(broken).toEqual([]);
    const quiet = (of: string) =>
      lines.filter(({ level, name }) => level === 'debug' && name === of).map(({ path }) => path);
    expect(quiet('server')).toEqual(expect.arrayContaining(PROBES));
    expect(quiet('gateway')).toEqual(expect.arrayContaining(GATEWAY_PROBES));
    expect(lines.filter(({ level, path }) => level !== 'debug' && PROBES.includes(path as string))).toEqual([]);
  });

  it('is beside one line for each step in the life of a program', () => {
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    const plugins = expect.arrayContaining(['openai', 'ExactMatch']);
    const features = expect.arrayContaining(['tracing', 'evals']);
    const duration_ms = expect.any(Number);
    const starting = { msg: 'starting', version, mode: place.mode, node: process.version, plugins };
    const ready = { msg: 'ready', host: '127.0.0.1', duration_ms };
    const stopping = { msg: 'stopping', reason: 'serve' };
    const stopped = { msg: 'stopped', clean: true, duration_ms, uptime_ms: expect.any(Number) };
    const apiPort = Number(new URL(program.apiUrl).port);
    const gatewayPort = Number(new URL(program.gatewayUrl).port);
    // A place of cloud mode is a copy of a database that has its schema.
    const applied = place.mode === 'cloud' ? [] : expect.arrayContaining([expect.stringMatching(/^\d{14}/)]);
    const life = (of: string): Line[] =>
      allLinesOf(program).filter(
        ({ name, msg }) => name === of && ['starting', 'migrations', 'ready', 'stopping', 'stopped'].includes(msg),
      );
    expect(life('server')).toEqual([
      expect.objectContaining({ ...starting, features }),
      expect.objectContaining({ msg: 'migrations', applied, duration_ms }),
      expect.objectContaining({ ...ready, port: apiPort }),
      expect.objectContaining(stopping),
      expect.objectContaining(stopped),
    ]);
    expect(life('gateway')).toEqual([
      expect.objectContaining(starting),
      expect.objectContaining({ ...ready, port: gatewayPort }),
      expect.objectContaining(stopping),
      expect.objectContaining(stopped),
    ]);
    const levels = [...life('server'), ...life('gateway')].map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set([place.mode === 'cloud' ? 'info' : 'debug']));
  });
});

// Without a place: no database is asked. readiness.full.e2e-spec.ts shows the same of the server.
describe('the access log of a gateway at the level it has when nobody says one', () => {
  it('has no line of health checks and scrapes', async () => {
    const gateway = await startSpandrel({ command: 'gateway', args: ['--access-log'] });
    for (const path of [...GATEWAY_PROBES, '/no/such']) await fetch(gateway.gatewayUrl + path);
    expect(await gateway.stop()).toBe(0);
    expect(linesOf(gateway)).toMatchObject([{ level: 'info', status: 400 }]);
  });
});
