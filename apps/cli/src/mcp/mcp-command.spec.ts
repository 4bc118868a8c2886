import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { afterEach, expect, it } from '@jest/globals';
import { addMcp } from './mcp-command.js';

interface Message {
  id?: number;
  method: string;
  params?: { requestId: number };
}

let close: () => void;
afterEach(() => close());

/** Runs `spandrel mcp` with a server that does as `answer` says with each message. */
async function start(answer: (message: Message, ...of: Parameters<RequestListener>) => void) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(JSON.parse(Buffer.concat(chunks).toString()) as Message, request, response);
  }).listen(0, '127.0.0.1');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  await once(server, 'listening');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let text = '';
  stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const program = new Command();
  const io = { stdin, stdout, stderr, env: {}, signal: new AbortController().signal };
  addMcp({ program, io, end: () => undefined }, 'mcp');
  const { port } = server.address() as AddressInfo;
  const ended = program.parseAsync(['mcp', '--url', `http://127.0.0.1:${port}`], { from: 'user' });
  const send = (message: Message) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  /** The ids of what was answered, in that order. */
  const answered = () => text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Message).id]));
  return { server, stdin, send, answered, text: () => text, end: () => (stdin.end(), ended) };
}

const result = (id: number | undefined): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });

it.each(['ping', 'tools/call'])('a flood of %s opens few connections, and each is answered', async (method) => {
  let connections = 0;
  const { server, send, answered, end } = await start(({ id }, _, response) => response.end(result(id)));
  server.on('connection', () => connections++);
  for (let id = 0; id < 200; id++) send({ id, method });
  await end();
  expect(answered().toSorted((a, b) => a! - b!)).toEqual(Array.from({ length: 200 }, (_, id) => id));
  // An answered one may still be closing when the next message goes.
  expect(connections).toBeLessThan(40);
});

it('cancellations and pings are passed while as many calls wait as go at once, and those behind them are cancelled, too', async () => {
  const seen = new EventEmitter();
  const calls: number[] = [];
  let left = 0;
  const cancelled: number[] = [];
  const { send, answered, end } = await start(({ id, method, params }, _, response) => {
    if (method === 'notifications/cancelled') {
      cancelled.push(params!.requestId);
      response.writeHead(202).end();
    } else if (method === 'ping' || id === 11) {
      response.end(result(id));
    } else {
      calls.push(id!);
      response.on('close', () => {
        left++;
        seen.emit('any');
      });
    }
    seen.emit('any');
  });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await once(seen, 'any');
  };
  for (let id = 0; id < 12; id++) send({ id, method: 'tools/call' });
  await until(() => calls.length === 10);
  send({ id: 100, method: 'ping' });
  // The eleventh call has not been sent.
  const ended = [10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  for (const requestId of ended) send({ method: 'notifications/cancelled', params: { requestId } });
  await until(() => left === 10 && cancelled.length === 11);
  await end();
  expect(calls.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(cancelled.toSorted((a, b) => a - b)).toEqual(ended.toSorted((a, b) => a - b));
  expect(answered().toSorted((a, b) => a! - b!)).toEqual([11, 100]);
});

it('a message that is too long is refused, and those around it are answered', async () => {
  const { stdin, send, text, end } = await start(({ id }, _, response) => response.end(result(id)));
  send({ id: 1, method: 'ping' });
  for (let mb = 0; mb < 11; mb++) if (!stdin.write('x'.repeat(1024 * 1024))) await once(stdin, 'drain');
  stdin.write('\n');
  send({ id: 2, method: 'ping' });
  await end();
  const error = { code: -32_600, message: 'the message is longer than 10485760 bytes' };
  const refusal = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  expect(text().split('\n').toSorted()).toEqual(['', result(1), result(2), refusal].toSorted());
});

it('a text with line ends of Unicode is one message', async () => {
  const { stdin, answered, end } = await start(({ id }, _, response) => response.end(result(id)));
  stdin.write('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\u2028\u2029\u0085"}}\r\n\n');
  await end();
  expect(answered()).toEqual([7]);
});

it('stops reading while a hundred messages wait for their answers', async () => {
  const calls = Promise.withResolvers<void>();
  let begun = 0;
  const { stdin, answered, end } = await start(async ({ id }, _, response) => {
    begun++;
    await calls.promise;
    response.end(result(id));
  });
  const message = { jsonrpc: '2.0', method: 'tools/call', params: { text: 'x'.repeat(4_000) } };
  for (let id = 0; id < 300; id++) stdin.write(`${JSON.stringify({ ...message, id })}\n`);
  while (begun < 10) await new Promise((done) => setImmediate(done));
  expect(stdin.writableLength).toBeGreaterThan(150 * 4_000);
  calls.resolve();
  await end();
  expect(answered()).toHaveLength(300);
});
