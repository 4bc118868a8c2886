import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { guardedLookup } from './dial.js';
import { Http1Client, type Http1ClientOptions } from './http1-client.js';
import type {
  Exchange,
  Origin,
  ResponseHead,
  UpstreamError,
  UpstreamHandler,
  UpstreamRequest,
} from './upstream-client.js';

// What any client behind UpstreamClient must hold, tried on raw sockets so that nothing in between smooths it over.

const fixture = (name: string): string => readFileSync(resolve('apps/gateway/src/upstream/fixtures', name), 'utf8');
const CERT = fixture('localhost.cert.pem');
const KEY = fixture('localhost.key.pem');

let server: Server;
let sockets: Socket[];
let client: Http1Client;
let onRequest: (text: string, socket: Socket) => void;
let onSocket: (socket: Socket) => void;

const accept = (socket: Socket): void => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  onSocket(socket);
  socket.on('data', (bytes) => onRequest(bytes.toString('latin1'), socket));
};
const listen = async (next: Server): Promise<void> => {
  server = next;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
};

/** Limits that no machine reaches, however busy it is. */
const PATIENT = { connectMs: 60_000, headMs: 60_000 };

/** Replaces the client of the test by a patient one with these options. */
const useClient = (options: Partial<Http1ClientOptions>): void => {
  client.close();
  client = new Http1Client({ ...PATIENT, ...options });
};

beforeEach(async () => {
  sockets = [];
  onRequest = () => undefined;
  onSocket = () => undefined;
  client = new Http1Client({ ...PATIENT, ca: CERT });
  await listen(createServer(accept));
});
afterEach(() => {
  client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const origin = (members: Partial<Origin> = {}): Origin => {
  const { port } = server.address() as AddressInfo;
  return { key: `http://127.0.0.1:${port}`, secure: false, hostname: '127.0.0.1', port, guarded: false, ...members };
};
const request = (members: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  origin: members.origin ?? origin(),
  method: 'GET',
  path: '/x?y=1',
  headers: ['Host', 'upstream', 'X-MiXed', 'a', 'x-mixed', 'b'],
  body: null,
  ...members,
});

/** All that a handler hears of one exchange. */
class Heard implements UpstreamHandler {
  head: ResponseHead | undefined;
  body = '';
  information: number[] = [];
  takes = true;
  pieces = 0;
  drained = 0;
  resent = 0;
  private readonly settled = Promise.withResolvers<string[]>();
  /** The trailers, once the answer is whole. */
  readonly end = this.settled.promise;
  error: UpstreamError | undefined;

  onInformation = (status: number): void => void this.information.push(status);
  onHead = (head: ResponseHead): void => void (this.head = head);
  onData = (piece: Buffer | null): boolean => (
    (this.body += piece?.toString('latin1') ?? ''),
    this.pieces++,
    this.takes
  );
  onEnd = (rest: Buffer | null, trailers: string[]): void => {
    this.body += rest?.toString('latin1') ?? '';
    this.settled.resolve(trailers);
  };
  onError = (error: UpstreamError): void => {
    this.error = error;
    this.settled.reject(error);
  };
  onDrain = (): void => void this.drained++;
  onResend = (): void => void this.resent++;
}
const send = (members: Partial<UpstreamRequest> = {}): { heard: Heard; exchange: Exchange } => {
  const heard = new Heard();
  heard.end.catch(() => undefined);
  return { heard, exchange: client.send(request(members), heard) };
};
const until = async (holds: () => boolean): Promise<void> => {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 2_000) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 5));
  }
};
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('a request', () => {
  it('goes on the wire as it is given', async () => {
    let seen = '';
    onRequest = (text, socket) => {
      seen += text;
      socket.write(OK);
    };
    await send({ method: 'POST', body: Buffer.from('hello') }).heard.end;
    expect(seen).toBe('POST /x?y=1 HTTP/1.1\r\nHost: upstream\r\nX-MiXed: a\r\nx-mixed: b\r\n\r\nhello');
  });

  it('is streamed in chunks with trailers', async () => {
    let seen = '';
    onRequest = (text, socket) => {
      seen += text;
      if (seen.endsWith('\r\n\r\n') && seen.includes('0\r\n')) socket.write(OK);
    };
    const { heard, exchange } = send({ method: 'POST', body: 'chunked', headers: ['Host', 'u'] });
    exchange.write(Buffer.from('abc'));
    exchange.write(Buffer.alloc(0));
    exchange.write(Buffer.from('0123456789'));
    exchange.end(['X-Sum', '9']);
    await heard.end;
    expect(seen).toBe(
      'POST /x?y=1 HTTP/1.1\r\nHost: u\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\nX-Sum: 9\r\n\r\n',
    );
  });

  it('waits for an upstream that reads slowly', async () => {
    onSocket = (socket) => socket.pause();
    const { heard, exchange } = send({ method: 'POST', body: 'chunked' });
    await until(() => sockets.length === 1);
    let written = 0;
    while (exchange.write(Buffer.alloc(65_536)) && written < 10_000) written++;
    expect(written).toBeLessThan(10_000);
    sockets[0]!.resume();
    await until(() => heard.drained > 0);
    exchange.abort();
  });
});

describe('an answer', () => {
  const answering = (text: string): void => {
    onRequest = (_request, socket) => socket.write(text);
  };

  it('keeps order, case and repetition of its headers', async () => {
    answering('HTTP/1.1 299 Odd Reason\r\nB: 1\r\na: 2\r\nB: 3\r\nContent-Length: 0\r\n\r\n');
    const { heard } = send();
    await heard.end;
    expect(heard.head).toMatchObject({
      status: 299,
      statusMessage: 'Odd Reason',
      headers: ['B', '1', 'a', '2', 'B', '3', 'Content-Length', '0'],
    });
  });

  it('may come after 1xx answers, in chunks, with trailers', async () => {
    answering(
      'HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nSum: 1\r\n\r\n',
    );
    const { heard } = send();
    expect(await heard.end).toEqual(['Sum', '1']);
    expect([heard.information, heard.body]).toEqual([[103], 'ok']);
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 42\r\n\r\n'],
  ])('has no body to %s: %j, and the connection lives on', async (method, text) => {
    answering(text);
    await send({ method }).heard.end;
    await send({ method }).heard.end;
    expect(sockets).toHaveLength(1);
  });

  it('may end when the connection closes', async () => {
    onRequest = (_request, socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it');
    const { heard } = send();
    await heard.end;
    expect(heard.body).toBe('all of it');
  });

  it('waits for a handler that takes no more', async () => {
    const piece = 'x'.repeat(65_536);
    let sent = 0;
    onRequest = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${piece.length * 500}\r\n\r\n`);
      const write = (): void => {
        while (sent < 500) {
          sent++;
          if (!socket.write(piece)) return void socket.once('drain', write);
        }
      };
      write();
    };
    const { heard, exchange } = send();
    heard.takes = false;
    await until(() => heard.body.length > 0);
    await new Promise((done) => setTimeout(done, 100));
    expect(sent).toBeLessThan(500);
    heard.takes = true;
    exchange.resume();
    await heard.end;
    expect(heard.body.length).toBe(piece.length * 500);
  });

  it('is handed over by reads, however small its chunks are', async () => {
    answering(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`);
    const { heard } = send();
    await heard.end;
    expect(heard.body).toBe('x'.repeat(1_000));
    expect(heard.pieces).toBeLessThan(10);
  });

  it('is read in short pieces where it takes long, and others have four turns between them', async () => {
    const body = Array.from({ length: 60_000 }, (_, n) => String(n % 10_000)).join('');
    answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const read: { bytes: number; turn: number }[] = [];
    let turn = 0;
    let turns = setImmediate(function next() {
      turn++;
      turns = setImmediate(next);
    });
    const { heard } = send();
    const { onData } = heard;
    heard.onData = (piece) => {
      for (const until = performance.now() + 10; performance.now() < until;);
      if (piece !== null) read.push({ bytes: piece.length, turn });
      return onData(piece);
    };
    await heard.end;
    clearImmediate(turns);
    expect(heard.body).toBe(body);
    expect(Math.max(...read.slice(1).map(({ bytes }) => bytes))).toBe(8_192);
    // Behind the last piece of what came together, the next read brings more.
    const gaps = read.slice(1).map((piece, n) => piece.turn - read[n]!.turn);
    expect(gaps.filter((gap) => gap >= 4).length).toBeGreaterThan(gaps.length / 2);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
    ['a control character', 'HTTP/1.1 200 OK\r\nA: a\0b\r\nContent-Length: 0\r\n\r\n'],
    ['a header name with a blank', 'HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n'],
    ['a head beyond reason', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(300_000)}\r\n\r\n`],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('is refused when it is %s, and its connection is not used again', async (_what, text) => {
    answering(text);
    await expect(send().heard.end).rejects.toMatchObject({ kind: 'protocol' });
    answering(OK);
    await send().heard.end;
    expect(sockets).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('is used again, the newest first, by one exchange at a time', async () => {
    onRequest = (_request, socket) => socket.write(OK);
    const [one, two] = [send(), send()];
    await Promise.all([one.heard.end, two.heard.end]);
    expect(sockets).toHaveLength(2);
    await send().heard.end;
    await send().heard.end;
    expect(sockets).toHaveLength(2);
  });

  it.each([
    'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
    'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  ])('is not used again after %j', async (text) => {
    onRequest = (_request, socket) => socket.write(text);
    await send().heard.end;
    await send().heard.end;
    expect(sockets).toHaveLength(2);
  });

  it('is not used again while a request is still being sent, though its answer is there', async () => {
    onRequest = (text, socket) => text.startsWith('POST') && socket.write(OK);
    const { heard, exchange } = send({ method: 'POST', body: 'length', headers: ['Host', 'u', 'Content-Length', '6'] });
    exchange.write(Buffer.from('abc'));
    await heard.end;
    onRequest = (text, socket) => text.startsWith('GET') && socket.write(OK);
    await send().heard.end;
    expect(sockets).toHaveLength(2);
    exchange.write(Buffer.from('def'));
    exchange.end([]);
  });

  it('that upstream closed while it was free is not used', async () => {
    onRequest = (_request, socket) => socket.write(OK);
    await send().heard.end;
    sockets[0]!.end();
    await until(() => sockets[0]!.destroyed);
    await send().heard.end;
    expect(sockets).toHaveLength(2);
  });

  it('is closed at once when its exchange is aborted; nothing is heard after', async () => {
    onRequest = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    const { heard, exchange } = send();
    await until(() => heard.body === 'abc');
    exchange.abort();
    await until(() => sockets[0]!.destroyed || sockets[0]!.readableEnded);
    expect(heard.error).toBeUndefined();
  });

  it('survives an abort that comes after the answer', async () => {
    onRequest = (_request, socket) => socket.write(OK);
    const { heard, exchange } = send();
    await heard.end;
    exchange.abort();
    await send().heard.end;
    expect(sockets).toHaveLength(1);
  });
});

describe('a failure', () => {
  it('is reported: nobody listens', async () => {
    const gone = origin();
    server.close();
    await expect(send({ origin: gone }).heard.end).rejects.toMatchObject({
      kind: 'connect',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('is reported: closed before the answer, and in the middle of it', async () => {
    onRequest = (_request, socket) => socket.destroy();
    await expect(send().heard.end).rejects.toMatchObject({ kind: 'cut' });
    onRequest = (_request, socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab');
    const { heard } = send();
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut' });
    expect(heard.body).toBe('ab');
  });

  it('is reported: no answer in time; a slow body has all the time it wants', async () => {
    useClient({ headMs: 2_000 });
    await expect(send().heard.end).rejects.toMatchObject({ kind: 'timeout' });
    onRequest = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no');
      setTimeout(() => socket.write('k'), 2_200);
    };
    await send().heard.end;
  });

  it('is none where an answer takes its time and no limit is set', async () => {
    useClient({ headMs: 0 });
    onRequest = (_request, socket) =>
      void setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 300);
    await send().heard.end;
  });

  it('is reported: an address that the guard refuses', async () => {
    await expect(send({ origin: origin({ guarded: true, key: 'guarded' }) }).heard.end).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(sockets).toHaveLength(0);
    const lookup = new Promise((found) => guardedLookup('localhost', {}, (failure) => found(failure)));
    expect(await lookup).toMatchObject({ kind: 'refused' });
  });
});

describe('a request that meets a connection its upstream has closed', () => {
  const seen: string[] = [];
  /** Answers the first request of each connection; what comes second on one is `then`'s. */
  const answerFirst = (then: (socket: Socket, text: string) => void): void => {
    seen.length = 0;
    const answered = new WeakSet<Socket>();
    onRequest = (text, socket) => {
      seen.push(text.slice(0, text.indexOf(' ')) + text.slice(text.indexOf('\r\n\r\n') + 4));
      if (answered.has(socket)) return then(socket, text);
      answered.add(socket);
      socket.write(OK);
    };
  };
  const post = (members: Partial<UpstreamRequest> = {}): ReturnType<typeof send> =>
    send({ method: 'POST', body: Buffer.from('body'), ...members });
  /** A connection that is free as the pool sees it, and closed by its upstream. */
  const leaveClosed = async (close: (socket: Socket) => void): Promise<void> => {
    await send().heard.end;
    close(sockets[0]!);
  };

  it.each([
    ['closed', (socket: Socket) => void socket.destroy()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('and %s before it read the request is sent once more', async (_how, close) => {
    answerFirst(() => undefined);
    await leaveClosed(close);
    const { heard } = post();
    await heard.end;
    expect([seen, heard.resent, heard.body]).toEqual([['GET', 'POSTbody'], 1, 'ok']);
    expect(sockets).toHaveLength(2);
  });

  it('is sent once more with the part of its body that has gone, and the rest', async () => {
    answerFirst(() => undefined);
    await leaveClosed((socket) => socket.destroy());
    let text = '';
    onRequest = (piece, socket) => {
      text += piece;
      if (text.endsWith('Sum: 1\r\n\r\n')) socket.write(OK);
    };
    const { heard, exchange } = send({ method: 'POST', body: 'chunked', headers: ['Host', 'u'] });
    exchange.write(Buffer.from('abc'));
    await until(() => heard.resent === 1);
    expect(heard.drained).toBe(1);
    exchange.write(Buffer.from('def'));
    exchange.end(['Sum', '1']);
    await heard.end;
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('3\r\nabc\r\n3\r\ndef\r\n0\r\nSum: 1\r\n\r\n');
  });

  it.each(['POST', 'PATCH', 'LOCK'])('is no %s sent twice that was read, whatever came of it', async (method) => {
    useClient({ staleMs: 200 });
    answerFirst((socket) => socket.destroy());
    await send().heard.end;
    const { heard } = send({ method, body: Buffer.from('body') });
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut' });
    expect([seen, heard.resent]).toEqual([['GET', `${method}body`], 0]);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])(
    'is sent once more as %s though it may have been read',
    async (method) => {
      answerFirst((socket) => socket.destroy());
      await send().heard.end;
      const { heard } = send({ method });
      await heard.end;
      expect([seen, heard.resent]).toEqual([['GET', method, method], 1]);
    },
  );

  it('is not sent a third time', async () => {
    answerFirst(() => undefined);
    await leaveClosed((socket) => socket.destroy());
    onRequest = (_text, socket) => void socket.destroy();
    const { heard } = post();
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut', fate: undefined });
    expect(heard.resent).toBe(1);
  });

  it('is not sent again on a connection that was new, or of which a byte of the answer came', async () => {
    onRequest = (_text, socket) => void socket.resetAndDestroy();
    await expect(post().heard.end).rejects.toMatchObject({ kind: 'cut', fate: undefined });
    answerFirst((socket) => {
      socket.write('HTTP/1.1 2');
      setImmediate(() => socket.resetAndDestroy());
    });
    await send().heard.end;
    const { heard } = post();
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut' });
    expect(heard.resent).toBe(0);
  });

  it('is not sent again when the reset comes late: it may have been executed by then', async () => {
    useClient({ staleMs: 20 });
    answerFirst((socket) => void setTimeout(() => socket.resetAndDestroy(), 60));
    await send().heard.end;
    const { heard } = post();
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut', fate: undefined });
    expect([seen, heard.resent]).toEqual([['GET', 'POSTbody'], 0]);
  });

  it('goes on a new connection at once when its body is too long to be kept', async () => {
    answerFirst(() => undefined);
    await leaveClosed((socket) => socket.destroy());
    const length = 2 * 1024 * 1024;
    const { heard, exchange } = send({
      method: 'POST',
      body: 'length',
      headers: ['Host', 'u', 'content-length', `${length}`],
    });
    exchange.write(Buffer.alloc(length));
    exchange.end([]);
    await heard.end;
    expect([heard.resent, heard.body]).toEqual([0, 'ok']);
  });

  it('is notified of the failure when more of its streamed body has gone than is kept', async () => {
    answerFirst(() => undefined);
    await leaveClosed((socket) => socket.destroy());
    const { heard, exchange } = send({ method: 'POST', body: 'chunked', headers: ['Host', 'u'] });
    exchange.write(Buffer.alloc(2 * 1024 * 1024));
    await expect(heard.end).rejects.toMatchObject({ kind: 'cut', fate: 'unread' });
    expect(heard.resent).toBe(0);
  });

  it('is not sent again when its caller has left', async () => {
    answerFirst(() => undefined);
    await leaveClosed((socket) => socket.destroy());
    const { heard, exchange } = post();
    exchange.abort();
    await send().heard.end;
    expect([seen, heard.resent, heard.error]).toEqual([['GET', 'GET'], 0, undefined]);
  });
});

describe('a free connection', () => {
  const answeredBy = async (head: string): Promise<void> => {
    onRequest = (_text, socket) => socket.write(`HTTP/1.1 200 OK\r\n${head}Content-Length: 2\r\n\r\nok`);
    await send().heard.end;
  };
  const after = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

  it.each([
    ['Keep-Alive: timeout=0\r\n', 5],
    ['Keep-Alive: timeout=1\r\n', 600],
  ])('is not used beyond the time its upstream named: %j', async (head, ms) => {
    await answeredBy(head);
    await after(ms);
    await answeredBy(head);
    expect(sockets).toHaveLength(2);
  });

  it('is not used beyond our own time where the upstream named none', async () => {
    useClient({ idleMs: 20 });
    await answeredBy('');
    await after(30);
    await answeredBy('');
    expect(sockets).toHaveLength(2);
  });
});

describe('TLS', () => {
  const secure = (members: Partial<Origin> = {}): Origin =>
    origin({ key: 'secure', secure: true, hostname: 'localhost', ...members });
  const listenTls = (): Promise<void> => {
    server.close();
    return listen(createTlsServer({ key: KEY, cert: CERT, ALPNProtocols: ['http/1.1'] }, accept));
  };

  it('names the host it wants and checks who answers', async () => {
    await listenTls();
    let serverName: unknown;
    onSocket = (socket) => (serverName = (socket as unknown as { servername: unknown }).servername);
    onRequest = (_request, socket) => socket.write(OK);
    await send({ origin: secure() }).heard.end;
    expect(serverName).toBe('localhost');
    await expect(send({ origin: secure({ key: 'other', hostname: '127.0.0.1' }) }).heard.end).rejects.toMatchObject({
      kind: 'connect',
    });
    useClient({});
    await expect(send({ origin: secure() }).heard.end).rejects.toMatchObject({
      kind: 'connect',
      reason: expect.stringMatching(/SELF_SIGNED|UNABLE/),
    });
  });

  it('lets a request be sent once more that meets a connection its upstream has closed', async () => {
    await listenTls();
    const requests: string[] = [];
    onRequest = (text, socket) => {
      requests.push(text.slice(0, text.indexOf(' ')));
      socket.write(OK);
    };
    await send({ origin: secure() }).heard.end;
    sockets[0]!.destroy();
    const { heard } = send({ origin: secure(), method: 'POST', body: Buffer.from('body') });
    await heard.end;
    expect([requests, heard.resent]).toEqual([['GET', 'POST'], 1]);
  });

  it('closes what is below it when connecting takes too long', async () => {
    useClient({ connectMs: 500, ca: CERT });
    let closed = false;
    onSocket = (socket) => {
      socket.resume();
      socket.on('close', () => (closed = true));
    };
    await expect(send({ origin: secure({ hostname: '127.0.0.1' }) }).heard.end).rejects.toMatchObject({
      kind: 'connect',
    });
    await until(() => closed);
  });

  it('counts the handshake into the time for connecting', async () => {
    useClient({ connectMs: 500, ca: CERT });
    await expect(send({ origin: secure({ hostname: '127.0.0.1' }) }).heard.end).rejects.toMatchObject({
      kind: 'connect',
    });
  });
});
