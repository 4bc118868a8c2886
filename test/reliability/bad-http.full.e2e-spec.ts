/** Requests that no client would send: each is answered once, below 500, and nothing is smuggled past a check. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { LivezWatch } from '../support/livez-watch.ts';
import type { Place, Program } from '../support/places.ts';
import { sendRaw, type RawAnswer } from '../support/raw-http.ts';
import { describeCloudWebPage, describeLocalWebPage } from './web-page.ts';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';

/** Routes that read. */
const GET_ROUTES = [
  '/livez',
  '/readyz',
  '/api/health',
  '/api/traces',
  '/api/traces/kept',
  '/api/spans',
  '/api/spans/span',
  '/api/sessions',
  '/api/sessions/S',
];

const below500 = (request: string, { statuses, text }: RawAnswer): void => {
  expect([request.slice(0, 300), statuses.filter((status) => status >= 500)]).toEqual([request.slice(0, 300), []]);
  expect(text).not.toMatch(/\n\s+at |node_modules|\.js:\d/);
};

describeOnBothDatabases('bad HTTP', ({ name: database, takePlace }) => {
  let place: Place;
  let provider: FakeProvider;
  let program: Program;
  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takePlace();
    program = await place.start({
      env: { SPANDREL_OPENAI_BASE_URL: provider.url, SPANDREL_OLLAMA_BASE_URL: provider.url },
    });
    await program.api.post('/api/traces', { id: 'kept', session_id: 'S' });
    await program.api.post('/api/spans', { id: 'span', trace_id: 'kept', name: 'n' });
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });

  const attacked = () => ({ place, program, provider });
  if (database === 'SQLite') describeLocalWebPage(attacked);
  else describeCloudWebPage(attacked);

  /** One Host, and whom the program lets in. */
  const admitted = (): string =>
    Object.entries({ Host: 'localhost', ...place.headers, ...place.gatewayHeaders })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');

  const both = [
    ['the API', () => program.apiUrl, '/api/traces'],
    ['the gateway', () => program.gatewayUrl, '/v1/chat/completions'],
  ] as const;

  /** Nothing but what the tests themselves sent has come in. */
  async function nothingSlippedIn(): Promise<void> {
    expect((await program.api.traces()).filter(({ id, name }) => id === 'smuggled' || name === 'smuggled')).toEqual([]);
    expect(provider.requests.filter(({ url, body }) => url.includes('smuggled') || body.includes('smuggled'))).toEqual(
      [],
    );
  }

  // It asks no database, and is read before anybody is let in.
  if (showsAll(database)) {
    describe.each(both)('%s', (_name, url, path) => {
      const body = '{"name":"smuggled","id":"smuggled"}';
      const second = (): string =>
        `POST ${path}?smuggled HTTP/1.1\r\n${admitted()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const framings = [
        'Content-Length: 5\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 5',
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: 5, 6',
        'Content-Length: +5',
        'Content-Length: -5',
        'Content-Length: 0x5',
        'Content-Length: 5 5',
        'Content-Length: 99999999999999999999999',
        'Content-Length: ',
        'Transfer-Encoding: chunked, identity',
        'Transfer-Encoding: xchunked',
        'Transfer-Encoding : chunked',
        'Transfer-Encoding:\x0bchunked',
        'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
        'Transfer-Encoding: "chunked"',
        ' Content-Length: 5',
        'X: y\nContent-Length: 5',
        'X: y\rContent-Length: 5',
        'X: a\0b',
        'X\0: b',
        'X y: b',
        ': b',
        'no colon',
        'X: a\r\n folded: b\r\nContent-Length: 0\r\nContent-Length: 5',
      ];
      const payloads = (): string[] => [
        `0\r\n\r\n${second()}`,
        second(),
        `5;x="\r\n"\r\nhello\r\n0\r\n\r\n${second()}`,
        `FFFFFFFFFFFFFFFFF\r\n${second()}`,
      ];

      it('refuses a message whose end can be read in two ways, and takes nothing behind it for a request', async () => {
        const requests = framings.flatMap((framing) =>
          payloads().map(
            (payload) =>
              `POST ${path} HTTP/1.1\r\n${admitted()}Content-Type: application/json\r\n${framing}\r\n\r\n${payload}`,
          ),
        );
        const answers = await Promise.all(requests.map((request) => sendRaw(url(), request)));
        for (const [index, answer] of answers.entries()) {
          expect([requests[index], answer.statuses]).toEqual([requests[index], [400]]);
          below500(requests[index]!, answer);
        }
        await nothingSlippedIn();
      });

      it('answers any method on any target below 500', async () => {
        const methods = [
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'CONNECT',
          'PROPFIND',
          'SEARCH',
          'BREW',
          'get',
          '',
        ];
        const targets = [
          '/',
          '*',
          '',
          '//',
          '/%',
          '/%00',
          '/%2e%2e/%2e%2e/etc/passwd',
          '/../../etc/passwd',
          '/\\..\\',
          '/api/traces/',
          '//api//traces',
          '/api%2Ftraces',
          '/api/traces%2Fkept',
          '/api/traces/%2F',
          '/api/spans/..%2f..%2fx',
          '/API/TRACES',
          '/api/traces;x=1',
          '/api/traces#x',
          '/api/traces/\xff',
          '/api/traces/%ff%fe',
          '/api/traces/%C0%AF',
          '/api/sessions/%00',
          '/api/sessions/%ED%A0%80',
          `/api/traces/${'x'.repeat(9_000)}`,
          'localhost:443',
          'http://localhost/api/traces',
          'http://evil.example/api/traces',
          'https://evil.example',
          'ftp://x',
          '/api/traces?limit=%',
          '/api/traces?%00=%ff&=&&&',
        ];
        // Deleting all traces is what the API is there for.
        const lines = methods.flatMap((method) => targets.map((target) => `${method} ${target}`));
        const requests = lines
          .filter((line) => !/^DELETE \S*traces(\/?$|[?;#])/i.test(line))
          .map((line) => `${line} HTTP/1.1\r\n${admitted()}Connection: close\r\n\r\n`);
        for (let sent = 0; sent < requests.length; sent += 50) {
          const some = requests.slice(sent, sent + 50);
          const answers = await Promise.all(some.map((request) => sendRaw(url(), request)));
          for (const [index, answer] of answers.entries()) {
            below500(some[index]!, answer);
            expect(answer.statuses.length).toBeLessThanOrEqual(1);
          }
        }
        for (const line of [
          'GET / HTTP/0.9',
          'GET / HTTP/2.0',
          'GET / HTTP/1.1 x',
          'GET /\0 HTTP/1.1',
          'GET /',
          'PRI * HTTP/2.0',
          '\x16\x03\x01\x02\x00\x01',
        ]) {
          below500(line, await sendRaw(url(), `${line}\r\n${admitted()}\r\n`));
        }
        expect((await program.api.traces()).map(({ id }) => id)).toContain('kept');
      });

      it('refuses a head that does not end, or is larger than it takes', async () => {
        for (const head of [`X: ${'x'.repeat(200_000)}`, 'X: y\r\n'.repeat(20_000), `${'x'.repeat(100_000)}: y`]) {
          const answer = await sendRaw(url(), `GET /livez HTTP/1.1\r\n${admitted()}${head}\r\n\r\n`);
          below500(head, answer);
          expect([400, 431, undefined]).toContain(answer.statuses[0]);
        }
        const target = await sendRaw(url(), `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${admitted()}\r\n`);
        expect([414, 431, undefined]).toContain(target.statuses[0]);
        expect((await fetch(`${url()}/livez`)).status).toBe(200);
      });
    });
  }

  describe('the API', () => {
    it.each(GET_ROUTES)('answers HEAD %s as GET, without a body', async (route) => {
      for (const path of [route, `${route}?limit=1`]) {
        const get = await fetch(program.apiUrl + path, { headers: place.headers });
        await get.arrayBuffer();
        const head = await fetch(program.apiUrl + path, { method: 'HEAD', headers: place.headers });
        expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
        expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      }
    });

    it('finds nothing under another spelling of a path', async () => {
      for (const route of GET_ROUTES) {
        for (const spelling of [
          `${route}/`,
          `/${route}`,
          route.replace('/', '//'),
          `/${route.slice(1).replaceAll('/', '%2F')}x`,
          route.replace(/\/(?=[^/]+$)/, '/%2F'),
          route.toUpperCase(),
        ]) {
          const { statuses } = await sendRaw(
            program.apiUrl,
            `GET ${spelling} HTTP/1.1\r\n${admitted()}Connection: close\r\n\r\n`,
          );
          expect([spelling, statuses]).toEqual([spelling, [404]]);
        }
      }
    });

    it('takes or refuses odd media types, never both', async () => {
      const types: [string, number][] = [
        ['application/json', 201],
        ['APPLICATION/JSON', 201],
        ['application/json; charset=utf-8', 201],
        ['application/json;charset="utf-8"; x=y', 201],
        ['application/vnd.x+json', 201],
        ['application/json-patch', 415],
        ['application/jsonx', 415],
        ['text/json', 415],
        ['text/plain', 415],
        ['multipart/form-data; boundary=x', 415],
        ['application/x-www-form-urlencoded', 415],
        ['application/xml', 415],
        ['nonsense', 415],
        ['/', 415],
        [';', 415],
        ['application/json, text/plain', 415],
      ];
      for (const [type, status] of types) {
        const answer = await program.api.send('POST', '/api/traces', '{"name":"typed"}', { 'content-type': type });
        expect([type, answer.status]).toEqual([type, status]);
      }
    });

    it('answers huge and repeated query parameters at once', async () => {
      const livez = new LivezWatch(program.apiUrl, program.pid);
      for (const [query, expected] of [
        [`tag=${'x'.repeat(25_000)}`, [200, 400]],
        ['tag=a&'.repeat(5_000), [400]],
        ['limit=1&'.repeat(3_000), [400]],
        ['a[b][c]=1&'.repeat(3_000), [400]],
        [Array.from({ length: 3_000 }, (_, n) => `k${n}=1`).join('&'), [400]],
        [`limit=${'9'.repeat(20_000)}`, [400]],
        [`limit=1${'0'.repeat(20_000)}x`, [400]],
        [`since=${'2026-01-01'.repeat(2_000)}`, [400]],
        [`cursor=${'x'.repeat(20_000)}`, [400]],
        [`cursor=${Buffer.from('{"__proto__":{}}').toString('base64url')}`, [400]],
        [`name_contains=${'%25'.repeat(8_000)}`, [200, 400]],
        [`status=%00`, [400]],
        [`tag=${'%00'}`, [200, 400]],
        [`session_id=%ED%A0%80`, [200, 400]],
        [`${'&'.repeat(25_000)}`, [200]],
        [`${'%'.repeat(25_000)}`, [400]],
      ] as const) {
        for (const path of ['/api/traces', '/api/spans']) {
          const { status } = await program.api.unchecked.get(`${path}?${query}`);
          expect([path, query.slice(0, 50), expected.includes(status as never) ? 'expected' : status]).toEqual([
            path,
            query.slice(0, 50),
            'expected',
          ]);
        }
      }
      for (const number of ['NaN', 'Infinity', '1e999', '0x10', '', ' 1', '1e', '-', '9'.repeat(400)]) {
        const { status } = await program.api.get(`/api/spans?duration_min=${encodeURIComponent(number)}`);
        expect([number, status < 500]).toEqual([number, true]);
      }
      expect(await livez.slowestMs()).toBeLessThan(250);
      await livez.stop();
    });
  });

  describe('the gateway', () => {
    it.each(['', 'Host: localhost\r\nHost: localhost\r\n'])('refuses HTTP/1.1 without one Host: %j', async (hosts) => {
      const { statuses, text } = await sendRaw(
        program.gatewayUrl,
        `GET /livez HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
      );
      expect(statuses).toEqual([400]);
      expect(text).toContain('"code":"malformed_request"');
      expect(text).toMatch(/x-request-id: \w+/i);
    });

    it('passes no line break of a header value on, and takes off what Connection names', async () => {
      provider.requests.length = 0;
      const answer = await sendRaw(
        program.gatewayUrl,
        `GET /v1/models HTTP/1.1\r\n${admitted()}Connection: close, X-Hop\r\nX-Hop: 1\r\nX-Kept: a%0d%0aX-Injected: 1\r\n\r\n`,
      );
      expect(answer.statuses).toEqual([200]);
      const names = provider.requests.flatMap(({ rawHeaders }) => rawHeaders.map((name) => name.toLowerCase()));
      expect(names).toContain('x-kept');
      for (const name of ['x-hop', 'x-injected', 'x-spandrel-key']) expect(names).not.toContain(name);
    });

    it('answers a target it cannot use below 500', async () => {
      for (const target of [
        '',
        ' ',
        'x',
        '//',
        'http://',
        'http://:0',
        'file:///etc/passwd',
        'http://[',
        'http://a b',
        'javascript:1',
        'http://user:pw@',
      ]) {
        for (const header of ['X-Forward-URL', 'X-Ollama-Base']) {
          const request = `POST /v1/chat/completions HTTP/1.1\r\n${admitted()}${header}: ${target}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
          const { statuses } = await sendRaw(program.gatewayUrl, request);
          expect([header, target.slice(0, 40), [200, 400, 403].includes(statuses[0]!) ? 'expected' : statuses]).toEqual(
            [header, target.slice(0, 40), 'expected'],
          );
        }
      }
    });
  });
});
