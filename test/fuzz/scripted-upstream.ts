import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '../support/random.ts';

/** A provider that does what the header `X-Fuzz: <script>;<seed>` of a request asks for. */
export interface ScriptedUpstream {
  url: string;
  /** Closes the connections on which nobody asks anything now. */
  closeIdle(): void;
  open(): number;
  close(): Promise<void>;
}

type Random = (n: number) => number;

interface Asked {
  head: string;
  token: string;
  /** Whether the request asks for a stream. */
  random: Random;
  socket: Socket;
}

type Script = (asked: Asked) => Promise<void> | void;

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

const bodyOf = (token: string, text = 'Hello'): string =>
  JSON.stringify({
    id: token,
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: `${text} ${token}` }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
const whole = (body: string, lines = '', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${JSON_TYPE}Content-Length: ${Buffer.byteLength(body)}\r\n${lines}\r\n${body}`;
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunkedAnswer = (body: string, n: Random): string => {
  let out = `HTTP/1.1 200 OK\r\n${JSON_TYPE}${CHUNKED}\r\n`;
  for (let at = 0; at < body.length;) {
    const size = 1 + n(40);
    out += chunk(body.slice(at, at + size));
    at += size;
  }
  return `${out}0\r\n\r\n`;
};
const events = (token: string, n: Random): string[] => [
  ...Array.from(
    { length: 1 + n(6) },
    (_, index) =>
      `data: ${JSON.stringify({ id: token, model: 'm', choices: [{ index: 0, delta: { content: `w${index} ` } }] })}\n\n`,
  ),
  `data: ${JSON.stringify({ id: token, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
  'data: [DONE]\n\n',
];

/** Writes as long as the reader keeps up. @returns false when the connection is gone. */
async function write(socket: Socket, bytes: string | Buffer): Promise<boolean> {
  if (!socket.writable) return false;
  if (socket.write(bytes as string, 'latin1')) return true;
  return new Promise((done) => {
    const settle = (is: boolean): void => {
      socket.off('drain', drained).off('close', gone);
      done(is);
    };
    const drained = (): void => settle(true);
    const gone = (): void => settle(false);
    socket.on('drain', drained).on('close', gone);
  });
}

async function inPieces(socket: Socket, text: string, n: Random, pauseMs: number): Promise<void> {
  const pieces = 1 + n(6);
  for (let at = 0, left = pieces; at < text.length; left--) {
    const size = left <= 1 ? text.length : 1 + n(Math.ceil((2 * (text.length - at)) / left));
    if (!(await write(socket, text.slice(at, at + size)))) return;
    at += size;
    if (pauseMs > 0) await sleep(n(pauseMs));
  }
}

/** Whatever the answer, its end is lost at any byte. */
const anyAnswer = ({ token, random: n }: Asked): string =>
  n(2) === 0
    ? whole(bodyOf(token))
    : n(2) === 0
      ? chunkedAnswer(bodyOf(token), n)
      : `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${CHUNKED}\r\n${events(token, n).map(chunk).join('')}0\r\n\r\n`;

/** Answers as HTTP has them, whose token must come through. */
const GOOD: Record<string, Script> = {
  whole: ({ socket, token }) => void write(socket, whole(bodyOf(token))),
  chunked: ({ socket, token, random: n }) => void write(socket, chunkedAnswer(bodyOf(token), n)),
  pieces: ({ socket, token, random: n }) => inPieces(socket, whole(bodyOf(token)), n, 10),
  chunkedPieces: ({ socket, token, random: n }) => inPieces(socket, chunkedAnswer(bodyOf(token), n), n, 10),
  slow: ({ socket, token, random: n }) => inPieces(socket, chunkedAnswer(bodyOf(token), n), n, 250),
  hint: ({ socket, token }) =>
    void write(socket, `HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n${whole(bodyOf(token))}`),
  refusal: ({ socket, token, random: n }) =>
    void write(
      socket,
      whole(
        JSON.stringify({ error: { message: `no ${token}`, type: 't' } }),
        '',
        ['429 Too Many', '500 Oh', '404 No'][n(3)],
      ),
    ),
  lastOne: ({ socket, token }) => {
    socket.end(whole(bodyOf(token), 'Connection: close\r\n'), 'latin1');
  },
  untilClosed: ({ socket, token }) => {
    socket.end(`HTTP/1.1 200 OK\r\n${JSON_TYPE}Connection: close\r\n\r\n${bodyOf(token)}`, 'latin1');
  },
  stream: async ({ socket, token, random: n }) => {
    await write(socket, `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${CHUNKED}\r\n`);
    for (const event of events(token, n)) {
      if (!(await write(socket, chunk(event)))) return;
      if (n(3) === 0) await sleep(n(30));
    }
    await write(socket, '0\r\n\r\n');
  },
  trailers: ({ socket, token, random: n }) =>
    void write(socket, chunkedAnswer(bodyOf(token), n).replace(/0\r\n\r\n$/, '0\r\nX-Trailer: y\r\n\r\n')),
};

/** An answer for every way in which bytes can be no HTTP, or two things at once. */
const WRONG_FRAMES: readonly ((token: string) => string)[] = [
  (token) => `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: 5\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: 50000\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nContent-Length: 9\r\n${CHUNKED}\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  (token) => `HTTP/1.1 200 OK\r\n${CHUNKED}Content-Length: 900000\r\n\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  (token) => `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  (token) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  (token) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\n${CHUNKED}\r\nzz\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\n${CHUNKED}\r\nFFFFFFFFFFFFFFFFFF\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\n${CHUNKED}\r\n5;${'x'.repeat(70_000)}\r\nhello\r\n0\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(5_000)}\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nX\0: a\0b\r\nContent-Length: 0\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\nContent-Length: 2\n\nok${bodyOf(token)}`,
  (token) => `HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 204 No Content\r\nContent-Length: 20\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 304 Not Modified\r\n${CHUNKED}\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  () => 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n\x81\x03abc',
  () => 'HTTP/1.1 100 Continue\r\n\r\n',
  (token) => `HTTP/0.9 200 OK\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n${bodyOf(token)}`,
  (token) => bodyOf(token),
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => '\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64',
  (token) =>
    `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n${JSON_TYPE}Content-Length: 20\r\n\r\n${bodyOf(token).slice(0, 20)}`,
  (token) => `HTTP/1.1 200 OK\r\nContent-Encoding: br, gzip, zstd\r\n${CHUNKED}\r\n${chunk(bodyOf(token))}0\r\n\r\n`,
  (token) =>
    `HTTP/1.1 200 OK\r\nConnection: content-length, x-y\r\nContent-Length: 9999\r\nX-Y: z\r\n\r\n${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nX: \xff\xfe\x80\r\nContent-Length: 2\r\n\r\n{}${bodyOf(token)}`,
  (token) => `HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n{}${bodyOf(token)}`,
];

/** Bodies that take long to read for somebody who is not careful. */
const HOSTILE_BODIES: readonly ((token: string, n: Random) => string)[] = [
  (_, n) => `[${'[],'.repeat(20_000 + n(200_000))}[]]`,
  (_, n) => `{"data":[{"embedding":[${'0.123456789,'.repeat(20_000 + n(80_000))}0]}]}`,
  (_, n) => '['.repeat(1_000 + n(200_000)),
  (token, n) => bodyOf(token, 'sk-'.repeat(1_000 + n(4_000))),
  (token, n) => bodyOf(token, `${'a'.repeat(300)}@`.repeat(n(300))),
  (token, n) => bodyOf(token, '\\u0000\ud800'.repeat(n(10_000))),
  (_, n) => `{${'"a":'.repeat(n(50_000))}`,
  (_, n) => '"'.repeat(n(200_000)),
  (_, n) => `{"choices":[${'{},'.repeat(n(100_000))}{}]}`,
  (_, n) => '\xff\xfe'.repeat(n(100_000)),
];

const HOSTILE: Record<string, Script> = {
  cut: async (asked) => {
    const text = anyAnswer(asked);
    await inPieces(asked.socket, text.slice(0, asked.random(text.length)), asked.random, 5);
    asked.socket.end();
  },
  reset: async (asked) => {
    const text = anyAnswer(asked);
    await inPieces(asked.socket, text.slice(0, asked.random(text.length)), asked.random, 5);
    if (asked.random(2) === 0) await sleep(asked.random(20));
    asked.socket.resetAndDestroy();
  },
  resetAtOnce: ({ socket }) => void socket.resetAndDestroy(),
  interimFlood: async ({ socket, token, random: n }) => {
    const interim = ['103 Early Hints', '102 Processing', '100 Continue', '199 Odd'][n(4)]!;
    const one = `HTTP/1.1 ${interim}\r\nX-Filler: ${'y'.repeat(n(800))}\r\n\r\n`.repeat(20);
    for (let count = n(400); count > 0; count--) if (!(await write(socket, one))) return;
    socket.end(whole(bodyOf(token)), 'latin1');
  },
  wrongFrame: async ({ socket, token, random: n }) => {
    await inPieces(socket, WRONG_FRAMES[n(WRONG_FRAMES.length)]!(token), n, 5);
    if (n(3) === 0) await sleep(100);
    socket.end();
  },
  twoAnswers: ({ socket, token, random: n }) => {
    const other = whole('{"other":true}');
    if (n(2) === 0) socket.end(whole(bodyOf(token)) + other, 'latin1');
    else void write(socket, whole(bodyOf(token)) + other);
  },
  endless: async ({ socket, random: n }) => {
    await write(socket, `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${CHUNKED}\r\n`);
    const one = chunk(`data: {"choices":[{"delta":{"content":"${'z'.repeat(n(2_000))}"}}]}\n\n`);
    for (let count = 0; count < 20_000; count++) {
      if (!(await write(socket, one))) return;
      if (count % 50 === 0) await sleep(1 + n(10));
    }
    socket.end();
  },
  never: async ({ socket }) => {
    await sleep(4_000);
    socket.destroy();
  },
  hostileBody: async ({ socket, token, random: n }) => {
    const body = HOSTILE_BODIES[n(HOSTILE_BODIES.length)]!(token, n);
    await write(socket, `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n`);
    await write(socket, body);
  },
  hostileStream: async ({ socket, random: n }) => {
    await write(socket, `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${CHUNKED}\r\n`);
    const lines = [
      'data: {"choices":[{"delta":{"content":"x"}}]}\n\n',
      'data: {]\n\n',
      'data:\n\n',
      ':\n',
      'event: \xff\xfe\nid: \0\nretry: x\n\n',
      'data: [DONE]\n\n',
      `data: ${'['.repeat(5_000)}\n\n`,
      '\r\n\r\r\n\n',
    ];
    for (let count = 100 + n(4_000); count > 0; count--) {
      if (!(await write(socket, chunk(lines[n(4) === 0 ? n(lines.length) : 0]!)))) return;
    }
    socket.end('0\r\n\r\n');
  },
};

const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n';
const frame = (text: string): string => `\x81${String.fromCharCode(text.length)}${text}`;

/** What becomes of an upgrade. */
const UPGRADES: Record<string, Script> = {
  accept: async ({ socket, token }) => {
    await write(socket, `${ACCEPTED}X-Token: ${token}\r\n\r\n${frame(token)}`);
    socket.on('data', (bytes) => void write(socket, bytes));
  },
  acceptAndReset: async ({ socket, token, random: n }) => {
    await write(socket, `${ACCEPTED}X-Token: ${token}\r\n\r\n${frame(token).repeat(1 + n(50))}`);
    await sleep(n(40));
    socket.resetAndDestroy();
  },
  acceptAndEnd: async ({ socket, token, random: n }) => {
    await write(socket, `${ACCEPTED}X-Token: ${token}\r\n\r\n`);
    await sleep(n(40));
    socket.end();
  },
  cutHead: async ({ socket, random: n }) => {
    await write(socket, ACCEPTED.slice(0, n(ACCEPTED.length)));
    await sleep(n(20));
    if (n(2) === 0) socket.end();
    else socket.resetAndDestroy();
  },
  refuse: async ({ socket, token, random: n }) => {
    await inPieces(socket, whole(JSON.stringify({ error: { message: token } }), '', '403 Forbidden'), n, 20);
    if (n(2) === 0) socket.end();
  },
  refuseAndReset: async ({ socket, random: n }) => {
    const text = whole('x'.repeat(20_000), '', '403 Forbidden');
    await inPieces(socket, text.slice(0, n(text.length)), n, 20);
    socket.resetAndDestroy();
  },
  refuseEndlessly: async ({ socket, random: n }) => {
    await write(socket, `HTTP/1.1 401 No\r\n${CHUNKED}\r\n`);
    for (let count = 0; count < 2_000; count++) {
      if (!(await write(socket, chunk('x'.repeat(1 + n(1_000)))))) return;
      if (count % 20 === 0) await sleep(5);
    }
    socket.end();
  },
  answer: ({ socket, token }) => void write(socket, whole(bodyOf(token))),
  interim: async ({ socket, token, random: n }) => {
    await write(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(n(500)));
    await write(socket, `${ACCEPTED}X-Token: ${token}\r\n\r\n`);
  },
  never: async ({ socket }) => {
    await sleep(4_000);
    socket.destroy();
  },
  resetAtOnce: ({ socket }) => void socket.resetAndDestroy(),
};

export const GOOD_SCRIPTS: readonly string[] = Object.keys(GOOD);
export const HOSTILE_SCRIPTS: readonly string[] = Object.keys(HOSTILE);
export const UPGRADE_SCRIPTS: readonly string[] = Object.keys(UPGRADES);

/** Starts a provider of its own for well-formed and for hostile answers each, so that the connections of one do not spoil the other's. */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const sockets = new Map<Socket, { busy: boolean }>();
  const server = createServer((socket) => {
    const state = { busy: false };
    sockets.set(socket, state);
    socket.setNoDelay(true).on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    void serve(socket, state).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.size,
    closeIdle: () => sockets.forEach(({ busy }, socket) => void (busy || socket.end())),
    close: () =>
      new Promise((resolve) => {
        sockets.forEach((_, socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}

/** Reads requests one after the other, each to the end of its body, and answers it by its script. */
async function serve(socket: Socket, state: { busy: boolean }): Promise<void> {
  let bytes = '';
  let wake = (): void => undefined;
  let ended = false;
  const listen = (data: Buffer): void => {
    bytes += data.toString('latin1');
    wake();
  };
  socket.on('data', listen);
  const over = (): void => {
    ended = true;
    wake();
  };
  socket.on('end', over).on('close', over);
  const more = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const taken = async (length: number): Promise<string | null> => {
    while (bytes.length < length && !ended) await more();
    if (bytes.length < length) return null;
    const text = bytes.slice(0, length);
    bytes = bytes.slice(length);
    return text;
  };
  const line = async (end: string): Promise<string | null> => {
    while (!bytes.includes(end) && !ended) await more();
    const at = bytes.indexOf(end);
    return at === -1 ? null : taken(at + end.length);
  };
  while (!ended) {
    const head = await line('\r\n\r\n');
    if (head === null) return;
    state.busy = true;
    const [, script = 'whole', seed = '0'] = /^x-fuzz: *(\w+);(\d+)/im.exec(head) ?? [];
    const token = /^x-token: *(\w+)/im.exec(head)?.[1] ?? '';
    const asked: Asked = { head, token, random: random(Number(seed)), socket };
    if (/^upgrade: *websocket/im.test(head)) {
      socket.off('data', listen);
      socket.resume();
      await UPGRADES[script]?.(asked);
      return;
    }
    // An answer that does not wait for the body.
    const isEarly = script in HOSTILE && asked.random(4) === 0;
    const body = readBody(head, line, taken);
    if (!isEarly && (await body) === null) return;
    await (GOOD[script] ?? HOSTILE[script] ?? GOOD['whole']!)(asked);
    if ((await body) === null) return;
    state.busy = false;
  }
}

async function readBody(
  head: string,
  line: (end: string) => Promise<string | null>,
  taken: (length: number) => Promise<string | null>,
): Promise<string | null> {
  if (!/^transfer-encoding:.*chunked/im.test(head)) {
    return taken(Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0));
  }
  for (;;) {
    const size = await line('\r\n');
    if (size === null) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) {
      for (let trailer = await line('\r\n'); trailer !== '\r\n'; trailer = await line('\r\n')) {
        if (trailer === null) return null;
      }
      return '';
    }
    if ((await taken(length + 2)) === null) return null;
  }
}
