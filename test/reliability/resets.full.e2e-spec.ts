/** Clients of the API that reset their connections, at every stage of every kind of request: nothing comes of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnDatabase, SQLITE } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { openRaw } from '../support/raw-http.ts';
import { freePorts } from '../support/ports.ts';
import { tempDir, until } from '../support/spandrel.ts';

/** Bytes of a client, and those behind them that make its server write. */
type Stages = readonly (readonly [name: string, bytes: string])[];

const JSON_TYPE = 'Content-Type: application/json\r\n';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: ';

/** How often a stage is tried, each time with another moment of the reset. */
const MOMENTS = ['at once', 'a turn later', 'at the first byte of the answer'] as const;

describeOnDatabase(SQLITE, 'clients of the API that reset their connections', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  let dataset: string;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start();
    await program.api.post('/api/traces', { id: 'kept' });
    // An answer that does not fit into the buffers of a connection.
    for (let n = 0; n < 20; n++)
      await program.api.post('/api/traces', { id: `large-${n}`, metadata: { text: 'x'.repeat(500_000) } });
    ({
      body: { id: dataset },
    } = await program.api.post<{ id: string }>('/api/datasets', { name: 'set' }));
  });
  afterAll(() => place?.close());

  const request = (line: string, more = '', body = ''): string => {
    const headers = Object.entries({ Host: 'localhost', ...place.headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return `${line} HTTP/1.1\r\n${headers.join('')}${more}\r\n${body}`;
  };
  const post = (path: string, length: number, body = '', more = ''): string =>
    request(`POST ${path}`, `${JSON_TYPE}Content-Length: ${length}\r\n${more}`, body);
  const chunked = (path: string, body: string): string =>
    request(`POST ${path}`, `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, body);
  const get = (path: string, more = ''): string => request(`GET ${path}`, more);

  const kinds: [string, () => Stages][] = [
    [
      'a head',
      () => [
        ['nothing of it', ''],
        ['half of it', 'GET /api/traces HTTP/1.1\r\nHost: loc'],
        ['half of a field', `${get('/api/traces/kept').slice(0, -6)}`],
      ],
    ],
    [
      'a body that is read whole',
      () => [
        ['nothing of it', post('/api/traces', 20)],
        ['half of it', post('/api/traces', 20, '{"na')],
        ['half of a chunk', chunked('/api/traces', '20\r\n{"na')],
        ['a chunk without an end', chunked('/api/traces', '2\r\n{}\r\n')],
        ['a broken chunk', chunked('/api/traces', 'zz\r\n')],
        ['nothing, waiting to be asked', post('/api/traces', 20, '', 'Expect: 100-continue\r\n')],
        ['too much of it', post('/api/traces', 100_000_000, 'x'.repeat(100_000))],
        ['more than is wanted', request('GET /api/traces', 'Content-Length: 100\r\n', 'x')],
      ],
    ],
    [
      'a body that is read as a stream',
      () => [
        ['half an import', post(`/api/datasets/${dataset}/import`, 1_000, '[{"input":')],
        ['half an import of everything', post('/api/import/json', 1_000, '{"traces":[')],
        ['half an export of OpenTelemetry', post('/v1/traces', 1_000, '{"resourceSpans":[')],
        ['an export of OpenTelemetry that is too long', post('/v1/traces', 900_000_000, '{')],
        [
          'a chunk of a packed one',
          chunked('/v1/traces', '2\r\n\x1f\x8b\r\n').replace(JSON_TYPE, `${JSON_TYPE}Content-Encoding: gzip\r\n`),
        ],
      ],
    ],
    [
      'an answer',
      () => [
        ['that is computed', post('/api/traces', 2, '{}')],
        ['that is read', get('/api/traces?limit=1000')],
        ['without a body', request('HEAD /api/traces')],
        ['that is an error', get('/api/traces/absent')],
        ['that is long', get('/api/export/json')],
        ['that is a download', get(`/api/datasets/${dataset}/export`)],
        ['that is a stream of events', get('/api/events')],
        ['that closes the connection', get('/api/traces/kept', 'Connection: close\r\n')],
      ],
    ],
    [
      'pipelined requests',
      () => [
        ['of which all are taken', get('/api/traces/kept').repeat(50)],
        ['behind a long answer', get('/api/export/json') + get('/api/traces/kept').repeat(20)],
        ['behind events', get('/api/events') + get('/api/traces/kept').repeat(20)],
        ['the last half a head', get('/api/traces/kept').repeat(5) + get('/api/traces/kept').slice(0, 20)],
        ['the last half a body', get('/api/traces/kept').repeat(5) + post('/api/traces', 20, '{"na')],
        ['writes', post('/api/traces', 2, '{}').repeat(20)],
      ],
    ],
    [
      'an upgrade',
      () =>
        ['websocket', 'h2c', 'foo/2'].flatMap((protocol) => [
          [`${protocol}`, get('/api/traces/kept', `${UPGRADE}${protocol}\r\n`)] as const,
          [
            `${protocol} with followers`,
            get('/api/traces/kept', `${UPGRADE}${protocol}\r\n`) + get('/api/traces/kept').repeat(5),
          ] as const,
          [`${protocol} with a length`, post('/api/traces', 20, '{"na', `${UPGRADE}${protocol}\r\n`)] as const,
          [
            `${protocol} with broken chunks`,
            chunked('/api/traces', 'zz\r\n').replace(JSON_TYPE, `${JSON_TYPE}${UPGRADE}${protocol}\r\n`),
          ] as const,
          [
            `${protocol} behind a request`,
            get('/api/events') + get('/api/traces/kept', `${UPGRADE}${protocol}\r\n`),
          ] as const,
        ]),
    ],
    [
      'CONNECT',
      () => [
        ['alone', request('CONNECT a:1')],
        ['with followers', request('CONNECT a:1') + get('/api/traces/kept').repeat(5)],
        ['behind a request', get('/api/events') + request('CONNECT a:1')],
        ['with bytes of TLS', `${request('CONNECT a:443')}\x16\x03\x01\x02\x00\x01`],
      ],
    ],
    [
      'bytes that are no HTTP',
      () =>
        ['GARBAGE\r\n\r\n', '\0\0\0', '\x16\x03\x01\x02\x00\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'].flatMap(
          (bytes) => [
            [`${JSON.stringify(bytes)} alone`, bytes] as const,
            [`${JSON.stringify(bytes)} without an end`, bytes + 'x'.repeat(200_000)] as const,
            [`${JSON.stringify(bytes)} behind a request`, get('/api/traces/kept') + bytes] as const,
            [`${JSON.stringify(bytes)} behind events`, get('/api/events') + bytes] as const,
          ],
        ),
    ],
  ];

  it.each(kinds)('in %s', async (_kind, stages) => {
    for (const [stage, bytes] of stages()) {
      for (const moment of MOMENTS) {
        const client = await openRaw(program.apiUrl, bytes);
        if (moment === 'a turn later') await new Promise((resolve) => setTimeout(resolve, 2));
        // Not all of them get one.
        if (moment === 'at the first byte of the answer')
          await Promise.race([until(() => client.text() !== '', 100).catch(() => undefined), client.closed]);
        client.socket.resetAndDestroy();
        const { status } = await program.api.get('/api/traces/kept');
        expect([stage, moment, status]).toEqual([stage, moment, 200]);
      }
    }
    await nothingLeft();
  });

  it('many at once', async () => {
    const all = kinds.flatMap(([, stages]) => stages()).map(([, bytes]) => bytes);
    await Promise.all(
      [...all, ...all].map(async (bytes, n) => {
        const client = await openRaw(program.apiUrl, bytes);
        await new Promise((resolve) => setTimeout(resolve, n % 7));
        client.socket.resetAndDestroy();
      }),
    );
    expect((await program.api.get('/api/traces/kept')).status).toBe(200);
    await nothingLeft();
  });

  /** No request is still under way, and nothing was said of an error that nobody handled. */
  async function nothingLeft(): Promise<void> {
    await until(async () => (await metricOf(program, 'spandrel_http_requests_in_flight')) <= 1);
    expect(await metricOf(program, 'spandrel_unheard_connections_total')).toBe(0);
    expect(program.output()).not.toMatch(/unhandled|that nothing listened to|"level":"(?:error|fatal)"|ERROR|FATAL/);
  }
});

describeOnDatabase(SQLITE, 'a connection that is lost while nothing listens to it', ({ takePlace }) => {
  let place: Place;
  let port: number;
  let preload: string;
  beforeAll(async () => {
    place = await takePlace();
    [port] = (await freePorts(1)) as [number];
    preload = join(tempDir(), 'fault.mjs');
    // Runs in the program: takes connections as a careless library would. What comes over one may be a fault to raise.
    writeFileSync(
      preload,
      `import net from 'node:net';
       import { isMainThread } from 'node:worker_threads';
       if (isMainThread) net.createServer((socket) => socket.on('data', (data) => {
         if (String(data) === 'listen') socket.on('error', (error) => { throw error; });
         else if (String(data) === 'throw') throw new Error('a fault of ours');
         else if (String(data) === 'reject') void Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', errno: -104 }));
         socket.write('heard');
       })).listen(${port}, '127.0.0.1');`,
    );
  });
  afterAll(() => place?.close());

  const start = (): Promise<Program> =>
    place.start({ command: 'server', env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` } });
  const url = (): string => `http://127.0.0.1:${port}`;

  it('is logged and counted, and the program lives', async () => {
    const program = await start();
    for (let lost = 1; lost <= 3; lost++) {
      const { socket, text } = await openRaw(url(), 'hello');
      await until(() => text() === 'heard');
      socket.resetAndDestroy();
      await until(async () => (await metricOf(program, 'spandrel_unheard_connections_total')) === lost);
      expect((await program.api.get('/api/traces')).status).toBe(200);
    }
    expect(program.output().match(/a connection was lost that nothing listened to/g)).toHaveLength(3);
    expect(program.output()).toContain('read ECONNRESET');
    expect(await program.stop()).toBe(0);
  });

  it.each(['listen', 'throw', 'reject'])(
    'is the only thing that the program survives: %s ends it in order',
    async (fault) => {
      const program = await start();
      const ended = new Promise<void>(
        (resolve) => void until(() => /an unhandled error/.test(program.output()), 20_000).then(resolve),
      );
      const { socket, text } = await openRaw(url(), fault);
      if (fault === 'listen') await until(() => text() === 'heard');
      socket.resetAndDestroy();
      await ended;
      expect(await program.stop('SIGTERM')).toBe(1);
    },
  );
});

/** The value of a metric without labels. */
async function metricOf({ apiUrl }: Program, name: string): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}
