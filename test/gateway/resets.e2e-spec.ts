/**
 * Connections are reset at every stage of every kind of request, by clients and by upstreams. The gateway takes note and
 * goes on; jest fails the test, or the file, in which an error reaches nobody.
 */
import { readFileSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { resolve } from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { GatewayLine } from '../../apps/gateway/src/request-log.js';
import { tempDir } from '../support/spandrel.js';
import { credentialOf, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { startRawServer, type RawServer } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const REFUSED = 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwhy?\r\n';

const LOCAL = 'Host: localhost\r\n';
const GET = `GET /v1/x HTTP/1.1\r\n${LOCAL}\r\n`;
const UPGRADE = `GET /v1/realtime HTTP/1.1\r\n${LOCAL}Upgrade: websocket\r\nConnection: Upgrade\r\n`;
const post = (headers: string, body: string): string => `POST /v1/x HTTP/1.1\r\n${LOCAL}${headers}\r\n\r\n${body}`;

type Script = (socket: Socket, received: string) => void;

let api: FakeApi;
let gateway: StartedGateway;
let upstream: RawServer;
let lines: GatewayLine[];
/** What the upstream does with a connection, and with each head that comes over it. */
let onConnection: (socket: Socket) => void;
let onRequest: Script;

beforeAll(async () => {
  api = await startFakeApi();
  upstream = await startRawServer(
    (socket, received) => onRequest(socket, received),
    (socket) => onConnection(socket),
  );
  const accessLog = { request: (line: GatewayLine) => void lines.push(line) };
  const spoolDir = tempDir();
  gateway = await startGateway(upstream.url, { apiUrl: api.url, spoolDir }, { accessLog: accessLog as never });
});
beforeEach(() => {
  lines = [];
  onConnection = () => undefined;
  onRequest = () => undefined;
});
afterEach(() => {
  upstream.received.length = 0;
  for (const socket of upstream.sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await api.close();
});

/** A client that writes and reads bytes. */
class RawClient {
  received = '';
  closed = false;
  readonly socket: Socket;

  constructor(
    bytes: string,
    private readonly port = gateway.port,
  ) {
    this.socket = net.connect(this.port, '127.0.0.1', () => this.socket.write(bytes));
    this.socket.on('data', (data) => (this.received += data.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.closed = true));
  }
}

/** What the upstream has received on all its connections. */
const arrived = (): string => Buffer.concat(upstream.received).toString('latin1');

/** An ordinary call is answered, and its answer is its own. */
async function serves(port = gateway.port): Promise<void> {
  onConnection = () => undefined;
  onRequest = (socket) => socket.write(OK);
  const client = new RawClient(`GET /v1/ok HTTP/1.1\r\n${LOCAL}Connection: close\r\n\r\n`, port);
  await until(() => client.closed);
  expect(client.received).toBe('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
}

/** Bytes without end, as fast as they are taken. */
function flood(socket: Socket): void {
  const piece = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}

interface Stage {
  name: string;
  bytes: string;
  upstream?: Script;
  /** When the client resets its connection; at once when left out. */
  when?: (client: RawClient) => boolean;
  /** What the client does before. */
  before?: (client: RawClient) => void;
  /** Connections of upstream that stay open for the next call; none when left out. */
  idle?: number;
}

const asked = (): boolean => arrived().includes('\r\n\r\n');
const sees = (text: string) => (client: RawClient) => client.received.includes(text);
const full = (): boolean => upstream.sockets.some((socket) => socket.writableNeedDrain);

/** Requests as they pass unrecorded, and as calls that are recorded, through the journal on disk. */
const RECORDED = {
  pass: (bytes: string): string => bytes,
  'are recorded': (bytes: string): string =>
    bytes
      .replace(
        /GET (\/v1\/(?:x|second)) HTTP\/1\.1\r\n(.*?)\r\n\r\n/gs,
        'POST $1 HTTP/1.1\r\n$2\r\nContent-Length: 2\r\n\r\n{}',
      )
      .replaceAll('/v1/x', '/v1/chat/completions')
      .replaceAll('/v1/second', '/v1/chat/completions?n=/second'),
};
const RECORDINGS = Object.keys(RECORDED) as (keyof typeof RECORDED)[];

const CLIENT_STAGES: Stage[] = [
  { name: 'before it sends anything', bytes: '' },
  { name: 'while its head arrives', bytes: 'GET /v1/x HTTP/1.1\r\nHost: loc' },
  { name: 'while a short body arrives', bytes: post('Content-Length: 10', 'abc') },
  { name: 'while a long body arrives', bytes: post('Content-Length: 100000', 'abc'), when: asked },
  {
    name: 'while a body in chunks arrives',
    bytes: post('Transfer-Encoding: chunked', '3\r\nabc\r\n'),
    when: () => arrived().includes('abc'),
  },
  {
    name: 'in the middle of a chunk size',
    bytes: post('Transfer-Encoding: chunked', '3\r\nabc\r\nff'),
    when: () => arrived().includes('abc'),
  },
  {
    name: 'when it may send its body',
    bytes: post('Content-Length: 10\r\nExpect: 100-continue', ''),
    upstream: (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
    when: sees('100 Continue'),
  },
  { name: 'right after its request', bytes: GET },
  { name: 'while it waits for the head of the answer', bytes: GET, when: asked },
  {
    name: 'while it waits behind early hints',
    bytes: GET,
    upstream: (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    when: sees('103'),
  },
  {
    name: 'while the answer streams',
    bytes: GET,
    upstream: (socket) => socket.write(`${CHUNKED}4\r\npart\r\n`),
    when: sees('part'),
  },
  {
    name: 'while it reads nothing of a long answer',
    bytes: GET,
    upstream: (socket) => {
      socket.write(CHUNKED);
      flood(socket);
    },
    before: ({ socket }) => socket.pause(),
    when: full,
  },
  { name: 'after the answer', bytes: GET, upstream: (socket) => socket.write(OK), when: sees('ok'), idle: 1 },
  {
    name: 'while two calls wait, one behind the other',
    bytes: GET + GET,
    when: () => upstream.sockets.length === 2 && upstream.received.every((each) => each.includes('\r\n\r\n')),
  },
  {
    name: 'while an answer waits for the one before it',
    bytes: GET + GET.replace('/x', '/second'),
    upstream: (socket, received) => {
      if (received.includes('/second')) socket.write(OK);
    },
    when: () => upstream.sockets.length === 2 && arrived().includes('/second') && lines.some((l) => l.status === 200),
    idle: 1,
  },
  { name: 'at once after garbage', bytes: 'garbage\r\n\r\n' },
  { name: 'after the answer to garbage', bytes: 'garbage\r\n\r\n', when: sees('400') },
  { name: 'at once after CONNECT', bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n' },
  {
    name: 'after the answer to CONNECT',
    bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    when: sees('405'),
  },
  {
    name: 'while the body of a CONNECT arrives',
    bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\n\r\nabc',
    when: sees('405'),
  },
  { name: 'at once after an upgrade', bytes: `${UPGRADE}\r\n` },
  {
    name: 'at once after an upgrade with a body',
    bytes: `${UPGRADE}Content-Length: 3\r\n\r\nabc`,
  },
  {
    name: 'while the body of an upgrade arrives',
    bytes: `${UPGRADE}Content-Length: 3\r\n\r\na`,
  },
  {
    name: 'before the upgrade’s upstream is connected (TLS)',
    bytes: `${UPGRADE}X-Forward-URL: https://127.0.0.1:{port}/\r\n\r\n`,
    when: () => upstream.received.some((each) => each.length > 0),
  },
  { name: 'while a handshake waits', bytes: `${UPGRADE}\r\n`, when: asked },
  {
    name: 'while a handshake waits, with frames that came too soon',
    bytes: `${UPGRADE}\r\nframes`,
    when: asked,
  },
  {
    name: 'after a handshake',
    bytes: `${UPGRADE}\r\n`,
    upstream: (socket) => socket.write(ACCEPTED),
    when: sees('101'),
  },
  {
    name: 'after a handshake, while its frames go to an upstream that does not read',
    bytes: `${UPGRADE}\r\n`,
    upstream: (socket) => {
      socket.pause();
      socket.write(ACCEPTED);
    },
    before: ({ socket }) => socket.once('data', () => flood(socket)),
    when: ({ socket }) => socket.bytesWritten > 300_000 && socket.writableNeedDrain,
  },
  {
    name: 'after a handshake, while it reads none of the frames that come',
    bytes: `${UPGRADE}\r\n`,
    upstream: (socket) => {
      socket.write(ACCEPTED);
      flood(socket);
    },
    before: ({ socket }) => socket.once('data', () => socket.pause()),
    when: full,
  },
  {
    name: 'while upstream’s refusal of a handshake is read',
    bytes: `${UPGRADE}\r\n`,
    upstream: (socket) => socket.write(REFUSED),
    when: sees('why?'),
  },
  {
    name: 'while it reads nothing of an endless refusal of a handshake',
    bytes: `${UPGRADE}\r\n`,
    upstream: (socket) => {
      socket.write(REFUSED);
      flood(socket);
    },
    before: ({ socket }) => socket.once('data', () => socket.pause()),
    when: full,
  },
];

describe.each(RECORDINGS)('a client that resets its connection, whose calls %s,', (recording) => {
  it.each(CLIENT_STAGES)('$name', async ({ bytes: plain, upstream: script, when, before, idle = 0 }) => {
    onRequest = script ?? onRequest;
    const bytes = RECORDED[recording](plain.replace('{port}', String(upstream.port)));
    const client = new RawClient(bytes);
    before?.(client);
    if (when) await until(() => when(client));
    else await until(() => client.socket.bytesWritten === bytes.length && !client.socket.connecting);
    client.socket.resetAndDestroy();
    // Nothing of the request lives on: upstream loses its client too, unless it has answered and waits for the next call.
    for (const socket of upstream.sockets) socket.resume();
    await until(() => upstream.sockets.filter((socket) => !socket.destroyed).length <= idle);
    await serves();
  });
});

describe('a client that resets its connection', () => {
  it('while its key is checked, before a handshake', async () => {
    api.keys = new Map([['spn_sk_alice-0123456789', credentialOf({})]]);
    api.mood = 'hang';
    const cloud = await startGateway(upstream.url, { apiUrl: api.url, mode: 'cloud', allowPrivate: ['127.0.0.1'] });
    const key = 'X-Spandrel-Key: spn_sk_alice-0123456789\r\n';
    const clients = [`${UPGRADE}${key}\r\n`, `GET /v1/x HTTP/1.1\r\n${LOCAL}${key}\r\n`].map(
      (bytes) => new RawClient(bytes, cloud.port),
    );
    await until(() => api.hungChecks.length > 0 && clients.every(({ socket }) => socket.bytesWritten > 0));
    for (const { socket } of clients) socket.resetAndDestroy();
    api.mood = 'up';
    for (const answer of api.hungChecks.splice(0)) answer();
    const client = new RawClient(`GET /v1/ok HTTP/1.1\r\n${LOCAL}${key}Connection: close\r\n\r\n`, cloud.port);
    onRequest = (socket) => socket.write(OK);
    await until(() => client.closed);
    expect(client.received).toMatch(/^HTTP\/1.1 200 /);
    await cloud.close();
    api.keys = null;
  });
});

interface UpstreamStage {
  name: string;
  bytes?: string;
  connection?: (socket: Socket) => void;
  upstream?: Script;
  /** What the client gets, all of it. */
  answer: RegExp;
  /** What the log says was answered. */
  status: number;
}

/** Writes what the client must get before the connection is reset: a reset may overtake it otherwise. */
const resetAfter =
  (bytes: string): Script =>
  (socket) =>
    socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
const resetAtOnce: Script = (socket) => socket.resetAndDestroy();
const close = GET.replace(/\r\n$/, 'Connection: close\r\n\r\n');
const BAD_GATEWAY = /^HTTP\/1.1 502 .*[^]*closed the connection|^HTTP\/1.1 502 [^]*ECONNRESET/;
const CANNOT_BE_REACHED = /^HTTP\/1.1 502 [^]*cannot be reached/;

const UPSTREAM_STAGES: UpstreamStage[] = [
  {
    name: 'as soon as it is connected',
    connection: (socket) => socket.resetAndDestroy(),
    answer: BAD_GATEWAY,
    status: 502,
  },
  {
    name: 'while TLS is agreed on',
    bytes: close.replace('\r\n\r\n', '\r\nX-Forward-URL: https://127.0.0.1:{port}/\r\n\r\n'),
    connection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    answer: BAD_GATEWAY,
    status: 502,
  },
  { name: 'after the head of the request', upstream: resetAtOnce, answer: BAD_GATEWAY, status: 502 },
  {
    name: 'while a long body comes',
    bytes: post('Content-Length: 100000\r\nConnection: close', 'abc'),
    upstream: resetAtOnce,
    answer: BAD_GATEWAY,
    status: 502,
  },
  {
    name: 'while a body in chunks comes',
    bytes: post('Transfer-Encoding: chunked\r\nConnection: close', '3\r\nabc\r\n'),
    upstream: resetAtOnce,
    answer: BAD_GATEWAY,
    status: 502,
  },
  {
    name: 'after early hints',
    upstream: resetAfter('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    answer: /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1.1 502 /,
    status: 502,
  },
  {
    name: 'in the middle of its head',
    upstream: resetAfter('HTTP/1.1 200 OK\r\nCont'),
    answer: BAD_GATEWAY,
    status: 502,
  },
  {
    name: 'in the middle of a body in chunks',
    upstream: resetAfter(`${CHUNKED}4\r\npart\r\n`),
    answer: /^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n4\r\npart\r\n$/,
    status: 200,
  },
  {
    name: 'in the middle of a body with a length',
    upstream: resetAfter('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'),
    answer: /^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\npart$/,
    status: 200,
  },
  {
    name: 'in the middle of a body that ends with its connection',
    upstream: resetAfter('HTTP/1.1 200 OK\r\n\r\npart'),
    answer: /^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n4\r\npart\r\n$/,
    status: 200,
  },
  {
    name: 'in the answer to a handshake, before its head',
    bytes: `${UPGRADE}\r\n`,
    upstream: resetAtOnce,
    answer: CANNOT_BE_REACHED,
    status: 502,
  },
  {
    name: 'as soon as it is connected for a handshake',
    bytes: `${UPGRADE}\r\n`,
    connection: (socket) => socket.resetAndDestroy(),
    answer: CANNOT_BE_REACHED,
    status: 502,
  },
  {
    name: 'while TLS is agreed on for a handshake',
    bytes: `${UPGRADE}X-Forward-URL: https://127.0.0.1:{port}/\r\n\r\n`,
    connection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    answer: CANNOT_BE_REACHED,
    status: 502,
  },
  {
    name: 'in the middle of the head of its refusal of a handshake',
    bytes: `${UPGRADE}\r\n`,
    upstream: resetAfter('HTTP/1.1 403 Forbidden\r\nCont'),
    answer: CANNOT_BE_REACHED,
    status: 502,
  },
  {
    name: 'in the middle of its refusal of a handshake, in chunks',
    bytes: `${UPGRADE}\r\n`,
    upstream: resetAfter(REFUSED),
    answer: /^HTTP\/1.1 403 Forbidden\r\n(?!HTTP)[^]*\r\nwhy\?\r\n$/,
    status: 403,
  },
  {
    name: 'in the middle of its refusal of a handshake, with a length',
    bytes: `${UPGRADE}\r\n`,
    upstream: resetAfter('HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nwhy?'),
    answer: /^HTTP\/1.1 403 Forbidden\r\n[^]*\r\n\r\nwhy\?$/,
    status: 403,
  },
  {
    name: 'after a handshake, with its first frames',
    bytes: `${UPGRADE}\r\n`,
    upstream: resetAfter(`${ACCEPTED}frame`),
    answer: /^HTTP\/1.1 101 [^]*\r\n\r\nframe$/,
    status: 101,
  },
];

describe.each(RECORDINGS)('an upstream that resets its connection, where calls %s,', (recording) => {
  it.each(UPSTREAM_STAGES)('$name', async ({ bytes = close, connection, upstream: script, answer, status }) => {
    onConnection = connection ?? onConnection;
    onRequest = script ?? onRequest;
    const client = new RawClient(RECORDED[recording](bytes.replace('{port}', String(upstream.port))));
    await until(() => client.closed);
    expect(client.received).toMatch(answer);
    // No second head in what has begun.
    expect(client.received.match(/HTTP\/1\.1 [2-5]\d\d/g) ?? []).toHaveLength(status === 101 ? 0 : 1);
    await until(() => lines.length > 0);
    expect(lines).toEqual([expect.objectContaining({ status })]);
    await serves();
  });
});

describe('an upstream that resets its connection', () => {
  it('after its answer', async () => {
    onRequest = resetAfter(OK);
    const client = new RawClient(GET);
    await until(() => client.received.endsWith('ok'));
    await until(() => upstream.sockets[0]!.destroyed);
    client.socket.destroy();
    await serves();
  });

  it('or ends it in the middle of its refusal of a handshake', async () => {
    onRequest = (socket) => socket.end(REFUSED);
    const client = new RawClient(`${UPGRADE}\r\n`);
    await until(() => client.closed);
    expect(client.received).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[^]*\r\nwhy\?\r\n$/);
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ status: 403, upgrade: true });
    await serves();
  });
});

describe('before an upstream that speaks TLS', () => {
  const fixture = (name: string): string => readFileSync(resolve('apps/gateway/src/upstream/fixtures', name), 'utf8');
  const cert = fixture('localhost.cert.pem');
  /** Ends TLS before the scripted upstream, over a relay whose connections can be reset below TLS. */
  let secure: tls.Server;
  let relay: net.Server;
  let relayed: Socket[];
  let before: StartedGateway;
  const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
  /** Each end goes with the other. */
  const join = (one: Socket, other: Socket): void => {
    for (const end of [one, other]) end.on('error', () => undefined);
    one.pipe(other).pipe(one);
    one.on('close', () => other.destroy());
    other.on('close', () => one.destroy());
  };
  beforeAll(async () => {
    secure = tls.createServer({ cert, key: fixture('localhost.key.pem') }, (socket) =>
      join(socket, net.connect(upstream.port, '127.0.0.1')),
    );
    secure.on('tlsClientError', () => undefined);
    relay = net.createServer((socket) => {
      relayed.push(socket);
      join(socket, net.connect(portOf(secure), '127.0.0.1'));
    });
    for (const server of [secure, relay]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const accessLog = { request: (line: GatewayLine) => void lines.push(line) };
    const deps = { accessLog: accessLog as never, ca: cert };
    before = await startGateway(`https://localhost:${portOf(relay)}`, { apiUrl: api.url }, deps);
  });
  beforeEach(() => {
    relayed = [];
  });
  afterAll(async () => {
    await before.close();
    for (const server of [relay, secure]) server.close();
  });

  const STAGES: [what: string, bytes: string, answer: string, status: number][] = [
    ['a head that waits', GET, '', 502],
    ['an answer that streams', GET, `${CHUNKED}4\r\npart\r\n`, 200],
    ['a handshake that waits', `${UPGRADE}\r\n`, '', 502],
    ['a handshake that is refused', `${UPGRADE}\r\n`, REFUSED, 403],
    ['an open WebSocket', `${UPGRADE}\r\n`, `${ACCEPTED}frame`, 101],
  ];
  it.each(STAGES)('%s is reset by its client', async (_what, bytes, answer, status) => {
    onRequest = (socket) => void socket.write(answer);
    const client = new RawClient(bytes, before.port);
    await until(() => (answer === '' ? asked() : client.received.includes(answer.trim().slice(-5))));
    client.socket.resetAndDestroy();
    await until(() => relayed.every((connection) => connection.destroyed) && lines.length > 0);
    expect(lines).toEqual([expect.objectContaining({ status: status === 502 ? 499 : status })]);
    await serves(before.port);
  });

  it.each(STAGES)('%s is reset by upstream', async (_what, bytes, answer, status) => {
    onRequest = (socket) => void socket.write(answer);
    const client = new RawClient(bytes.replace(/^GET \/v1\/x.*\r\n/, '$&Connection: close\r\n'), before.port);
    await until(() => (answer === '' ? asked() : client.received.includes(answer.trim().slice(-5))));
    for (const connection of relayed) connection.resetAndDestroy();
    await until(() => client.closed && lines.length > 0);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(lines).toEqual([expect.objectContaining({ status })]);
    await serves(before.port);
  });
});

describe('a handshake', () => {
  it('that announces a body is an ordinary request, and answered once', async () => {
    onRequest = (socket) => socket.write(OK);
    for (const body of ['Content-Length: 3\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n']) {
      const client = new RawClient(`${UPGRADE}${body}`);
      await until(() => client.received.endsWith('ok'));
      expect(client.received).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nok$/);
      expect(arrived()).not.toMatch(/upgrade/i);
      expect(arrived()).toContain('abc');
      client.socket.destroy();
    }
    await serves();
  });

  it('whose upstream refuses it ends with the refusal, and the log says what it was', async () => {
    onRequest = (socket) => socket.write('HTTP/1.1 401 No\r\nKeep-Alive: timeout=5\r\nContent-Length: 3\r\n\r\nno!');
    const client = new RawClient(`${UPGRADE}\r\n`);
    await until(() => client.closed);
    expect(client.received).toMatch(/^HTTP\/1.1 401 No\r\n[^]*connection: close\r\n(.*\r\n)*\r\nno!$/);
    expect(client.received).not.toMatch(/keep-alive/i);
    await until(() => lines.length > 0);
    expect(lines).toEqual([expect.objectContaining({ status: 401, upgrade: true, provider: 'openai' })]);
  });

  it('that the gateway answers itself is logged with the id of the answer', async () => {
    const client = new RawClient(`${UPGRADE}X-Forward-URL: http://127.0.0.1:1/\r\n\r\n`);
    await until(() => client.closed && lines.length > 0);
    expect(client.received).toContain(`X-Request-Id: ${lines[0]!.request_id}\r\n`);
    expect(lines).toEqual([expect.objectContaining({ status: 502, upgrade: true })]);
  });

  it('passes what the client sends before and after it, and both ends', async () => {
    onRequest = (socket, received) => {
      if (!received.endsWith('\r\n\r\n')) return;
      setTimeout(() => socket.write(`${ACCEPTED}to the client`), 20);
    };
    const client = new RawClient(`${UPGRADE}\r\nearly, `);
    await until(sees('101').bind(null, client));
    client.socket.write('late');
    await until(() => arrived().endsWith('\r\n\r\nearly, late') && client.received.endsWith('to the client'));
    client.socket.end('!');
    await until(() => client.closed && upstream.sockets[0]!.destroyed);
    expect(arrived()).toMatch(/\r\n\r\nearly, late!$/);
  });

  it('that upstream does not answer is 502 after a time', async () => {
    const hasty = await startGateway(upstream.url, { apiUrl: api.url, upstreamHeadMs: 100 });
    const client = new RawClient(`${UPGRADE}\r\n`, hasty.port);
    await until(() => client.closed);
    expect(client.received).toMatch(/^HTTP\/1.1 502 [^]*did not answer in time/);
    await until(() => upstream.sockets[0]!.destroyed);
    await hasty.close();
  });

  it('whose client leaves before the answer is logged with 499, and its upstream is left too', async () => {
    const client = new RawClient(`${UPGRADE}\r\n`);
    await until(asked);
    client.socket.destroy();
    await until(() => lines.length > 0 && upstream.sockets[0]!.destroyed);
    expect(lines).toEqual([expect.objectContaining({ status: 499, upgrade: true })]);
  });
});

describe.each(RECORDINGS)('where calls %s, a call behind another on its connection', (recording) => {
  const PAIR = RECORDED[recording](GET + GET.replace('/x', '/second'));
  /** Answers the second call and breaks off; the first waits for {@link answerFirst}. */
  const cutSecond =
    (bytes: string, cut: (socket: Socket) => void): Script =>
    (socket, received) => {
      if (received.includes('/second')) socket.write(bytes, () => setTimeout(cut, 20, socket));
      else first = socket;
    };
  let first: Socket | undefined;
  beforeEach(() => (first = undefined));

  it.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['ends', (socket: Socket) => socket.end()],
  ])('whose upstream %s its answer in the middle ends the connection behind the first answer', async (_how, cut) => {
    onRequest = cutSecond(`${CHUNKED}4\r\npart\r\n`, cut);
    const client = new RawClient(PAIR);
    await until(() => first !== undefined && lines.length === 1);
    expect(client.received).toBe('');
    first!.write(OK);
    await until(() => client.closed);
    expect(client.received).toMatch(
      /^HTTP\/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP\/1.1 200 OK\r\n[^]*part\r\n$/,
    );
    await serves();
  });

  it('whose upstream gives no answer is 502 behind the first answer', async () => {
    onRequest = cutSecond('', (socket) => socket.resetAndDestroy());
    const client = new RawClient(PAIR);
    await until(() => first !== undefined && lines.length === 1);
    first!.write(OK);
    await until(() => client.received.includes('502'));
    expect(client.received).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP\/1.1 502 /);
    client.socket.destroy();
    await serves();
  });

  it('whose answer is long comes whole', async () => {
    const body = 'y'.repeat(1_000_000);
    onRequest = (socket, received) => {
      if (!received.includes('/second')) first = socket;
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    };
    const client = new RawClient(PAIR);
    await until(() => first !== undefined && upstream.sockets.length === 2);
    first!.write(OK);
    await until(() => client.received.length > body.length);
    expect(client.received.endsWith(body)).toBe(true);
    client.socket.destroy();
  });

  it('that may send its body is warned in its turn, and not before', async () => {
    onRequest = (socket, received) => {
      if (!received.includes('/second')) first = socket;
      else if (received.endsWith('abc')) socket.write(OK);
      else socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    };
    const second = post('Content-Length: 3\r\nExpect: 100-continue', '').replace('/x', '/second');
    const client = new RawClient(RECORDED[recording](GET + second));
    await until(() => first !== undefined && arrived().includes('/second'));
    await serves();
    first!.write(OK);
    await until(() => client.received.endsWith('100 Continue\r\n\r\n'));
    expect(client.received).toBe(`${OK}HTTP/1.1 100 Continue\r\n\r\n`);
    onRequest = (socket) => socket.write(OK);
    client.socket.write('abc');
    const whole = (): number => upstream.received.findIndex((each) => each.toString().endsWith('abc'));
    await until(() => whole() !== -1);
    upstream.sockets[whole()]!.write(OK);
    await until(() => client.received.endsWith(`\r\n\r\n${OK}`));
    client.socket.destroy();
  });
});

describe('interim answers', () => {
  const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

  it('pass up to the 32nd of a call; the answer comes whatever their number', async () => {
    onRequest = (socket) => socket.write(HINT.repeat(1_000) + OK);
    const client = new RawClient(GET);
    await until(() => client.received.endsWith('ok'));
    expect(client.received).toBe(HINT.repeat(32) + OK);
    client.socket.destroy();
  });

  it('without end are 502, and upstream is left', async () => {
    onRequest = (socket) => {
      const write = (): void => {
        while (!socket.destroyed && socket.write(HINT.repeat(100)));
      };
      socket.on('drain', write);
      write();
    };
    const client = new RawClient(close);
    await until(() => client.closed);
    expect(client.received.replaceAll(HINT, '')).toMatch(/^HTTP\/1.1 502 [^]*interim answers without end/);
    await until(() => upstream.sockets[0]!.destroyed);
    await serves();
  });

  it('are dropped while the client does not read', async () => {
    const long = HINT.replace('</a>', `</${'a'.repeat(200_000)}>`);
    let sent = 0;
    onRequest = (socket) => {
      const write = (): void => {
        while (sent < 1_000 && socket.write(long)) sent++;
        if (sent === 1_000) socket.write(OK);
      };
      socket.on('drain', () => (sent++, write()));
      write();
    };
    const client = new RawClient(GET);
    client.socket.pause();
    await until(() => sent === 1_000, 60_000);
    client.socket.resume();
    await until(() => client.received.endsWith('ok'), 60_000);
    expect(client.received.split('103 Early Hints').length - 1).toBeLessThan(32);
    client.socket.destroy();
  });

  it('keep their headers but those of a connection', async () => {
    onRequest = (socket) => socket.write(HINT.replace('\r\n\r\n', '\r\nConnection: close\r\nX-A: 1\r\n\r\n') + OK);
    const client = new RawClient(GET);
    await until(() => client.received.endsWith('ok'));
    expect(client.received).toBe(HINT.replace('\r\n\r\n', '\r\nX-A: 1\r\n\r\n') + OK);
    client.socket.destroy();
  });
});

describe('where an answer ends (RFC 9112 section 6.3)', () => {
  const ask = async (answer: string, end = false): Promise<string> => {
    onRequest = (socket) => (end ? socket.end(answer) : socket.write(answer));
    const client = new RawClient(close);
    await until(() => client.closed);
    return client.received;
  };

  it.each([
    ['Content-Length: 1\r\nTransfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked\r\nContent-Length: 1'],
    ['Content-Length: 1\r\nTransfer-Encoding: Chunked\r\ncontent-length: 1'],
  ])('with %j the chunks count, the length is taken off, and the connection is not used again', async (headers) => {
    expect(await ask(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)).toBe(
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
    await until(() => upstream.sockets[0]!.destroyed);
  });

  it.each([['Content-Length: 3, 3'], ['Content-Length: 3\r\ncontent-length: 3']])(
    'with %j one length goes on',
    async (headers) => {
      expect(await ask(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nabc`)).toBe(
        'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
      );
    },
  );

  it('with an encoding that is none, the end of the connection counts', async () => {
    expect(await ask('HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nabc', true)).toBe(
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
  });

  it.each([
    ['lengths that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 3, 4\r\n\r\nabc'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: 3,\r\n\r\nabc'],
    ['an encoding nobody asked for', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['chunks in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n'],
  ])('with %s it is unknown: 502', async (_what, answer) => {
    expect(await ask(answer)).toMatch(/^HTTP\/1.1 502 [^]*not valid HTTP/);
  });

  it('in an answer that becomes invalid in the middle, what came before is kept', async () => {
    const got = await ask(`${CHUNKED}3\r\nabc\r\nzz\r\n`);
    expect(got).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n3\r\nabc\r\n$/);
  });
});
