/** The gateway waits for a request's body as long as it comes, and not for one that does not. */
import net, { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { startRawServer, type RawServer } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

/** Ten looks at a body without a byte of it. Whatever a test drips comes between any two of them. */
const LIMITS = { wholeMs: 400, gapMs: 400, sweepMs: 40 };
const DRIP_MS = 20;

let api: FakeApi;
let upstream: RawServer;
let gateway: StartedGateway;
let answer: (socket: Socket, head: string) => void = () => undefined;
const clients: Socket[] = [];

beforeAll(async () => {
  api = await startFakeApi();
  upstream = await startRawServer((socket, head) => answer(socket, head));
  gateway = await startGateway(upstream.url, { apiUrl: api.url }, { arrival: LIMITS });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await api.close();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  upstream.received.length = 0;
  upstream.sockets.splice(0).forEach((socket) => socket.destroy());
  api.spans.clear();
  answer = () => undefined;
});

/** Sends the head of a call of OpenAI's. @returns what comes back, once the gateway has closed the connection. */
function begin(more: string): { client: Socket; text: () => string; closed: Promise<string> } {
  const client = net.connect(gateway.port, '127.0.0.1');
  clients.push(client);
  let text = '';
  client.setEncoding('latin1').on('data', (data) => (text += data));
  client.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => client.once('close', () => resolve(text)));
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`,
  );
  return { client, text: () => text, closed };
}

const LATE = /^HTTP\/1\.1 408 [^]*connection: close[^]*\r\n\r\n\{"error":\{"message":"The request body did not arrive/i;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
const SHORT = 'Content-Length: 10\r\n';
const LONG = 'Content-Length: 100000\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

const lateSpan = async (): Promise<void> => {
  const [span] = await recorded(api, 1);
  expect(span!.status).toEqual({ failed: { error: 'the request body did not arrive in time' } });
  expect(span!.metadata['status_code']).toBe(408);
};

describe('a body that does not come', () => {
  it('of a short request is answered 408, recorded so, and goes to nobody', async () => {
    const { client, closed } = begin(SHORT);
    client.write('{"a"');
    expect(await closed).toMatch(LATE);
    expect(upstream.sockets).toEqual([]);
    await lateSpan();
  });

  it('is late in all, however steadily a short one drips', async () => {
    const { client, closed } = begin('Content-Length: 1000\r\n');
    const drip = setInterval(() => client.writable && client.write(' '), DRIP_MS);
    expect(await closed).toMatch(LATE);
    clearInterval(drip);
  });

  it.each([
    ['with a length', LONG, '{"model":"m"'],
    ['in chunks', CHUNKED, '3\r\n{"a\r\n'],
    ['in chunks of which none comes', CHUNKED, ''],
  ])('is answered 408 where it passes as a stream, %s; upstream is left', async (_how, framing, start) => {
    const { client, closed } = begin(framing);
    if (start !== '') client.write(start);
    await until(() => upstream.sockets.length === 1);
    const left = new Promise((resolve) => upstream.sockets[0]!.once('close', resolve));
    expect(await closed).toMatch(LATE);
    await left;
    await lateSpan();
  });

  it('cuts off an answer that has begun', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
    const { closed } = begin(CHUNKED);
    const text = await closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*begun$/);
    const [span] = await recorded(api, 1);
    expect(span!.status).toEqual({ failed: { error: 'the request body did not arrive in time' } });
  });
});

describe('a call goes on', () => {
  it('while its upload drips, however long that takes', async () => {
    answer = () => undefined;
    const { client, closed } = begin('Content-Length: 100000\r\nConnection: close\r\n');
    await until(() => upstream.sockets.length === 1);
    for (let sent = 0; sent < 60; sent++) {
      client.write('x');
      await sleep(DRIP_MS);
    }
    client.write('x'.repeat(100_000 - 60));
    await until(() => upstream.received[0]!.length > 100_000);
    upstream.sockets[0]!.end(OK);
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*ok$/);
  });

  it('while its upstream takes no more of the upload', async () => {
    const { client, closed } = begin('Content-Length: 12000000\r\nConnection: close\r\n');
    await until(() => upstream.sockets.length === 1);
    upstream.sockets[0]!.pause();
    client.write('x'.repeat(12_000_000));
    await sleep(3 * LIMITS.gapMs);
    expect(client.writableLength).toBeGreaterThan(0);
    // What keeps all that came takes long for so much.
    upstream.sockets[0]!.removeAllListeners('data')
      .on('data', () => undefined)
      .resume();
    await until(() => client.writableLength === 0);
    upstream.sockets[0]!.end(OK);
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*ok$/);
  });

  it('while its answer streams, though its own body has not ended', async () => {
    let drip: NodeJS.Timeout | undefined;
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n');
      drip = setInterval(() => socket.write('1\r\n.\r\n'), DRIP_MS);
    };
    const { client, text } = begin(CHUNKED);
    await until(() => /\.(?:[^.]*\.){50}/.test(text()));
    expect(client.readyState).toBe('open');
    clearInterval(drip);
  });

  it('while its client waits to be asked for its body', async () => {
    const { client, text, closed } = begin(`${LONG}Expect: 100-continue\r\nConnection: close\r\n`);
    await until(() => upstream.sockets.length === 1);
    await sleep(3 * LIMITS.gapMs);
    upstream.sockets[0]!.write('HTTP/1.1 100 Continue\r\n\r\n');
    await until(() => text().startsWith('HTTP/1.1 100 Continue'));
    client.write('x'.repeat(100_000));
    await until(() => upstream.received[0]!.length > 100_000);
    upstream.sockets[0]!.end(OK);
    expect(await closed).toMatch(/HTTP\/1\.1 200 [^]*ok$/);
  });
});
