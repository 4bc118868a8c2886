import { once } from 'node:events';
import { connect } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings, createLogger } from '@spandrel/kernel';
import { createHttpApp } from '../create-http-app.js';

let app: NestFastifyApplication;
let port: number;

beforeAll(async () => {
  const settings = loadSettings([], { args: [], env: {}, cwd: '/' });
  settings.core.bodyBytes = 2_000;
  app = await createHttpApp({
    settings,
    plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
    logger: createLogger('silent', 'test'),
    features: [],
    modules: [],
  });
  app.getHttpAdapter().post('/api/probe', () => undefined);
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as { port: number }).port;
});
afterAll(() => app.close());

const BODY = Buffer.alloc(16 * 1024 * 1024, 'x');

/** Sends a request as many clients do: reads nothing before it has written everything. */
async function writeThenRead(head: string, body: Buffer): Promise<{ text: string; error: string | undefined }> {
  const socket = connect(port, '127.0.0.1');
  let error: string | undefined;
  socket.on('error', ({ message }) => (error = message));
  socket.pause();
  socket.write(`POST /api/probe HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`);
  await new Promise<void>((done) => void socket.write(body, () => done()));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return { text: Buffer.concat(chunks).toString('utf8'), error };
}

const chunked = Buffer.concat([Buffer.from(`${BODY.length.toString(16)}\r\n`), BODY, Buffer.from('\r\n0\r\n\r\n')]);

describe('the answer to a request that is refused unread', () => {
  it.each([
    ['of a known length', `Content-Type: application/json\r\nContent-Length: ${BODY.length}`, BODY],
    ['in chunks', 'Content-Type: application/json\r\nTransfer-Encoding: chunked', chunked],
  ])('reaches a client that sends its whole body first, %s', async (_how, head, body) => {
    for (let i = 0; i < 5; i++) {
      const { text, error } = await writeThenRead(head, body);
      expect(text).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/);
      expect(error).toBeUndefined();
    }
  });

  it('is whole at once, and what the client goes on to send is dropped', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    let error: string | undefined;
    socket.setEncoding('utf8').on('data', (data) => (text += data));
    socket.on('error', ({ message }) => (error = message));
    socket.write('POST /api/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    socket.write(`Content-Length: ${BODY.length}\r\n\r\n`);
    await once(socket, 'end');
    expect(text).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large".*\}$/);
    await new Promise<void>((done) => void socket.write(BODY, () => done()));
    socket.end();
    if (!socket.closed) await once(socket, 'close');
    expect(error).toBeUndefined();
  });

  it('reaches clients that listen while they send', async () => {
    for (let i = 0; i < 5; i++) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/probe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: BODY,
      });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, 'payload_too_large']);
    }
  });

  it('does not wait for a body that does not come', async () => {
    const head = `Content-Type: application/json\r\nContent-Length: ${BODY.length}`;
    const { text } = await writeThenRead(head, Buffer.from('{'));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });
});
