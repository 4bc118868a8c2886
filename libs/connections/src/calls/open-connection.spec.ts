import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openAiChatCalls, type HttpRequest, type Provider } from '@spandrel/plugin-api';
import { until } from '../../../../test/support/spandrel.js';
import { ConnectionCallError } from './decode-answer.js';
import { ConnectionClient } from './connection-client.js';
import { OpenedConnection, readRetryAfter } from './open-connection.js';

const KEY = 'sk-test-0123456789abcdef';
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanUps.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener));

function connectionTo(
  baseUrl: string | null,
  defaultBaseUrl: string | null = null,
  client = new ConnectionClient(),
): OpenedConnection {
  cleanUps.push(() => client.onApplicationShutdown());
  const chat = openAiChatCalls({ baseUrl: defaultBaseUrl, maxTokensMember: 'max_tokens' });
  const provider = { defaultBaseUrl, chat } as Provider;
  const target = { baseUrl, apiKey: KEY };
  return new OpenedConnection({
    id: 'c',
    name: 'n',
    providerName: 'custom',
    provider,
    target,
    guarded: false,
    named: true,
    client,
  });
}

const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url,
  headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  body: { hello: 'wörld' },
  ...more,
});

const within = { timeoutMs: 60_000 };
const kindOf = (sending: Promise<unknown>): Promise<string> =>
  sending.then(
    () => 'answered',
    (error: unknown) => (error instanceof ConnectionCallError ? error.kind : `${String(error)}`),
  );

describe('send', () => {
  it('sends the request as the plugin built it and reads the answer', async () => {
    const base = await serve((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (text: string) => (body += text));
      req.on('end', () => {
        const { host: _host, connection: _connection, ...headers } = req.headers;
        res.end(JSON.stringify({ method: req.method, url: req.url, headers, body }));
      });
    });
    const reply = await connectionTo(`${base}/v1/`).send(
      request(`${base}/v1/chat?x=1`, {
        headers: { authorization: `Bearer ${KEY}`, Host: 'evil', Connection: 'close' },
      }),
      within,
    );
    expect(reply.status).toBe(200);
    expect(reply.latencyMs).toBeGreaterThanOrEqual(0);
    expect(reply.body).toEqual({
      method: 'POST',
      url: '/v1/chat?x=1',
      headers: { authorization: `Bearer ${KEY}`, 'accept-encoding': 'identity', 'content-length': '18' },
      body: '{"hello":"wörld"}',
    });
  });

  it('follows no redirect, so that no other server gets the key', async () => {
    let elsewhere = 0;
    const other = await serve((_req, res) => {
      elsewhere++;
      res.end('{}');
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const base = await serve((_req, res) => res.writeHead(status, { location: `${other}/v1/chat` }).end());
      expect((await connectionTo(base).send(request(`${base}/v1`), within)).status).toBe(status);
    }
    expect(elsewhere).toBe(0);
  });

  it('keeps connections open between calls', async () => {
    const ports = new Set<number | undefined>();
    const base = await serve((req, res) => {
      ports.add(req.socket.remotePort);
      res.end('{}');
    });
    const connection = connectionTo(base);
    for (let call = 0; call < 20; call++) await connection.send(request(base), within);
    // The first connection may still be busy with its end when the second call comes.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('refuses to call another server than the connection’s, before anything is sent', async () => {
    let asked = 0;
    const base = await serve((_req, res) => void (asked++, res.end('{}')));
    const port = Number(new URL(base).port);
    const connection = connectionTo(base);
    for (const url of [
      base.replace('127.0.0.1', 'localhost'),
      `http://127.0.0.1:${port + 1}/`,
      `https://127.0.0.1:${port}/`,
      `http://user@127.0.0.1:${port}/`,
      'file:///etc/passwd',
      'no url',
    ]) {
      expect([url, await kindOf(connection.send(request(url), within))]).toEqual([url, 'refused']);
    }
    expect(await kindOf(connectionTo(null).send(request(base), within))).toBe('refused');
    expect(asked).toBe(0);
    expect(await kindOf(connectionTo(null, base).send(request(base), within))).toBe('answered');
  });

  it('does not follow a redirect', async () => {
    let asked = 0;
    const other = await serve((_req, res) => void (asked++, res.end('{}')));
    const base = await serve((_req, res) => res.writeHead(307, { location: `${other}/v1` }).end());
    expect((await connectionTo(base).send(request(base), within)).status).toBe(307);
    expect(asked).toBe(0);
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['gzip, identity', zlib.gzipSync],
  ])('reads an answer that is compressed nonetheless: %s', async (coding, compress) => {
    const base = await serve((_req, res) =>
      res.writeHead(200, { 'content-encoding': coding }).end(compress(Buffer.from('{"a":"ü"}'))),
    );
    expect((await connectionTo(base).send(request(base), within)).body).toEqual({ a: 'ü' });
  });

  it.each([
    ['a coding nobody knows', 'rot13', '{}'],
    ['a broken body', 'gzip', 'not gzip'],
    ['codings upon codings', 'gzip,gzip,gzip', ''],
  ])('reads no body from %s, but the status', async (_what, coding, body) => {
    const base = await serve((_req, res) => res.writeHead(503, { 'content-encoding': coding }).end(body));
    const { status, body: read, excerpt } = await connectionTo(base).send(request(base), within);
    expect([status, read, excerpt]).toEqual([503, undefined, '']);
  });

  it('takes no answer over 32 MiB, announced, streamed or swollen', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(33 << 20));
    let sent = 0;
    const base = await serve((req, res) => {
      if (req.url === '/announced') res.writeHead(200, { 'content-length': String(33 << 20) }).write('x');
      else if (req.url === '/swollen') res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      else {
        const more = (): void => {
          while (!res.destroyed && (sent += 1 << 20) && res.write(Buffer.alloc(1 << 20)));
        };
        res.on('drain', more);
        more();
      }
    });
    for (const path of ['/announced', '/swollen', '/streamed']) {
      expect([path, await kindOf(connectionTo(base).send(request(base + path), within))]).toEqual([path, 'too-large']);
    }
    expect(sent).toBeLessThan(64 << 20);
  });

  it('gives up when the time is over or the signal fires, wherever the call is', async () => {
    const [arrived, closed]: [string[], string[]] = [[], []];
    let arrives = (): void => undefined;
    const base = await serve((req, res) => {
      arrived.push(req.url!);
      res.on('close', () => closed.push(req.url!));
      if (req.url === '/body') res.writeHead(200).write('{"a":');
      arrives();
    });
    for (const path of ['/head', '/body']) {
      expect(await kindOf(connectionTo(base).send(request(base + path), { timeoutMs: 60 }))).toBe('timeout');
      const gone = new AbortController();
      arrives = () => setTimeout(() => gone.abort(), 60);
      expect(await kindOf(connectionTo(base).send(request(base + path), { ...within, signal: gone.signal }))).toBe(
        'aborted',
      );
      expect(await kindOf(connectionTo(base).send(request(base + path), { ...within, signal: gone.signal }))).toBe(
        'aborted',
      );
    }
    // One whose time was over before it arrived has nothing to close.
    await until(() => closed.length === arrived.length);
    expect(new Set(closed)).toEqual(new Set(['/body', '/head']));
    // Never accepts: a backlog of connections that do not come about is a timeout like others.
    const silent = await listen(createTcpServer((socket) => void socket.pause()));
    expect(await kindOf(connectionTo(silent).send(request(silent), { timeoutMs: 60 }))).toBe('timeout');
  });

  it('reports a network failure in a sentence without the key', async () => {
    const cut = await listen(createTcpServer((socket) => void socket.once('data', () => socket.destroy())));
    const noHttp = await listen(
      createTcpServer((socket) => void socket.once('data', () => socket.end(`220 ${KEY}\r\n`))),
    );
    const gone = await serve(() => undefined);
    for (const cleanUp of cleanUps.splice(-1)) await cleanUp();
    for (const [base, sentence] of [
      [
        cut,
        `${cut} cut the connection before it had answered: its log may say why; if it speaks TLS, base_url has to begin with https://`,
      ],
      [
        noHttp,
        `the answer of ${noHttp} is not HTTP: does base_url name the right port, and begin with https:// where TLS is spoken?`,
      ],
      [
        gone,
        `${gone} refused the connection: is the server running, and is this its port? In a container this address is the container itself.`,
      ],
      [
        'http://nothing.invalid',
        /^the host name of http:\/\/nothing\.invalid (?:is not known: check base_url|cannot be looked up now: is this machine)/,
      ],
    ] as const) {
      const failure = await connectionTo(base)
        .send(request(base), within)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConnectionCallError);
      expect(failure).toMatchObject({
        kind: 'network',
        message: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
      });
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(KEY);
    }
  });

  describe('that meets a connection which the server is closing', () => {
    /** A server that resets its connections as asked; `read` has what was asked on each connection. */
    async function resetting(reset: (connection: number, request: number) => boolean): Promise<[string, number[]]> {
      const read: number[] = [];
      const server = createTcpServer((socket) => {
        const connection = read.push(0);
        socket.on('error', () => undefined);
        socket.on('data', () => {
          const request = ++read[connection - 1]!;
          if (reset(connection, request)) socket.resetAndDestroy();
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        });
      });
      return [await listen(server), read];
    }
    /** A client for which no time goes by, however long the machine stands still. */
    const frozen = (base: string): OpenedConnection =>
      connectionTo(base, null, new ConnectionClient(undefined, () => 0));

    /** Calls once, and lets the connection become free: the end of an answer comes a moment before that. */
    async function callOnce(connection: OpenedConnection, base: string): Promise<void> {
      expect((await connection.send(request(base), within)).status).toBe(200);
      await new Promise((done) => setImmediate(done));
    }

    it('is sent once more, on a new one', async () => {
      const [base, read] = await resetting((connection, asked) => connection === 1 && asked === 2);
      const connection = frozen(base);
      for (let call = 0; call < 3; call++) await callOnce(connection, base);
      expect([read[0], read.reduce((sum, count) => sum + count, 0)]).toEqual([2, 4]);
    });

    it('is not sent a third time', async () => {
      const [base, read] = await resetting((connection, asked) => connection > 1 || asked === 2);
      const connection = frozen(base);
      await callOnce(connection, base);
      expect(await kindOf(connection.send(request(base), within))).toBe('network');
      expect(read).toEqual([2, 1]);
    });

    it('is sent once where the connection was new', async () => {
      const [base, read] = await resetting(() => true);
      expect(await kindOf(frozen(base).send(request(base), within))).toBe('network');
      expect(read).toEqual([1]);
    });

    it('is sent once where it had been under way for a second', async () => {
      const [base, read] = await resetting((_connection, asked) => asked === 2);
      let now = 0;
      const connection = connectionTo(base, null, new ConnectionClient(undefined, () => (now += 1_001)));
      await callOnce(connection, base);
      expect(await kindOf(connection.send(request(base), within))).toBe('network');
      expect(read).toEqual([2]);
    });

    it('is sent once where the connection ended without a reset, which may be a server that died over it', async () => {
      let asked = 0;
      const base = await serve((req, res) => {
        req.resume().on('end', () => (++asked === 2 ? req.socket.end() : res.end('{}')));
      });
      const connection = frozen(base);
      await callOnce(connection, base);
      expect(await kindOf(connection.send(request(base), within))).toBe('network');
      expect(asked).toBe(2);
    });
  });

  it('refuses a header that would not be one', async () => {
    const base = await serve((_req, res) => res.end('{}'));
    const headers = { 'x-one': `a\r\nx-two: ${KEY}` };
    expect(await kindOf(connectionTo(base).send(request(base, { headers }), within))).toBe('refused');
  });

  it('fails what is under way when the service stops', async () => {
    const client = new ConnectionClient();
    const base = await serve(() => undefined);
    const parts = {
      id: 'c',
      name: 'n',
      providerName: 'custom',
      provider: {} as Provider,
      guarded: false,
      named: true,
      client,
    };
    const target = { baseUrl: base, apiKey: KEY };
    const sending = kindOf(new OpenedConnection({ ...parts, target }).send(request(base), within));
    await new Promise((done) => setTimeout(done, 30));
    await client.onApplicationShutdown();
    expect(await sending).toBe('network');
    expect(await kindOf(new OpenedConnection({ ...parts, target }).send(request(base), within))).toBe('network');
  });
});

describe('an open connection', () => {
  it('shows a log nothing of its key', () => {
    const connection = connectionTo('http://127.0.0.1:1');
    for (const shown of [JSON.stringify(connection), inspect(connection, { depth: 9, showHidden: true })]) {
      expect(shown).not.toContain(KEY);
    }
  });

  it('shows a short, redacted excerpt of an answer', async () => {
    const base = await serve((_req, res) => res.writeHead(401).end(`<p>no such key ${KEY}</p>${'x'.repeat(1_000)}`));
    const { body, excerpt } = await connectionTo(base).send(request(base), within);
    expect(body).toBeUndefined();
    expect(excerpt).toMatch(/^<p>no such key \[redacted\]<\/p>x{200,300}…$/);
  });
});

const RETRY_ASKED_AT = Date.parse('2026-03-01T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['3', 3_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Sun, 01 Mar 2026 10:00:07 GMT', 7_000],
    ['Sunday, 01-Mar-26 10:00:07 GMT', 7_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    ['-1s', undefined],
    ['9'.repeat(400), undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(readRetryAfter(header, RETRY_ASKED_AT)).toBe(ms);
  });
});
