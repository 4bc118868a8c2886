/** What goes through the gateway goes through unchanged. */
import { createHash, randomBytes } from 'node:crypto';
import http, { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { rawRequest, startRawServer, type RawServer } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

let api: FakeApi;
let upstream: RawServer;
let gateway: StartedGateway;
/** How the upstream answers; each test sets it. */
let answer: (socket: Socket, head: string) => void = () => undefined;

beforeAll(async () => {
  api = await startFakeApi();
  upstream = await startRawServer((socket, head) => answer(socket, head));
  gateway = await startGateway(upstream.url, { apiUrl: api.url });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await api.close();
});
afterEach(() => {
  upstream.received.length = 0;
  upstream.sockets.splice(0).forEach((socket) => socket.destroy());
  api.spans.clear();
});

const local = 'Host: localhost\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${local}${more}Connection: close\r\n\r\n`;
const post = (path: string, body: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\n${local}Content-Length: ${Buffer.byteLength(body)}\r\n${more}Connection: close\r\n\r\n${body}`;
const chatBody = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });

describe('an export of OpenTelemetry', () => {
  it.each(['/v1/traces', '/v1/logs', '/v1/metrics'])('to %s is answered with 400 and goes to nobody', async (path) => {
    for (const type of ['application/x-protobuf', 'application/json']) {
      const { head, body } = await rawRequest(gateway.port, post(path, '{}', `Content-Type: ${type}\r\n`));
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      expect(body.toString()).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=');
    }
    expect(upstream.received).toEqual([]);
  });
});

describe('a request', () => {
  it('arrives with its headers in case, order and number, without the hop-by-hop ones and the gateway’s own', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await rawRequest(
      gateway.port,
      `GET /v1/models?b=2&token=spn_sk_x&a=%20 HTTP/1.1\r\nUser-Agent: Me/1\r\nhOsT: localhost\r\nX-Twice: 1\r\nX-Spandrel-Tags: a\r\n` +
        'Connection: close, X-Hop\r\nX-Hop: gone\r\nx-twice: 2\r\nTE: trailers\r\nAccept-Encoding: br, gzip\r\nX-Ollama-Base2: kept\r\n\r\n',
    );
    expect(upstream.received[0]!.toString()).toBe(
      `GET /v1/models?b=2&a=%20 HTTP/1.1\r\nUser-Agent: Me/1\r\nhOsT: 127.0.0.1:${upstream.port}\r\nX-Twice: 1\r\nx-twice: 2\r\n` +
        'Accept-Encoding: br, gzip\r\nX-Ollama-Base2: kept\r\n\r\n',
    );
  });

  it('goes under the path of X-Forward-URL', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await rawRequest(gateway.port, get('/v1/models?x=1', `X-Forward-URL: ${upstream.url}/base/?api-version=3\r\n`));
    expect(upstream.received[0]!.toString()).toMatch(
      /^GET \/base\/v1\/models\?api-version=3&x=1 HTTP\/1.1\r\nHost: 127[^\r]*\r\n\r\n$/,
    );
  });

  it.each([
    ['not-a-url', 400],
    ['ftp://127.0.0.1/', 400],
    ['http://user:secret@127.0.0.1/', 400],
    ['http://127.0.0.1/#x', 400],
  ])('with X-Forward-URL %s is refused', async (url, status) => {
    const { head } = await rawRequest(gateway.port, get('/v1/models', `X-Forward-URL: ${url}\r\n`));
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it.each([
    ['an absolute target', 'GET http://example.com/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
    ['a foreign Host', 'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 403],
    ['a foreign Origin', get('/v1/models', 'Origin: https://evil.example\r\n'), 403],
    [
      'a length and chunks',
      `POST /v1/x HTTP/1.1\r\n${local}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['two lengths', `POST /v1/x HTTP/1.1\r\n${local}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`, 400],
    ['headers beyond reason', get('/v1/x', `X-Big: ${'x'.repeat(70_000)}\r\n`), 431],
    ['no known path', get('/nowhere'), 400],
  ])('with %s is refused', async (_what, bytes, status) => {
    const { head } = await rawRequest(gateway.port, bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(upstream.received).toHaveLength(0);
  });

  it('with CONNECT is answered with the methods that there are', async () => {
    const { head } = await rawRequest(gateway.port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(head).toMatch(/\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/);
  });

  it('whose body comes in chunks streams through, trailers and all', async () => {
    answer = (socket, all) => {
      if (all.endsWith('X-Sum: 1\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    };
    const { head } = await rawRequest(
      gateway.port,
      `POST /v1/files HTTP/1.1\r\n${local}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n`,
    );
    expect(head).toMatch(/^HTTP\/1.1 200 /);
    expect(upstream.received[0]!.toString()).toMatch(
      /Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n$/,
    );
  });

  it('that expects 100-continue gets it from upstream', async () => {
    answer = (socket, all) => {
      if (all.endsWith('hello')) return;
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    };
    const result = await new Promise<string>((resolve) => {
      const req = http.request({
        port: gateway.port,
        host: '127.0.0.1',
        path: '/v1/x',
        method: 'POST',
        headers: { expect: '100-continue', 'content-length': 5 },
      });
      let continued = false;
      req.on('continue', () => {
        continued = true;
        req.end('hello');
      });
      req.on('response', (res) => {
        res.resume();
        resolve(`${continued} ${res.statusCode}`);
      });
      req.flushHeaders();
    });
    expect(result).toBe('true 200');
  });
});

describe('an answer', () => {
  it('keeps status message, headers and bytes, compressed or not', async () => {
    const body = zlib.brotliCompressSync(randomBytes(5_000).toString('hex'));
    answer = (socket) => {
      socket.write(
        `HTTP/1.1 217 Quite Fine\r\nX-B: 2\r\nx-a: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n`,
      );
      socket.write(body);
    };
    const raw = await rawRequest(gateway.port, get('/v1/x'));
    expect(raw.head).toBe(
      `HTTP/1.1 217 Quite Fine\r\nX-B: 2\r\nx-a: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\nConnection: close`,
    );
    expect(raw.body.equals(body)).toBe(true);
  });

  it('adds nothing at all on a connection that stays open', async () => {
    const bytes = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';
    answer = (socket) => socket.write(bytes);
    const raw = await rawRequest(gateway.port, `GET /v1/x HTTP/1.1\r\n${local}\r\n`, (all) =>
      all.toString().endsWith('ok'),
    );
    expect(raw.bytes.toString()).toBe(bytes);
  });

  it.each([
    ['204', 'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n', 'GET'],
    ['304', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 77\r\n\r\n', 'GET'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n', 'HEAD'],
  ])('without a body passes: %s', async (_what, bytes, method) => {
    answer = (socket) => socket.write(bytes);
    const raw = await rawRequest(gateway.port, `${method} /v1/x HTTP/1.1\r\n${local}Connection: close\r\n\r\n`);
    expect(raw.bytes.toString()).toBe(bytes.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'));
  });

  it('may come after early hints, and end with trailers', async () => {
    answer = (socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 9\r\n\r\n',
      );
    const { bytes } = await rawRequest(gateway.port, get('/v1/x'));
    expect(bytes.toString()).toMatch(
      /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\n\r\nHTTP\/1.1 200 OK\r\n/,
    );
    expect(bytes.toString()).toMatch(/2\r\nok\r\n0\r\nX-Sum: 9\r\n\r\n$/);
  });

  it('streams: each piece arrives before the next is sent', async () => {
    let socket: Socket;
    answer = (opened) => {
      socket = opened;
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
    };
    let pieces = 0;
    const raw = await rawRequest(gateway.port, get('/v1/x'), (all) => {
      const text = all.toString();
      if (pieces < 5 && text.includes('\r\n\r\n') && (pieces === 0 || text.includes(`piece ${pieces}`))) {
        pieces++;
        socket.write(`8\r\npiece ${pieces}\n\r\n`);
        if (pieces === 5) socket.write('0\r\n\r\n');
      }
      return false;
    });
    expect(raw.body.toString()).toContain('piece 5');
  });

  it('in the manner of HTTP/1.0 ends with its connection', async () => {
    answer = (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end');
    const raw = await rawRequest(gateway.port, get('/v1/x'));
    expect(raw.body.toString()).toBe('d\r\nuntil the end\r\n0\r\n\r\n');
  });

  it('before the whole request was sent is the answer', async () => {
    answer = (socket) => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno!');
    const raw = await rawRequest(
      gateway.port,
      `POST /v1/files HTTP/1.1\r\n${local}Content-Length: 100000\r\n\r\nabc`,
      (all) => all.includes('no!'),
    );
    expect(raw.head).toMatch(/^HTTP\/1.1 413 /);
    await until(() => upstream.sockets[0]!.destroyed);
  });
});

describe('when something breaks', () => {
  it('a cut upstream is a cut answer, and what came is kept', async () => {
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
      const data = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'part' } }] })}\n\n`;
      socket.write(`${data.length.toString(16)}\r\n${data}\r\n`);
      setTimeout(() => socket.destroy(), 30);
    };
    const raw = await rawRequest(gateway.port, post('/v1/chat/completions', chatBody));
    expect(raw.body.toString()).toContain('part');
    expect(raw.body.toString()).not.toMatch(/0\r\n\r\n$/);
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      status: { failed: { error: expect.stringMatching(/closed the connection/) } },
      output: { text: 'part' },
    });
  });

  it('an unreachable upstream is 502 in the provider’s shape', async () => {
    const raw = await rawRequest(gateway.port, post('/v1/messages', chatBody, 'X-Forward-URL: http://127.0.0.1:1\r\n'));
    expect(raw.head).toMatch(/^HTTP\/1.1 502 /);
    expect(JSON.parse(raw.body.toString())).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('ECONNREFUSED') },
    });
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      status: { failed: { error: expect.stringMatching(/unreachable.*ECONNREFUSED/) } },
      metadata: { status_code: 502 },
    });
  });

  it('an upstream that is not HTTP is 502', async () => {
    answer = (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n');
    expect((await rawRequest(gateway.port, get('/v1/x'))).head).toMatch(/^HTTP\/1.1 502 /);
  });

  it('a client that goes away, or closes its half, ends the upstream call within a second', async () => {
    answer = (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n: x\r\n',
      );
    for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.end()]) {
      const before = upstream.sockets.length;
      const socket = net.connect(gateway.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', () => leave(socket));
      socket.write(post('/v1/chat/completions', chatBody));
      await until(() => upstream.sockets.length > before && upstream.sockets.at(-1)!.destroyed);
      socket.destroy();
    }
    const spans = await recorded(api, 2);
    expect(spans).toHaveLength(2);
    for (const { status } of spans) expect(status).toEqual({ failed: { error: 'client disconnected' } });
  });

  it('a client that leaves after the end mark had its answer', async () => {
    answer = (socket) => {
      const data = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'all' } }] })}\n\ndata: [DONE]\n\n`;
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${data.length.toString(16)}\r\n${data}\r\n`,
      );
    };
    await rawRequest(gateway.port, post('/v1/chat/completions', chatBody), (all) => all.includes('[DONE]'));
    expect((await recorded(api))[0]).toMatchObject({ status: 'completed', output: { text: 'all' } });
  });
});

describe('large bodies', () => {
  const BLOCKS = 100;
  /** What sockets and streams on the way may hold; a proxy that buffers takes all of it. */
  const BLOCKS_HELD_MAX = 64;
  const block = randomBytes(1 << 20);
  const digest = createHash('sha256');
  for (let count = 0; count < BLOCKS; count++) digest.update(block);
  const whole = digest.digest('hex');

  let big: Server;
  let bigUrl: string;
  /** Blocks the upstream could write so far. */
  let written = 0;
  /** Lets the upstream read the request. */
  let read: (() => void) | undefined;
  beforeAll(async () => {
    big = createServer((req, res) => {
      if (req.method === 'POST') {
        const hash = createHash('sha256');
        read = () => void req.on('data', (chunk: Buffer) => hash.update(chunk));
        req.on('end', () => res.end(hash.digest('hex')));
        return;
      }
      const write = (): void => {
        while (written < BLOCKS) {
          written++;
          if (!res.write(block)) return void res.once('drain', write);
        }
        res.end();
      };
      write();
    });
    await new Promise<void>((resolve) => big.listen(0, '127.0.0.1', resolve));
    bigUrl = `http://127.0.0.1:${(big.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    big.close();
  });

  it('wait in the upstream for a client that does not read', async () => {
    const down = await fetch(`${gateway.url}/v1/files/x`, { headers: { 'x-forward-url': bigUrl } });
    await settled(() => written);
    expect(written).toBeLessThan(BLOCKS_HELD_MAX);
    const hash = createHash('sha256');
    for await (const chunk of down.body!) hash.update(chunk as Uint8Array);
    expect(hash.digest('hex')).toBe(whole);
  });

  it('wait in the client for an upstream that does not read', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (sent++ < BLOCKS ? controller.enqueue(new Uint8Array(block)) : controller.close()),
    });
    const answer = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-forward-url': bigUrl },
      body,
      duplex: 'half',
    } as RequestInit);
    await until(() => read !== undefined);
    await settled(() => sent);
    expect(sent).toBeLessThan(BLOCKS_HELD_MAX);
    read!();
    expect(await (await answer).text()).toBe(whole);
    await recorded(api);
  });

  /** Waits until a count has stood still for a while. */
  async function settled(count: () => number): Promise<void> {
    for (let last = -1; last !== count() || last === 0;) {
      last = count();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
});
