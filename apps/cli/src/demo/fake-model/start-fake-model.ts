import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fakeReply, type FakeRequest } from './fake-reply.js';
import { chatChunks, chatCompletion, embeddings, errorBody, modelList } from './openai-format.js';

/** A model takes its time; so the durations of the demo are not all zero. In milliseconds. */
const THINKING_MS = 20;
const BETWEEN_CHUNKS_MS = 10;

/** The fake model while it answers. */
export interface FakeModel {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts the fake model: a server on loopback in the format of OpenAI (chat completions, streamed or not, embeddings,
 * models), whatever path comes before `/v1`. It needs no key.
 * @param port 0 takes any free one.
 * @throws the system's error when the port is in use.
 */
export async function startFakeModel(port: number): Promise<FakeModel> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0]!;
  const body = parseObject(await text(request));
  if (path.endsWith('/v1/models')) return send(response, 200, modelList());
  await pause(THINKING_MS);
  if (body === undefined) return send(response, 400, errorBody('invalid_json', 'The body is not a JSON object'));
  if (path.endsWith('/v1/chat/completions')) return chat(body, response);
  if (path.endsWith('/v1/embeddings')) return send(response, 200, embeddings(body));
  send(response, 404, errorBody('unknown_url', `The fake model has nothing at ${path}`));
}

async function chat(request: FakeRequest, response: ServerResponse): Promise<void> {
  const reply = fakeReply(request);
  if ('status' in reply) return send(response, reply.status, errorBody(reply.code, reply.message));
  if (request.stream !== true) return send(response, 200, chatCompletion(request, reply));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const chunk of chatChunks(request, reply)) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await pause(BETWEEN_CHUNKS_MS);
  }
  response.end('data: [DONE]\n\n');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function parseObject(body: string): FakeRequest | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
