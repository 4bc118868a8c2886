/** A web page: what a browser could be made to send reaches nothing. */
import { describe, expect, it } from '@jest/globals';
import type { FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Place, Program } from '../support/places.ts';
import { sendRaw } from '../support/raw-http.ts';

/** What the tests get: a program that has the trace `kept` and no other, whose provider was not called yet. */
interface Attacked {
  place: Place;
  program: Program;
  provider: FakeProvider;
}

/** A name that a page's own DNS answers with 127.0.0.1, and names made to look local. */
const HOSTS = [
  'evil.example',
  'evil.example:PORT',
  'localhost.evil.example',
  '127.0.0.1.evil.example:PORT',
  '127.0.0.1.nip.io',
  'evil.example#localhost',
  'evil.example/localhost',
  'localhost@evil.example',
  'localhost:PORT@evil.example',
  'localhost:PORT:evil.example',
  'evil-localhost',
  '0.0.0.0:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '2130706433',
  '10.0.0.7:PORT',
];
const ORIGINS = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://localhost@evil.example',
  'http://127.0.0.1.evil.example:PORT',
  'null',
  '',
  'file://',
  'chrome-extension://abcdef',
  'http://localhost, https://evil.example',
];
/** What pages send without asking first, and what they ask for. */
const MEDIA_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];

const BODY = JSON.stringify({ name: 'from a page', model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
const API_REQUESTS = [
  'POST /api/traces',
  'POST /api/ingest',
  'DELETE /api/traces',
  'GET /api/traces',
  'OPTIONS /api/traces',
  'GET /nothing',
];
const GATEWAY_REQUESTS = [
  'POST /v1/chat/completions',
  'POST /api/chat',
  'GET /v1/models',
  'OPTIONS /v1/chat/completions',
  'GET /metrics',
  'GET /readyz',
];

const requestsOf = (line: string, url: string, headers: Record<string, string>): string[] => {
  const { port } = new URL(url);
  const media = line.startsWith('POST') ? MEDIA_TYPES : [undefined];
  return media.map((type) => {
    const fields = { ...headers, Connection: 'close', ...(type && { 'Content-Type': type }) };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value.replace('PORT', port)}\r\n`);
    const body = type === undefined ? '' : BODY;
    return `${line} HTTP/1.1\r\n${head.join('')}${body && `Content-Length: ${body.length}\r\n`}\r\n${body}`;
  });
};

/** The raw headers of each attempt. */
const ATTEMPTS: Record<string, string>[] = [
  ...HOSTS.map((host) => ({ Host: host })),
  ...ORIGINS.map((origin) => ({ Host: 'localhost:PORT', Origin: origin })),
];

/** What a page from elsewhere does without a header Origin: an image, a script, a form, a frame and a link. */
const FETCHES = [
  { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
  { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' },
  { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
  { 'Sec-Fetch-Mode': 'websocket', 'Sec-Fetch-Dest': 'websocket' },
  { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
  { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
];

async function nothingCameIn({ program, provider }: Attacked): Promise<void> {
  expect(provider.requests).toEqual([]);
  expect((await program.api.traces()).map(({ id }) => id)).toEqual(['kept']);
}

/** Local mode has no keys: it refuses by Host, Origin and Sec-Fetch-Site. */
export function describeLocalWebPage(attacked: () => Attacked): void {
  describe.each([
    ['the API', () => attacked().program.apiUrl, API_REQUESTS],
    ['the gateway', () => attacked().program.gatewayUrl, GATEWAY_REQUESTS],
  ])('%s and a web page', (_name, url, lines) => {
    const refusedWith = async (headers: Record<string, string>): Promise<void> => {
      const requests = lines.flatMap((line) => requestsOf(line, url(), headers));
      const answers = await Promise.all(requests.map((request) => sendRaw(url(), request)));
      for (const [index, { statuses, text }] of answers.entries()) {
        expect([requests[index], statuses]).toEqual([requests[index], [403]]);
        expect(text).not.toMatch(/access-control-allow/i);
      }
      await nothingCameIn(attacked());
    };

    it.each(HOSTS)('refuses the Host %s', (host) => refusedWith({ Host: host }));
    it.each(ORIGINS)('refuses the Origin "%s"', (origin) => refusedWith({ Host: 'localhost:PORT', Origin: origin }));

    it.each(FETCHES)('refuses what a browser marks as cross-site: %j', (fetched) =>
      refusedWith({ Host: 'localhost:PORT', 'Sec-Fetch-Site': 'cross-site', ...fetched }),
    );

    it.each(['same-origin', 'same-site', 'none'])('answers what a browser marks as %s', async (site) => {
      const [request] = requestsOf('GET /livez', url(), { Host: 'localhost:PORT', 'Sec-Fetch-Site': site });
      expect((await sendRaw(url(), request!)).statuses).toEqual([200]);
    });

    it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'app.localhost:PORT', 'LOCALHOST'])(
      'answers a program that says %s, and a page of this machine',
      async (host) => {
        for (const headers of [{ Host: host }, { Host: host, Origin: `http://${host}` }]) {
          const [request] = requestsOf('GET /livez', url(), headers);
          expect((await sendRaw(url(), request!)).statuses).toEqual([200]);
        }
      },
    );

    it('refuses a second Host, one in the target, and none', async () => {
      for (const request of [
        'GET /livez HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n',
        'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n',
        'GET http://evil.example/livez HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      ]) {
        const [status] = (await sendRaw(url(), request)).statuses;
        expect([400, 403, 404]).toContain(status);
      }
    });
  });
  it('opens a page of the dashboard by a link from elsewhere, and nothing else', async () => {
    const { apiUrl } = attacked().program;
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    for (const [path, status] of [
      ['/traces/kept', 200],
      ['/docs', 200],
      ['/api/traces', 403],
      ['/nothing', 403],
    ] as const) {
      const [request] = requestsOf(`GET ${path}`, apiUrl, { Host: 'localhost:PORT', ...link });
      expect([path, (await sendRaw(apiUrl, request!)).statuses]).toEqual([path, [status]]);
    }
    const [framed] = requestsOf('GET /traces/kept', apiUrl, {
      Host: 'localhost:PORT',
      ...link,
      'Sec-Fetch-Dest': 'iframe',
    });
    expect((await sendRaw(apiUrl, framed!)).statuses).toEqual([403]);
  });
}

/** Cloud mode has any name, and lets nobody in without a key, which no browser sends by itself. */
export function describeCloudWebPage(attacked: () => Attacked): void {
  describe('a web page', () => {
    it.each([
      ['the API', () => attacked().program.apiUrl, API_REQUESTS],
      ['the gateway', () => attacked().program.gatewayUrl, GATEWAY_REQUESTS.slice(0, 4)],
    ])('gets nothing of %s without a key, whatever Host and Origin it sends', async (_name, url, lines) => {
      const requests = ATTEMPTS.flatMap((headers) => lines.flatMap((line) => requestsOf(line, url(), headers)));
      const answers = await Promise.all(requests.map((request) => sendRaw(url(), request)));
      for (const [index, { statuses, text }] of answers.entries()) {
        expect([requests[index], statuses]).toEqual([requests[index], [401]]);
        expect(text).not.toMatch(/access-control-allow/i);
      }
      await nothingCameIn(attacked());
    });

    it('may not read what a program with a key is answered, which is served under any name', async () => {
      const { place, program } = attacked();
      for (const headers of ATTEMPTS) {
        const [request] = requestsOf('GET /api/traces', program.apiUrl, { ...headers, ...place.headers });
        const { statuses, text } = await sendRaw(program.apiUrl, request!);
        expect([request, statuses]).toEqual([request, [200]]);
        expect(text).not.toMatch(/access-control-allow/i);
      }
    });
  });
}
