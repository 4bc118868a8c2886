/** Pipelined requests, upgrades, CONNECT and bytes that are no HTTP: every answer stands in the place of its request's. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Place, Program } from '../support/places.ts';
import { describeOnDatabase, SQLITE } from '../support/databases.ts';
import { openRaw, sendRaw, type RawClient } from '../support/raw-http.ts';
import { until } from '../support/spandrel.ts';

const GARBAGE = {
  'no HTTP': 'GARBAGE\r\n\r\n',
  'zero bytes': '\0\0\0\0',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a head with two lengths': 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
  'a broken header': 'GET /x HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n',
};
const PROTOCOLS = ['h2c', 'websocket', 'TLS/1.0', 'foo/2', 'h2c, websocket', 'foo/2, bar, HTTP/2.0'];

describeOnDatabase(SQLITE, 'answers', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  let upstream: Server;
  /** What the upstream was asked for, and its answers that a test still has to end, by the tag in their path. */
  const asked: string[] = [];
  const held = new Map<string, ServerResponse>();
  const clients: RawClient[] = [];

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const [, , kind, tag] = request.url!.split('/');
      asked.push(tag!);
      let body = '';
      request.on('error', () => undefined);
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        if (kind === 'held') held.set(tag!, response);
        else response.end(`${tag} ${body}`);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    place = await takePlace();
    program = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: url } });
    for (const id of ['tag-0', 'tag-1', 'tag-2', 'tag-3']) await program.api.post('/api/traces', { id });
  });
  afterAll(async () => {
    await place?.close();
    upstream?.closeAllConnections();
    upstream?.close();
  });
  afterEach(() => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    for (const response of held.values()) response.destroy();
    held.clear();
    asked.length = 0;
  });

  const admitted = (more = ''): string =>
    Object.entries({ Host: 'localhost', ...place.headers, ...place.gatewayHeaders })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('') + more;
  const request = (line: string, more = ''): string => `${line} HTTP/1.1\r\n${admitted(more)}\r\n`;
  const upgrade = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
  const open = async (url: string, bytes: string): Promise<RawClient> => {
    const client = await openRaw(url, bytes);
    clients.push(client);
    return client;
  };
  /** Statuses, and what distinguishes the answers, in order. */
  const answersOf = (text: string): string[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) |"code":"(malformed_request|method_not_allowed)"|tag-\d|part\d/g)]
      .map(([all, status, code]) => status ?? code ?? all)
      .filter((part, index, all) => part !== all[index - 1]);

  /** Each port, with a path whose answer has the tag that is in it. */
  const ports = [
    ['the API', () => program.apiUrl, (tag: string) => `GET /api/traces/${tag}`],
    ['the gateway', () => program.gatewayUrl, (tag: string) => `GET /v1/now/${tag}`],
  ] as const;

  describe.each(ports)('%s', (_name, url, get) => {
    const refused = ['400', 'malformed_request'];

    it.each(Object.entries(GARBAGE))(
      'refuses %s behind answers that are pending, and behind one that is out',
      async (_what, garbage) => {
        const pending = await open(url(), request(get('tag-1')) + request(get('tag-2')) + garbage);
        expect(answersOf(await pending.closed)).toEqual(['200', 'tag-1', '200', 'tag-2', ...refused]);
        const done = await open(url(), request(get('tag-3')));
        await until(() => done.text().includes('tag-3'));
        done.socket.write(garbage, 'latin1');
        expect(answersOf(await done.closed)).toEqual(['200', 'tag-3', ...refused]);
      },
    );

    it.each(PROTOCOLS)('answers Upgrade: %s as the last request of its connection', async (protocol) => {
      // A WebSocket of the gateway that is first is opened: here it is behind a request that is not answered yet.
      const first = protocol === 'websocket' ? request(get('tag-0')) : '';
      const { closed } = await open(url(), first + request(get('tag-1'), upgrade(protocol)) + request(get('tag-2')));
      const text = await closed;
      expect(answersOf(text)).toEqual([...(first === '' ? [] : ['200', 'tag-0']), '200', 'tag-1']);
      expect(text).toMatch(/^connection: close\r$/im);
    });

    it.each(PROTOCOLS)('takes nothing behind Upgrade: %s with a body for a request', async (protocol) => {
      for (const framing of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n']) {
        const path = get('tag-1').replace('GET', 'PUT');
        const head = `${path} HTTP/1.1\r\n${admitted(upgrade(protocol))}${framing}`;
        const { socket, closed } = await open(
          url(),
          `${head}${request('POST /v1/now/tag-2', 'Content-Length: 999\r\n')}`,
        );
        socket.write(
          request('POST /api/traces', 'Content-Type: application/json\r\nContent-Length: 17\r\n') + '{"id":"smuggled"}',
        );
        socket.write(request(get('tag-3')));
        const text = await closed;
        expect(text.match(/^HTTP\/1\.1 \d{3} /gm)).toHaveLength(1);
        expect(answersOf(text)).not.toContain('tag-2');
      }
      expect(asked.filter((tag) => tag !== 'tag-1')).toEqual([]);
      expect((await program.api.traces()).filter(({ id }) => id === 'smuggled')).toEqual([]);
    });

    it('answers CONNECT in its turn, and takes nothing behind it', async () => {
      const { closed } = await open(url(), request(get('tag-1')) + request('CONNECT a:1') + request(get('tag-2')));
      const [first, tag, connect] = answersOf(await closed);
      expect([first, tag]).toEqual(['200', 'tag-1']);
      expect(connect).toMatch(/^40[045]$/);
    });

    it.each([
      ['gzip, chunked', 501],
      ['identity, chunked', 501],
      ['deflate\r\nTransfer-Encoding: chunked', 501],
      ['chunked, chunked', 400],
      ['chunked\r\nTransfer-Encoding: chunked', 400],
      ['identity', 400],
      ['gzip', 400],
      [', chunked', 400],
      ['chunked, gzip', 400],
    ])('refuses Transfer-Encoding: %j with %d, and passes nothing on', async (coding, expected) => {
      const chunks = '2\r\n{}\r\n0\r\n\r\n';
      const bytes = `${request(get('tag-1').replace('GET', 'POST'), `Transfer-Encoding: ${coding}\r\n`)}${chunks}${request(get('tag-2'))}`;
      const { statuses, text } = await sendRaw(url(), bytes);
      expect(statuses).toEqual([expected]);
      expect(text).toMatch(
        expected === 501 ? /not_implemented|No Transfer-Encoding but/ : /malformed_request|Transfer-Encoding/,
      );
      expect(asked).toEqual([]);
    });

    it('refuses Transfer-Encoding in HTTP/1.0', async () => {
      const line = get('tag-1').replace('GET', 'POST');
      const head = `${line} HTTP/1.0\r\n${admitted('Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n')}\r\n`;
      const { statuses } = await sendRaw(url(), `${head}2\r\n{}\r\n0\r\n\r\n${request(get('tag-2'))}`);
      expect(statuses).toEqual([400]);
      expect(asked).toEqual([]);
    });

    it('takes chunks however they are spelt', async () => {
      const { statuses } = await sendRaw(url(), `${request(get('tag-1'), 'Transfer-Encoding: CHUNKED\r\n')}0\r\n\r\n`);
      expect(statuses).toEqual([200]);
    });
  });

  it.each(Object.entries(GARBAGE))(
    'the gateway refuses %s behind answers that wait and stream',
    async (_what, garbage) => {
      const { socket, text, closed } = await open(
        program.gatewayUrl,
        request('GET /v1/held/tag-1') + request('GET /v1/held/tag-2') + garbage,
      );
      await until(() => held.size === 2);
      held.get('tag-2')!.end('tag-2');
      held.get('tag-1')!.write('tag-1 part1');
      await until(() => text().includes('part1'));
      socket.write(garbage, 'latin1');
      held.get('tag-1')!.end('part2');
      expect(answersOf(await closed)).toEqual([
        '200',
        'tag-1',
        'part1',
        'part2',
        '200',
        'tag-2',
        '400',
        'malformed_request',
      ]);
    },
  );

  it.each(Object.entries(GARBAGE))(
    'the API goes on with a stream of events that %s is behind',
    async (_what, garbage) => {
      const { socket, text } = await open(program.apiUrl, request('GET /api/events'));
      await until(() => text().includes('text/event-stream'));
      socket.write(garbage, 'latin1');
      // The stream goes on with what happens next, and nothing else comes over it.
      for (const n of [1, 2]) {
        const { body } = await program.api.post<{ id: string }>('/api/traces', { name: `after ${n}` });
        await until(() => text().includes(body.id));
      }
      expect(answersOf(text()).filter((part) => /^\d{3}$/.test(part))).toEqual(['200']);
      expect(text()).not.toContain('malformed_request');
      expect(socket.readyState).toBe('open');
    },
  );
});
