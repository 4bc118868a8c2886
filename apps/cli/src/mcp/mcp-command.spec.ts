import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { addMcp } from './mcp-command.js';

it('a flood of messages opens few connections, and each is answered', async () => {
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  }).listen(0, '127.0.0.1');
  server.on('connection', () => connections++);
  await once(server, 'listening');
  try {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let text = '';
    stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const program = new Command();
    const io = { stdin, stdout, stderr, env: {}, signal: new AbortController().signal };
    addMcp({ program, io, end: () => undefined }, 'mcp');
    const messages = Array.from({ length: 200 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    stdin.end(messages.join(''));
    const { port } = server.address() as AddressInfo;
    await program.parseAsync(['mcp', '--url', `http://127.0.0.1:${port}`], { from: 'user' });
    const lines = text.trim().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, id) => id));
    // An answered one may still be closing when the next message goes.
    expect(connections).toBeLessThan(40);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
