import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { guardRequests, IntakeRequest, opensWebSocket, takeRequest } from './connection-intake.js';
import { refuseMalformed } from './malformed-http.js';

/** Requests that the server has taken, in order; each is answered with its own path and body when its test says so. */
const taken: { path: string; answer: ServerResponse; bodyIsWhole: boolean; pieces: number }[] = [];
let port: number;
let server: http.Server;
let refusals: number[] = [];

beforeAll(async () => {
  server = http.createServer({ IncomingMessage: IntakeRequest, shouldUpgradeCallback: opensWebSocket } as object);
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (!takeRequest(request, answer)) return;
    const one = { path: request.url!, answer, bodyIsWhole: false, pieces: 0 };
    taken.push(one);
    let body = '';
    request
      .on('error', () => undefined)
      .on('data', (chunk) => {
        body += chunk;
        one.pieces++;
      });
    request.on('end', () => {
      one.bodyIsWhole = true;
      if (request.url!.startsWith('/now')) answer.end(`<${request.method} ${request.url} ${body}>`);
    });
  });
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nswitched');
  });
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, ({ status }) => refusals.push(status)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  taken.length = 0;
  refusals = [];
});

const HOST = 'Host: localhost\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`;
const upgrade = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;

/** A client that sends bytes as they are. @returns what has come, and how it ended. */
function open(): { socket: Socket; text: () => string; closed: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (data) => (text += data));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, text: () => text, closed };
}

/** Statuses and bodies as they came; a cut answer shows what came of it. */
const answersOf = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)|<[^>]*>|"code":"\w+"|switched|part\d/g)].map(([all, status]) => status ?? all);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

describe('a connection that brings much to do', () => {
  it('hands over a body in chunks of a byte as few pieces, each byte of it', async () => {
    const { socket, text } = open();
    const bytes = Array.from({ length: 50_000 }, (_, n) => String(n % 10));
    const chunks = bytes.map((byte) => `1\r\n${byte}\r\n`).join('');
    socket.write(`POST /now HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n${get('/now2')}`);
    await until(() => text().includes('/now2'));
    expect(text()).toContain(`<POST /now ${bytes.join('')}>`);
    expect(taken[0]!.pieces).toBeLessThan(1_000);
    socket.destroy();
  });

  it('is not read while many of its requests wait for their answers, which all come', async () => {
    const { socket, text, closed } = open();
    const count = 8_000;
    socket.write(get('/later', `X: ${'x'.repeat(60)}\r\n`).repeat(count));
    let waitedMost = 0;
    for (let answered = 0; answered < count;) {
      await turn();
      waitedMost = Math.max(waitedMost, taken.length - answered);
      // Long enough that the client's side of the connection is full now and then.
      const end = Math.min(taken.length, answered + 100);
      for (; answered < end; answered++) taken[answered]!.answer.end(`<${'x'.repeat(300)}>`);
    }
    socket.end();
    expect(answersOf(await closed)).toHaveLength(2 * count);
    expect(text()).not.toContain('HTTP/1.1 4');
    expect(waitedMost).toBeLessThan(count / 2);
  });

  it('ends with the request behind 1,024 that wait for their answers', async () => {
    const { socket, text, closed } = open();
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(100_000));
    await until(() => taken.length > 1_024);
    const parsed = jest.spyOn(IntakeRequest.prototype, 'resume');
    const ended = once(taken[0]!.answer.req.socket, 'close');
    for (const { answer } of taken) answer.end('<taken>');
    await Promise.all([closed, ended]);
    // The requests in what had been read, and no more.
    expect(parsed.mock.calls.length).toBeLessThan(8_000);
    expect(taken.length).toBe(1_025);
    expect(answersOf(text())).toHaveLength(2 * taken.length);
    expect(text().match(/Connection: close/g)).toHaveLength(1);
  });
});

it('begins few requests of a connection in the turn in which it parses them all', async () => {
  let inTurn = 0;
  let most = 0;
  const guarded = http.createServer({ IncomingMessage: IntakeRequest } as object, (_request, answer) => {
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, inTurn);
    for (const until = performance.now() + 2; performance.now() < until;);
    answer.end('<begun>');
  });
  guardRequests(guarded);
  await once(guarded.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((guarded.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (data) => (text += data));
  socket.write(get('/').repeat(100));
  await until(() => answersOf(text).length === 200);
  socket.destroy();
  guarded.close();
  expect(most).toBeLessThan(10);
});

it('begins no request of a connection that ended before its turn', async () => {
  let begun = 0;
  const guarded = http.createServer({ IncomingMessage: IntakeRequest } as object, (request) => {
    begun++;
    request.socket.destroy();
  });
  guardRequests(guarded);
  await once(guarded.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((guarded.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(get('/').repeat(20));
  await once(socket, 'close');
  for (let i = 0; i < 20; i++) await turn();
  guarded.close();
  expect(begun).toBe(1);
});

const GARBAGE = {
  'no HTTP': 'GARBAGE\r\n\r\n',
  'zero bytes': '\0\0\0\0',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a head with two lengths': `POST /x HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
  'a head that is too large': `GET /x HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`,
};
const refusalOf = (garbage: keyof typeof GARBAGE): string[] =>
  garbage === 'a head that is too large'
    ? ['431', '"code":"headers_too_large"']
    : ['400', '"code":"malformed_request"'];

describe.each(Object.keys(GARBAGE) as (keyof typeof GARBAGE)[])('garbage: %s', (garbage) => {
  it('is refused behind an answer that is pending', async () => {
    const { socket, closed } = open();
    socket.write(get('/held') + GARBAGE[garbage]);
    await until(() => taken.length === 1);
    await turn();
    taken[0]!.answer.end('<mine>');
    expect(answersOf(await closed)).toEqual(['200', '<mine>', ...refusalOf(garbage)]);
    expect(refusals).toHaveLength(1);
  });

  it('is refused behind answers of which one is streaming and one has not begun', async () => {
    const { socket, text, closed } = open();
    socket.write(get('/held') + get('/next'));
    await until(() => taken.length === 2);
    taken[0]!.answer.write('<part1>');
    await until(() => text().includes('<part1>'));
    socket.write(GARBAGE[garbage], 'latin1');
    await turn();
    taken[1]!.answer.end('<second>');
    taken[0]!.answer.end('<part2>');
    expect(answersOf(await closed)).toEqual(['200', '<part1>', '<part2>', '200', '<second>', ...refusalOf(garbage)]);
  });

  it('is refused behind an answer that has gone out', async () => {
    const { socket, text, closed } = open();
    socket.write(get('/now'));
    await until(() => text().includes('<GET /now >'));
    socket.write(GARBAGE[garbage], 'latin1');
    expect(answersOf(await closed)).toEqual(['200', '<GET /now >', ...refusalOf(garbage)]);
  });

  it('is refused where it comes first', async () => {
    const { socket, closed } = open();
    socket.write(GARBAGE[garbage], 'latin1');
    expect(answersOf(await closed)).toEqual(refusalOf(garbage));
  });
});

describe('a body that goes wrong', () => {
  const POST = `POST /held HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;

  it('has the answer to its request refused, in its turn', async () => {
    const { socket, closed } = open();
    socket.write(`${get('/held')}${POST}zz\r\n`);
    await until(() => taken.length === 2);
    await turn();
    taken[0]!.answer.end('<mine>');
    expect(answersOf(await closed)).toEqual(['200', '<mine>', '400', '"code":"malformed_request"']);
  });

  it('cuts off an answer that has begun', async () => {
    const { socket, text, closed } = open();
    socket.write(POST);
    await until(() => taken.length === 1);
    taken[0]!.answer.write('<part1>');
    await until(() => text().includes('<part1>'));
    socket.write('zz\r\n');
    expect(answersOf(await closed)).toEqual(['200', '<part1>']);
  });

  it('gets no second answer when its request has one', async () => {
    const { socket, text, closed } = open();
    socket.write(POST);
    await until(() => taken.length === 1);
    taken[0]!.answer.end('<early>');
    await until(() => text().includes('<early>'));
    socket.write('zz\r\n');
    expect(answersOf(await closed)).toEqual(['200', '<early>']);
    expect(refusals).toEqual([]);
  });
});

describe('bytes behind a request that is the last', () => {
  it.each(['Connection: close\r\n', upgrade('h2c')])('get no answer, nor take its place: %j', async (last) => {
    for (const behind of [get('/now/behind'), 'GARBAGE\r\n\r\n']) {
      const { socket, closed } = open();
      socket.write(get('/held', last) + behind);
      await until(() => taken.length === 1);
      socket.write(get('/now/later'));
      await turn();
      taken[0]!.answer.end('<mine>');
      expect(answersOf(await closed)).toEqual(['200', '<mine>']);
      expect(taken.map(({ path }) => path)).toEqual(['/held']);
      taken.length = 0;
    }
  });
});

describe('a request with Upgrade that is not upgraded', () => {
  it.each(['h2c', 'TLS/1.0', 'foo/2', 'h2c, websocket', 'websocket/13, foo', 'HTTP/2.0', 'IRC/6.9, RTA/x11'])(
    'is answered as the last of its connection: %s',
    async (protocol) => {
      const { socket, closed } = open();
      socket.write(get('/now', upgrade(protocol)) + get('/now/behind'));
      const text = await closed;
      expect(answersOf(text)).toEqual(['200', '<GET /now >']);
      expect(text).toMatch(/^connection: close$/im);
    },
  );

  it.each(['h2c', 'websocket', 'foo/2'])('has its body, and nothing behind it for a request: %s', async (protocol) => {
    for (const framing of ['Content-Length: 3\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n']) {
      const { socket, closed } = open();
      const head = `POST /now HTTP/1.1\r\n${HOST}${upgrade(protocol)}${framing}`;
      // What is lost is the beginning of a request whose body looks like one.
      socket.write(`${head}POST /now/behind HTTP/1.1\r\n${HOST}Content-Length: 60\r\n\r\n`);
      socket.write(get('/now/smuggled'));
      expect(answersOf(await closed)).toEqual(['200', '<POST /now abc>']);
      expect(taken.map(({ path }) => path)).toEqual(['/now']);
      taken.length = 0;
    }
  });

  it('has its answer read by a client that sends all its requests before it reads', async () => {
    const { socket, closed } = open();
    let error: Error | undefined;
    socket.on('error', (each) => (error = each)).pause();
    socket.write(get('/now', upgrade('h2c')));
    const followers = get('/now/behind', `X: ${'x'.repeat(8_000)}\r\n`).repeat(1_000);
    await until(() => taken.at(0)?.answer.writableFinished ?? false);
    // The parser begins anywhere: behind requests comes what is none to it.
    for (const part of [followers, `GET${followers}`, followers]) {
      await new Promise<void>((done) => void socket.write(part, () => done()));
    }
    socket.resume();
    expect(answersOf(await closed)).toEqual(['200', '<GET /now >']);
    expect(error).toBeUndefined();
  });

  it('keeps its connection when Connection does not name Upgrade', async () => {
    const { socket, closed } = open();
    socket.write(get('/now', 'Upgrade: h2c\r\n') + get('/now/behind', 'Connection: close\r\n'));
    expect(answersOf(await closed)).toEqual(['200', '<GET /now >', '200', '<GET /now/behind >']);
  });
});

describe('CONNECT', () => {
  it('is a request like any other, and the last of its connection', async () => {
    const { socket, closed } = open();
    socket.write(`${get('/held')}CONNECT now:1 HTTP/1.1\r\n${HOST}\r\n${get('/now/behind')}`);
    await until(() => taken.length === 2);
    taken[1]!.answer.end('<connect>');
    await turn();
    taken[0]!.answer.end('<mine>');
    expect(answersOf(await closed)).toEqual(['200', '<mine>', '200', '<connect>']);
  });
});

describe('the opening of a WebSocket', () => {
  it('leaves HTTP', async () => {
    const { socket, closed } = open();
    socket.write(get('/ws', upgrade('WebSocket')));
    expect(answersOf(await closed)).toEqual(['101', 'switched']);
  });

  it('leaves HTTP behind an answer that has gone out', async () => {
    const { socket, text, closed } = open();
    socket.write(get('/now'));
    await until(() => text().includes('<GET /now >'));
    socket.write(get('/ws', upgrade('websocket')));
    expect(answersOf(await closed)).toEqual(['200', '<GET /now >', '101', 'switched']);
  });

  it.each([
    ['behind a request that is not answered', get('/now/first') + get('/now', upgrade('websocket')), 2],
    ['with a length', `${get('/now', `${upgrade('websocket')}Content-Length: 3\r\n`)}abc`, 1],
    ['in chunks', `${get('/now', `${upgrade('websocket')}Transfer-Encoding: chunked\r\n`)}0\r\n\r\n`, 1],
    ['in HTTP/1.0', `GET /now HTTP/1.0\r\n${HOST}${upgrade('websocket')}\r\n`, 1],
    ['by POST', `POST /now HTTP/1.1\r\n${HOST}${upgrade('websocket')}\r\n`, 1],
  ])('is an ordinary request %s', async (_how, request, count) => {
    const { socket, closed } = open();
    socket.write(request + get('/now/behind'));
    const text = await closed;
    expect(answersOf(text).filter((part) => /^\d+$/.test(part))).toEqual(Array(count).fill('200'));
    expect(text).toMatch(/^connection: close$/im);
    expect(text).not.toContain('switched');
  });
});

it('a client that sends garbage and stays is closed', async () => {
  const { socket, closed } = open();
  socket.write('GARBAGE\r\n\r\n');
  await once(socket, 'end');
  socket.write('more');
  await closed;
});
