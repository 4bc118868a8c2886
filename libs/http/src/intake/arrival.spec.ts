import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { limitArrival } from './arrival.js';
import { refuseMalformed } from './malformed-http.js';
import { registerStreamedBodies } from '../request-bodies.js';

/** What comes late in a test comes later than this. */
const SHORT = { wholeMs: 150, gapMs: 150, sweepMs: 20 };
/** What comes in time comes long before this, also on a busy machine. */
const LONG = { wholeMs: 2_000, gapMs: 2_000, sweepMs: 20 };

describe('limitArrival', () => {
  let app: FastifyInstance;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  /** Opens a connection and sends a head and the beginning of a body. @returns what comes back, once it is over. */
  async function begin(path: string, limits = SHORT, workMs = 0): Promise<{ socket: Socket; answer: Promise<string> }> {
    app = fastify({
      requestTimeout: 0,
      clientErrorHandler: (error, socket) => void refuseMalformed(error, socket),
    });
    limitArrival(app, limits);
    registerStreamedBodies(app);
    const whole = (): Promise<string> => sleep(workMs, 'whole');
    const streamed = async ({ body }: FastifyRequest): Promise<string> => {
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
      return sleep(workMs, `streamed ${bytes}`);
    };
    app.post('/whole', whole);
    app.post('/streamed', { config: { streamsBody: true } as object }, streamed);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (data) => (text += data));
    const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\n`,
    );
    return { socket, answer };
  }

  async function drip(socket: Socket, everyMs: number): Promise<void> {
    for (let n = 0; n < 8 && socket.writable; n++) {
      socket.write('x');
      await sleep(everyMs);
    }
  }

  it('answers 408 to a body read whole that has not come in time, though it keeps coming', async () => {
    const { socket, answer } = await begin('/whole');
    await drip(socket, 60);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  });

  it('lets a streamed body take its time, as long as it keeps coming', async () => {
    const { socket, answer } = await begin('/streamed', { ...LONG, wholeMs: SHORT.wholeMs });
    await drip(socket, 60);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*streamed 8$/s);
  });

  it('answers 408 to a streamed body that stops coming', async () => {
    const { socket, answer } = await begin('/streamed');
    socket.write('xxx');
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  });

  it.each(['/whole', '/streamed'])('gives %s all the time it needs once the body is there', async (path) => {
    const { socket, answer } = await begin(path, LONG, LONG.wholeMs + 400);
    socket.write('xxxxxxxx');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});
