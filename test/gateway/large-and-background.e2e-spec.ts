/** What is recorded of bodies that are too long to keep, and of responses that go on behind their call. */
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketMessages } from '../../apps/gateway/src/forward/recorded-websocket.js';
import type { GatewaySettings } from '../../apps/gateway/src/gateway.settings.js';
import {
  credentialOf,
  finished,
  recorded,
  startFakeApi,
  until,
  type FakeApi,
  type SentSpan,
} from './support/fake-api.js';
import { rawRequest } from './support/raw.js';
import { startGateway, type StartedGateway } from './support/start.js';

type Script = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;

const json = JSON.stringify;
const SSE = 'text/event-stream; charset=utf-8';
const KIB = 1024;
const MIB = KIB * KIB;

let upstream: { url: string; close(): Promise<void> };
let script: Script;
let asked: { method: string; path: string; headers: IncomingMessage['headers'] }[];
let api: FakeApi;
let gateway: StartedGateway;

beforeAll(async () => {
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      asked.push({ method: req.method!, path: req.url!, headers: req.headers });
      script(req, res, Buffer.concat(chunks));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
});
afterAll(() => upstream.close());
beforeEach(async () => {
  asked = [];
  api = await startFakeApi();
  await restart();
});
afterEach(async () => {
  await gateway.close();
  await api.close();
});

/** Starts the gateway, or starts it again with other settings. */
async function restart(settings: Partial<GatewaySettings> = {}): Promise<void> {
  if (gateway !== undefined) await gateway.close();
  gateway = await startGateway(upstream.url, { apiUrl: api.url, ...settings });
}

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(gateway.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

/** An answer whose bytes come in pieces of such a length. */
const answering =
  (body: string | Buffer, headers: Record<string, string> = {}, pieceBytes = 64 * KIB): Script =>
  (_req, res) => {
    const bytes = Buffer.from(body);
    res.writeHead(200, headers);
    for (let at = 0; at < bytes.length; at += pieceBytes) res.write(bytes.subarray(at, at + pieceBytes));
    res.end();
  };

const event = (value: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${json(value)}\n\n`;
const image = (bytes = 1_500_000): string => randomBytes(bytes).toString('base64');

/** A stream of a Responses call that paints: each image comes as it grows, when it is done, and in the whole response at the end. */
function imageStream(images: number, partial = 3): string {
  const typed = (type: string, members: object): string => event({ type, ...members }, type);
  const response = { id: 'resp_1', object: 'response', model: 'gpt-5' };
  const items = Array.from({ length: images }, (_, n) => ({
    id: `ig_${n}`,
    type: 'image_generation_call',
    status: 'completed',
    result: image(),
  }));
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
  const usage = { input_tokens: 2_000, output_tokens: 900, total_tokens: 2_900 };
  return [
    typed('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
    ...items.flatMap((item, output_index) => [
      ...Array.from({ length: partial }, (_, n) =>
        typed('response.image_generation_call.partial_image', {
          output_index,
          item_id: item.id,
          partial_image_index: n,
          partial_image_b64: image(),
        }),
      ),
      typed('response.output_item.done', { output_index, item }),
    ]),
    typed('response.completed', { response: { ...response, status: 'completed', output: [...items, message], usage } }),
  ].join('');
}

const errorOf = ({ status }: SentSpan): unknown => status;

describe('a stream that is longer than what is kept of it', () => {
  const draw = json({ model: 'gpt-5', stream: true, input: 'draw', tools: [{ type: 'image_generation' }] });
  const painted = {
    status: 'completed',
    kind: { model: 'gpt-5', input_tokens: 2_000, output_tokens: 900 },
    output: { text: 'ok', finish_reason: 'completed' },
    metadata: { truncated: true, streaming: true },
  };

  it.each<[coding: string, images: number, encode: (text: string) => Buffer | string, pieceBytes: number]>([
    ['identity', 1, (text) => text, 64 * KIB],
    ['identity', 1, (text) => text, 7_001],
    ['identity', 4, (text) => text, 64 * KIB],
    // Fits as it is sent, and is longer without its coding.
    ['gzip', 1, gzipSync, 64 * KIB],
    ['zstd', 1, zstdCompressSync, 64 * KIB],
    // Longer even as it is sent.
    ['gzip', 2, gzipSync, 64 * KIB],
    ['br', 2, (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), 64 * KIB],
  ])(
    'has its tokens and its end: %s, %i images',
    async (coding, images, encode, pieceBytes) => {
      const stream = imageStream(images);
      script = answering(
        encode(stream),
        { 'content-type': SSE, ...(coding !== 'identity' && { 'content-encoding': coding }) },
        pieceBytes,
      );
      // `fetch` of Node does not know every coding.
      const head = `POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${draw.length}\r\n\r\n`;
      const { body } = await rawRequest(gateway.port, head + draw);
      if (coding === 'identity') expect(body.includes('response.completed')).toBe(true);
      const [span] = await recorded(api, 1, 20_000);
      expect(span).toMatchObject(painted);
    },
    60_000,
  );

  it('has its tool calls and its reason, wherever they stand', async () => {
    await restart({ recordBytes: 64 * KIB });
    const chunk = (delta: object, more: object = {}): string =>
      event({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta, finish_reason: null }], ...more });
    const words = Array.from({ length: 20_000 }, (_, n) => chunk({ content: `word ${n} ` }));
    const call = [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } },
      { index: 0, function: { arguments: '{"a":' } },
      { index: 0, function: { arguments: '1}' } },
    ].map((piece) => chunk({ tool_calls: [piece] }));
    const stream = [
      ...words.slice(0, 15_000),
      ...call,
      ...words.slice(15_000),
      event({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
      event({ id: 'c', model: 'gpt-4o', choices: [], usage: { prompt_tokens: 5, completion_tokens: 60_000 } }),
      'data: [DONE]\n\n',
    ].join('');
    script = answering(stream, { 'content-type': SSE }, 9_973);
    const received = await (
      await post('/v1/chat/completions', json({ model: 'gpt-4o', stream: true, messages: [] }))
    ).text();
    expect(received).toBe(stream);
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      status: 'completed',
      kind: { input_tokens: 5, output_tokens: 60_000 },
      output: {
        text: expect.stringMatching(/^word 0 word 1 .* word 19999 $/),
        finish_reason: 'tool_calls',
        tool_calls: [{ id: 'call_1', name: 'write', arguments: '{"a":1}' }],
      },
      metadata: { truncated: true },
    });
  });

  it('of lines has its tokens too', async () => {
    await restart({ recordBytes: 64 * KIB });
    const line = (content: string, more: object = {}): string =>
      `${json({ model: 'llama', message: { role: 'assistant', content }, done: false, ...more })}\n`;
    const stream = [
      line('begin '),
      line('', { message: { role: 'assistant', content: '', thinking: 'x'.repeat(300_000) } }),
      ...Array.from({ length: 200 }, (_, n) => line(`${n} `.repeat(1_000))),
      line('', { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 8 }),
    ].join('');
    script = answering(stream, { 'content-type': 'application/x-ndjson' });
    await (await post('/api/chat', json({ model: 'llama', messages: [] }))).text();
    const [span] = await recorded(api);
    expect(span).toMatchObject({ status: 'completed', kind: { input_tokens: 7, output_tokens: 8 } });
  });

  it('is not failed where not even its last event can be kept', async () => {
    await restart({ recordBytes: 64 * KIB });
    const numbers = Array<number>(2 * MIB).fill(7);
    const stream = [
      event({ type: 'response.output_text.delta', output_index: 0, delta: 'hello' }),
      event({ type: 'response.completed', response: { status: 'completed', numbers } }),
    ].join('');
    script = answering(stream, { 'content-type': SSE });
    await (await post('/v1/responses', json({ model: 'gpt-5', stream: true, input: 'x' }))).text();
    const [span] = await recorded(api);
    expect(span).toMatchObject({ status: 'completed', output: { text: 'hello' }, metadata: { truncated: true } });
  });

  it('is failed where its last event is there and is no end', async () => {
    await restart({ recordBytes: 64 * KIB });
    const stream = event({ choices: [{ index: 0, delta: { content: 'x'.repeat(100) } }] }).repeat(3_000);
    script = answering(stream, { 'content-type': SSE });
    await (await post('/v1/chat/completions', json({ model: 'm', stream: true, messages: [] }))).text();
    const [span] = await recorded(api);
    expect(errorOf(span!)).toEqual({ failed: { error: expect.stringContaining('without its end mark') } });
  });
});

describe('a whole answer that is longer than what is kept of it', () => {
  it('has its tokens', async () => {
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
    const output = [...Array.from({ length: 6 }, () => ({ type: 'image_generation_call', result: image() })), message];
    const usage = { input_tokens: 11, output_tokens: 12 };
    script = answering(json({ object: 'response', status: 'completed', model: 'gpt-5', output, usage, text: {} }), {
      'content-type': 'application/json',
    });
    await (await post('/v1/responses', json({ model: 'gpt-5', input: 'x' }))).text();
    const [span] = await recorded(api, 1, 20_000);
    expect(span).toMatchObject({
      status: 'completed',
      kind: { input_tokens: 11, output_tokens: 12 },
      output: { text: 'ok' },
    });
  }, 30_000);

  it.each(['float', 'base64'])(
    'of vectors has model and tokens: %s',
    async (form) => {
      const vector = Array.from({ length: 3_072 }, (_, n) => Math.sin(n));
      const embedding = form === 'float' ? vector : Buffer.from(new Float32Array(vector).buffer).toString('base64');
      const data = Array.from({ length: 600 }, (_, index) => ({ object: 'embedding', index, embedding }));
      const body = json({
        object: 'list',
        data,
        model: 'text-embedding-3-large',
        usage: { prompt_tokens: 4_000, total_tokens: 4_000 },
      });
      expect(body.length).toBeGreaterThan(9 * MIB);
      script = answering(body, { 'content-type': 'application/json' });
      const input = Array.from({ length: 600 }, (_, n) => `text ${n}`);
      await (await post('/v1/embeddings', json({ model: 'text-embedding-3-large', input }))).text();
      const [span] = await recorded(api, 1, 20_000);
      expect(span).toMatchObject({
        status: 'completed',
        kind: { input_tokens: 4_000 },
        input,
        metadata: { response_model: 'text-embedding-3-large' },
      });
    },
    30_000,
  );
});

describe('a request that is longer than what is kept of it', () => {
  const tools = Array.from({ length: 40 }, (_, n) => ({
    type: 'function',
    function: {
      name: `tool_${n}`,
      description: 'd, with "quotes" and [brackets]',
      parameters: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  }));
  const last = { role: 'user', content: 'and the last word' };
  const failing: Script = (_req, res) => {
    res.writeHead(400, { 'content-type': 'application/json' });
    res.end(json({ error: { message: 'Invalid image', type: 'invalid_request_error' } }));
  };
  const picture = () => ({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${image(4_500_000)}` } }],
  });
  const short = Array.from({ length: 3_000 }, (_, n) => ({ role: 'user', content: `${n} ${'word '.repeat(800)}` }));

  it.each<[what: string, messages: () => unknown[], toolsMax: number]>([
    ['of pictures', () => [picture(), picture(), last], 40],
    ['of very many messages', () => [...short, last], 40],
    ['of very many messages and tools', () => [...short, last], 10],
  ])(
    'has model, parameters and the last message: %s',
    async (_what, messages, toolsMax) => {
      script = failing;
      const body = {
        messages: messages(),
        model: 'gpt-4o-mini',
        temperature: 0.5,
        tools: tools.slice(0, toolsMax),
        stream: true,
      };
      const text = json(body);
      expect(text.length).toBeGreaterThan(10 * MIB);
      await post('/v1/chat/completions', text);
      const [span] = await recorded(api, 1, 20_000);
      expect(span).toMatchObject({
        name: 'gpt-4o-mini',
        kind: { model: 'gpt-4o-mini' },
        status: { failed: { error: 'HTTP 400: Invalid image' } },
        metadata: { truncated: true, streaming: true, request: { temperature: 0.5, tools: body.tools } },
      });
      const input = span!.input as unknown[];
      expect([(input[0] as { role: string }).role, input.at(-1)]).toEqual(['user', last]);
    },
    30_000,
  );

  it('is read the same however it comes, and compressed', async () => {
    await restart({ recordBytes: 512 * KIB });
    script = failing;
    const text = json({ messages: [picture(), last], model: 'gpt-4o-mini', tools });
    await post('/v1/chat/completions', text);
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(text),
    });
    const spans = await recorded(api, 2, 20_000);
    expect(json(spans[1]!.input) === json(spans[0]!.input)).toBe(true);
    expect((spans[0]!.input as unknown[]).at(-1)).toEqual(last);
    expect(spans.map(({ name }) => name)).toEqual(['gpt-4o-mini', 'gpt-4o-mini']);
  }, 30_000);
});

describe('an explicit base', () => {
  const message = {
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 2 },
  };

  it('takes calls of every format with it', async () => {
    script = answering(json(message), { 'content-type': 'application/json' });
    const headers = {
      'anthropic-version': '2023-06-01',
      'x-api-key': 'ollama',
      'x-ollama-base': `${upstream.url}/ollama-box`,
    };
    const body = json({ model: 'qwen3-coder', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] });
    expect((await post('/v1/messages', body, headers)).status).toBe(200);
    expect(asked.at(-1)!.path).toBe('/ollama-box/v1/messages');
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      kind: { provider: 'ollama', model: 'qwen3-coder', input_tokens: 1, output_tokens: 2 },
      output: { text: 'hi', finish_reason: 'end_turn' },
    });
    for (const path of ['/v1/models', '/v1/v1/x', '/messages', '/', '/v1/messages/count_tokens', '/elsewhere']) {
      await post(path, '{}', headers);
      expect(asked.at(-1)!.path).toBe(`/ollama-box${path}`);
    }
  });

  it('gives way to X-Forward-URL', async () => {
    script = answering('{}', { 'content-type': 'application/json' });
    const headers = { 'x-forward-url': `${upstream.url}/named`, 'x-ollama-base': `${upstream.url}/ollama-box` };
    await post('/v1/messages', '{}', headers);
    expect(asked.at(-1)!.path).toBe('/named/v1/messages');
  });

  it('that is malformed is answered in the shape of the client', async () => {
    const refused = await post('/v1/messages', '{}', { 'x-ollama-base': 'nonsense' });
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ type: 'error' })]);
    expect(asked).toEqual([]);
  });
});

describe('the question whether anybody is there', () => {
  it.each(['HEAD', 'GET'])("of Ollama's own command goes to Ollama: %s", async (method) => {
    script = (_req, res) => res.end('Ollama is running');
    const answer = await fetch(`${gateway.url}/`, {
      method,
      headers: { 'user-agent': 'ollama/0.12.3 (amd64 linux) Go/go1.24' },
    });
    expect([answer.status, await answer.text()]).toEqual([200, method === 'GET' ? 'Ollama is running' : '']);
    expect(asked).toMatchObject([{ method, path: '/' }]);
  });

  it('of others is answered here', async () => {
    const head = await fetch(`${gateway.url}/`, { method: 'HEAD', headers: { 'user-agent': 'curl/8 ollama/1' } });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const greeting = await fetch(`${gateway.url}/`);
    expect([greeting.status, await greeting.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    expect((await fetch(`${gateway.url}/messages`, { method: 'HEAD' })).status).toBe(404);
    expect(asked).toEqual([]);
  });
});

describe('a WebSocket to the Responses API', () => {
  it('is refused with what to set', async () => {
    const head = 'GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const { head: answer, body } = await rawRequest(
      gateway.port,
      `${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 426 /);
    expect(JSON.parse(body.toString())).toMatchObject({
      error: { message: expect.stringContaining('gateway.websocket_recording: true') },
    });
    expect(asked).toEqual([]);
  });
});

describe('a WebSocket to the Responses API that is recorded', () => {
  let server: Server;
  let base: string;
  /** Answers a message of the client's; what it sends is a message each. */
  let onMessage: (message: Record<string, unknown>, send: (value: object) => void, socket: Socket) => void;
  let offered: string | undefined;

  beforeEach(async () => {
    server = createServer();
    server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
      offered = req.headers['sec-websocket-extensions'] as string | undefined;
      const accept = hash('sha1', `${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      let pieces: Buffer[] | undefined;
      const messages = new WebSocketMessages({
        begin: () => (pieces = []),
        piece: (data) => pieces!.push(data),
        end: () => {
          const message = Buffer.concat(pieces!).toString();
          pieces = undefined;
          onMessage(
            JSON.parse(message) as Record<string, unknown>,
            (value) => socket.write(textFrame(json(value))),
            socket,
          );
        },
      });
      socket.on('data', (data: Buffer) => {
        // A close frame comes alone; the bytes within a message are masked and can be any.
        const closes = pieces === undefined && data[0] === 0x88;
        messages.push(data);
        if (closes) socket.end(Buffer.from([0x88, 0]));
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await gateway.close();
    gateway = await startGateway(base, { apiUrl: api.url, websocketRecording: true });
  });
  afterEach(async () => {
    await gateway.close();
    server.close();
  });

  const textFrame = (text: string, opcode = 0x81): Buffer => {
    const payload = Buffer.from(text);
    const head = Buffer.from([opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    return Buffer.concat([head, payload]);
  };

  /** Sends messages one after the other, each when the last has its answer. @returns the events that came. */
  async function converse(asked: object[]): Promise<string[]> {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`);
    const events: string[] = [];
    await new Promise<void>((resolve) => {
      let next = 0;
      const send = (): void => (next < asked.length ? socket.send(json(asked[next++])) : socket.close());
      socket.addEventListener('open', send);
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('message', ({ data }) => {
        events.push((JSON.parse(data as string) as { type: string }).type);
        if (/^(response\.(completed|failed)|error)$/.test(events.at(-1)!)) send();
      });
    });
    return events;
  }

  const create = (input: string): object => ({
    type: 'response.create',
    model: 'gpt-5-codex',
    instructions: 'be brief',
    input,
    store: false,
  });

  it('has a span for each call', async () => {
    onMessage = ({ input }, send) => {
      send({ type: 'response.created', response: { id: 'r', status: 'in_progress', model: 'gpt-5-codex' } });
      send({ type: 'response.output_text.delta', output_index: 0, delta: `about ${String(input)}` });
      send({
        type: 'response.completed',
        response: {
          id: 'r',
          status: 'completed',
          model: 'gpt-5-codex-2026',
          output: [
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `about ${String(input)}` }] },
          ],
          usage: { input_tokens: 3, output_tokens: 4 },
        },
      });
    };
    const events = await converse([create('tides'), create('ebb')]);
    expect(events).toEqual(
      ['created', 'output_text.delta', 'completed', 'created', 'output_text.delta', 'completed'].map(
        (type) => `response.${type}`,
      ),
    );
    const spans = await recorded(api, 2);
    expect(offered).toBeUndefined();
    for (const [index, word] of ['tides', 'ebb'].entries()) {
      expect(spans[index]).toMatchObject({
        name: 'gpt-5-codex',
        status: 'completed',
        kind: { type: 'llm_call', provider: 'openai', model: 'gpt-5-codex', input_tokens: 3, output_tokens: 4 },
        output: { text: `about ${word}`, finish_reason: 'completed' },
        metadata: {
          endpoint: '/v1/responses',
          streaming: true,
          response_model: 'gpt-5-codex-2026',
          request: { store: false },
        },
      });
      expect(json(spans[index]!.input)).toContain(word);
    }
  });

  it('has failed spans for what fails', async () => {
    onMessage = ({ input }, send, socket) => {
      if (input === 'cut') socket.end();
      else send({ type: 'error', status: 400, error: { type: 'invalid_request_error', message: 'no such response' } });
    };
    await converse([create('error'), create('cut')]);
    const spans = await recorded(api, 2);
    expect(spans.map(errorOf)).toEqual([
      { failed: { error: expect.stringContaining('no such response') } },
      { failed: { error: expect.stringContaining('closed the connection') } },
    ]);
  });

  it('passes long messages both ways as they are', async () => {
    const long = 'é'.repeat(3 * MIB);
    let arrived: unknown;
    onMessage = ({ input }, send) => {
      arrived = input;
      send({
        type: 'response.completed',
        response: {
          status: 'completed',
          output: [{ type: 'image_generation_call', result: long }],
          usage: { input_tokens: 1, output_tokens: 2 },
        },
      });
    };
    await converse([create(long)]);
    expect(arrived).toBe(long);
    const [span] = await recorded(api, 1, 20_000);
    expect(span).toMatchObject({ status: 'completed', kind: { input_tokens: 1, output_tokens: 2 } });
  }, 30_000);

  describe('of the Realtime API', () => {
    const said = (id: string, text: string, role = 'user', type = 'input_text'): object => ({
      ...{ id, object: 'realtime.item', type: 'message', role },
      content: [type.endsWith('audio') ? { type, transcript: text || null } : { type, text }],
    });
    const answer = (id: string, output: object[], more: object): object => ({
      type: 'response.done',
      response: { id, object: 'realtime.response', status: 'completed', output, ...more },
    });

    /** Sends messages, each when an event of the type beside it has come. */
    async function talk(
      messages: readonly [when: string, message: object][],
      last: string,
      path = '/v1/realtime?model=gpt-realtime',
    ): Promise<string[]> {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`);
      const [events, left]: [string[], [string, object][]] = [[], [...messages]];
      await new Promise<void>((resolve) => {
        const go = (event: string): void => {
          while (left[0]?.[0] === event) socket.send(json(left.shift()![1]));
        };
        socket.addEventListener('open', () => go('open'));
        socket.addEventListener('close', () => resolve());
        socket.addEventListener('message', ({ data }) => {
          events.push((JSON.parse(data as string) as { type: string }).type);
          if (left.length === 0 && events.at(-1) === last) socket.close();
          else go(events.at(-1)!);
        });
      });
      return events;
    }

    it('has a span for each response, asked for or begun by the end of a turn, in one trace with what was said', async () => {
      const session = { id: 'sess_1', object: 'realtime.session', model: 'gpt-realtime', instructions: 'Be brief.' };
      onMessage = ({ type, item }, send) => {
        if (type === 'session.update')
          send({ type: 'session.created', session: { ...session, client_secret: 'hush' } });
        if (type === 'conversation.item.create') send({ type: 'conversation.item.added', item });
        if (type === 'response.create') {
          send({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } });
          send({ type: 'response.output_text.delta', response_id: 'resp_1', output_index: 0, delta: 'Low ' });
          send({ type: 'conversation.item.done', item: said('i2', 'Low at six.', 'assistant', 'output_text') });
          const usage = { input_tokens: 30, output_tokens: 4, total_tokens: 34 };
          send(answer('resp_1', [said('i2', 'Low at six.', 'assistant', 'output_text')], { usage }));
        }
        if (type !== 'input_audio_buffer.commit') return;
        send({ type: 'conversation.item.added', item: said('i3', '', 'user', 'input_audio') });
        send({ type: 'response.created', response: { id: 'resp_2', status: 'in_progress' } });
        send({ type: 'response.output_audio.delta', response_id: 'resp_2', delta: 'AAAA'.repeat(50) });
        const heard = 'conversation.item.input_audio_transcription.completed';
        send({ type: heard, item_id: 'i3', content_index: 0, transcript: 'And at noon?' });
        const details = { text_tokens: 60, audio_tokens: 40, cached_tokens: 64 };
        const usage = {
          input_tokens: 100,
          output_tokens: 20,
          input_token_details: { ...details, cached_tokens_details: { text_tokens: 40, audio_tokens: 24 } },
          output_token_details: { text_tokens: 5, audio_tokens: 15 },
        };
        const status_details = { type: 'cancelled', reason: 'turn_detected' };
        const output = [said('i4', 'Half-tide.', 'assistant', 'output_audio')];
        send(answer('resp_2', output, { status: 'cancelled', status_details, usage }));
      };
      const create = { type: 'conversation.item.create', item: said('i1', 'When is low tide?') };
      const asked = { type: 'response.create', response: { max_output_tokens: 50 } };
      await talk(
        [
          ['open', { type: 'session.update', session: {} }],
          ['session.created', create],
          ['conversation.item.added', asked],
          ['response.done', { type: 'input_audio_buffer.append', audio: 'A'.repeat(2 * MIB) }],
          ['response.done', { type: 'input_audio_buffer.commit' }],
        ],
        'response.done',
      );
      const [first, second] = await recorded(api, 2);
      expect(first).toMatchObject({
        name: 'gpt-realtime',
        status: 'completed',
        kind: { provider: 'openai', model: 'gpt-realtime', input_tokens: 30, output_tokens: 4 },
        output: { text: 'Low at six.', finish_reason: 'completed' },
        metadata: { endpoint: '/v1/realtime', streaming: true, request: { max_output_tokens: 50 } },
      });
      expect(first!.input).toMatchObject([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ text: 'When is low tide?' }] },
      ]);
      expect(second).toMatchObject({
        trace_id: first!.trace_id,
        status: 'completed',
        output: { text: 'Half-tide.', finish_reason: 'turn_detected' },
        kind: {
          ...{ input_tokens: 100, output_tokens: 20, cached_input_tokens: 64, cached_audio_tokens: 24 },
          ...{ input_audio_tokens: 40, output_audio_tokens: 15 },
        },
      });
      expect(second!.input).toMatchObject([
        { role: 'system' },
        { content: [{ text: 'When is low tide?' }] },
        { role: 'assistant', content: [{ text: 'Low at six.' }] },
        { role: 'user', content: [{ type: 'input_audio', transcript: 'And at noon?' }] },
      ]);
      expect(api.bodies.join()).not.toMatch(/hush|AAAA/);
    });

    it('has failed spans for what is refused, fails or is cut', async () => {
      onMessage = ({ type, event_id }, send, socket) => {
        const error = { type: 'invalid_request_error', message: 'no such voice', event_id };
        if (event_id === 'bad') send({ type: 'error', error });
        else if (type === 'response.create') {
          send({ type: 'response.created', response: { id: 'r1', status: 'in_progress' } });
          const status_details = { type: 'failed', error: { type: 'server_error', code: 'overloaded' } };
          send(answer('r1', [], { status: 'failed', status_details }));
        } else {
          send({ type: 'response.created', response: { id: 'r2', status: 'in_progress' } });
          socket.end();
        }
      };
      await talk(
        [
          ['open', { type: 'response.create', event_id: 'bad' }],
          ['error', { type: 'response.create' }],
          ['response.done', { type: 'input_audio_buffer.commit' }],
        ],
        'none',
      );
      const errors = (await recorded(api, 3)).map(errorOf);
      expect(errors).toEqual(
        ['no such voice', 'overloaded', 'closed the connection'].map((text) => ({
          failed: { error: expect.stringContaining(text) },
        })),
      );
    });

    it('passes unrecorded where WebSockets are not recorded', async () => {
      await gateway.close();
      gateway = await startGateway(base, { apiUrl: api.url });
      onMessage = (_message, send) => send(answer('r', [], {}));
      expect(await talk([['open', { type: 'response.create' }]], 'response.done')).toEqual(['response.done']);
      expect(api.spans.size).toBe(0);
    });
  });

  describe("of Gemini's Live API", () => {
    const LIVE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
    const MODEL = 'gemini-3.1-flash-live-preview';
    const setup = (more: object = {}): object => ({
      setup: {
        model: `models/${MODEL}`,
        generationConfig: { responseModalities: ['AUDIO'], temperature: 0.5 },
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        ...more,
      },
    });
    const content = (serverContent: object, more: object = {}): object => ({ serverContent, ...more });
    const spoken = (text: string): object[] => [
      content({
        modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: 'A'.repeat(4_000) } }] },
      }),
      content({ outputTranscription: { text } }),
    ];
    const usage = (promptTokenCount: number, responseTokenCount: number, more: object = {}): object => ({
      usageMetadata: {
        ...{ promptTokenCount, responseTokenCount, totalTokenCount: promptTokenCount + responseTokenCount },
        ...more,
      },
    });
    const over = (more: object = usage(10, 5)): object => content({ turnComplete: true }, more);
    const says = (text: string): object => ({
      clientContent: { turns: [{ role: 'user', parts: [{ text }] }], turnComplete: true },
    });
    const audio = { realtimeInput: { audio: { mimeType: 'audio/pcm;rate=16000', data: 'Q'.repeat(2_000) } } };
    const headers = { 'x-forward-url': 'http://127.0.0.1', 'x-spandrel-tags': 'harbour' };

    /** What a session's server says to each message of its client, by number; as Google's does in binary messages. */
    let script: (message: Record<string, unknown>, at: number) => object[] | 'close';
    beforeEach(() => {
      let at = 0;
      onMessage = (message, _send, socket) => {
        const said = script(message, at++);
        if (said === 'close') {
          const reason = Buffer.from('\x03\xf0no such model', 'latin1');
          socket.end(Buffer.concat([Buffer.from([0x88, reason.length]), reason]));
          return;
        }
        for (const each of said)
          socket.write(textFrame(`${JSON.stringify(each, null, 1)}\n`, message['type'] ? 0x81 : 0x82));
      };
    });

    /** Sends messages, each when upstream has spoken that many times; closes then. @returns what upstream said. */
    async function session(
      messages: readonly [after: number, message: object][],
      end: number,
      path = LIVE,
    ): Promise<object[]> {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}?key=AIza-hush`, {
        headers: { ...headers, 'x-forward-url': base },
      } as never);
      const [heard, left]: [object[], [number, object][]] = [[], [...messages]];
      const go = (): void => {
        while (left[0] && left[0][0] <= heard.length) socket.send(json(left.shift()![1]));
        if (left.length === 0 && heard.length >= end) socket.close();
      };
      await new Promise<void>((resolve) => {
        socket.addEventListener('open', go);
        socket.addEventListener('close', () => resolve());
        socket.addEventListener('message', async ({ data }) => {
          heard.push(JSON.parse(typeof data === 'string' ? data : await (data as Blob).text()) as object);
          go();
        });
      });
      return heard;
    }

    const text = (role: string, words: unknown): object => ({ role, content: words });
    const SYSTEM = text('system', 'Be brief.');

    it('has a span for each turn, written or spoken, in one trace with what was said and heard', async () => {
      script = (_message, at) => {
        if (at === 0) return [{ setupComplete: {} }];
        if (at === 1) {
          const thought = content({ modelTurn: { parts: [{ text: 'Tables.', thought: true }, { text: 'Low at ' }] } });
          const done = content({ generationComplete: true });
          return [
            thought,
            content({ modelTurn: { parts: [{ text: 'six.' }] } }),
            done,
            over(usage(30, 4, { thoughtsTokenCount: 6, totalTokenCount: 40 })),
          ];
        }
        if (at === 2) return [];
        const details = {
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 40 },
            { modality: 'AUDIO', tokenCount: 60 },
          ],
          responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
          cachedContentTokenCount: 30,
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 20 }],
          toolUsePromptTokenCount: 7,
          totalTokenCount: 132,
        };
        return [
          content({ inputTranscription: { text: 'And at ' } }),
          ...spoken('Half-'),
          content({ inputTranscription: { text: 'noon?' } }),
          ...spoken('tide.'),
          content({ interrupted: true }),
          content({ inputTranscription: { text: 'Stop.' } }),
          over(usage(100, 25, details)),
          ...spoken('Yes.'),
          over(),
        ];
      };
      const heard = await session(
        [
          [0, setup()],
          [1, says('When is low tide?')],
          [5, audio],
          [5, audio],
        ],
        17,
      );
      expect(heard).toHaveLength(17);
      const [first, second, third] = await recorded(api, 3);
      expect(first).toMatchObject({
        name: MODEL,
        status: 'completed',
        kind: { provider: 'custom', model: MODEL, input_tokens: 30, output_tokens: 10, reasoning_tokens: 6 },
        input: [SYSTEM, text('user', 'When is low tide?')],
        output: { text: 'Low at six.', finish_reason: 'turn_complete', reasoning: 'Tables.' },
        metadata: { endpoint: LIVE, streaming: true, request: { generationConfig: { temperature: 0.5 } } },
      });
      expect(second).toMatchObject({
        trace_id: first!.trace_id,
        status: 'completed',
        input: [
          SYSTEM,
          text('user', 'When is low tide?'),
          text('assistant', 'Low at six.'),
          text('user', 'And at noon?'),
        ],
        output: { text: 'Half-tide.', finish_reason: 'interrupted' },
        kind: {
          ...{ input_tokens: 107, output_tokens: 25, cached_input_tokens: 30, cached_audio_tokens: 20 },
          ...{ input_audio_tokens: 60, output_audio_tokens: 25 },
        },
      });
      expect((third!.input as unknown[]).slice(-2)).toEqual([text('assistant', 'Half-tide.'), text('user', 'Stop.')]);
      expect(third).toMatchObject({ trace_id: first!.trace_id, output: { text: 'Yes.' } });
      expect(second!.metadata).toMatchObject({ time_to_first_token_ms: expect.any(Number) });
      expect(api.bodies.join()).not.toMatch(/AAAA|QQQQ|hush/);
    });

    it('has tool calls, and what the model does with their results as a turn of its own', async () => {
      const call = (id: string) => ({ toolCall: { functionCalls: [{ id, name: 'get_tide', args: { metres: 1 } }] } });
      const result = (id: string): object => ({
        tool_response: { function_responses: [{ id, name: 'get_tide', response: { high: '11:20' } }] },
      });
      script = (_message, at) =>
        [
          [{ setupComplete: {} }],
          [call('c1'), call('c2')],
          [],
          // The end of the turn before comes after what its tools gave back.
          [
            content({ turnComplete: true }, usage(20, 8)),
            content({ modelTurn: { parts: [{ text: 'At 11:20.' }] } }),
            over(usage(50, 6)),
          ],
          [call('c3')],
          [content({ modelTurn: { parts: [{ text: 'No.' }] } }), over(usage(61, 3))],
        ][at]!;
      await session(
        [
          [0, setup({ tools: [{ functionDeclarations: [{ name: 'get_tide' }] }] })],
          [1, says('Now?')],
          [3, result('c1')],
          [3, result('c2')],
          [6, says('Again?')],
          [7, result('c3')],
        ],
        9,
      );
      const spans = await recorded(api, 4);
      const calls = (...ids: string[]) => ids.map((id) => ({ id, name: 'get_tide', arguments: { metres: 1 } }));
      expect(spans.map(({ output }) => output)).toMatchObject([
        { text: '', finish_reason: 'turn_complete', tool_calls: calls('c1', 'c2') },
        { text: 'At 11:20.', finish_reason: 'turn_complete' },
        { finish_reason: 'tool_call', tool_calls: calls('c3') },
        { text: 'No.', finish_reason: 'turn_complete' },
      ]);
      expect(spans[0]!.metadata['request']).toMatchObject({
        tools: [{ functionDeclarations: [{ name: 'get_tide' }] }],
      });
      expect(spans.map(({ kind }) => kind['output_tokens'])).toEqual([8, 6, null, 3]);
      expect((spans[1]!.input as unknown[]).slice(-2)).toMatchObject([
        { role: 'tool', tool_call_id: 'c1', content: { high: '11:20' } },
        { role: 'tool', tool_call_id: 'c2' },
      ]);
    });

    it('is resumed by its handle as the same trace with the conversation so far, and by no other', async () => {
      const handled = { sessionResumptionUpdate: { newHandle: 'handle-hush', resumable: true } };
      script = (message) =>
        message['setup']
          ? [{ setupComplete: {} }]
          : [content({ modelTurn: { parts: [{ text: 'Ebb.' }] } }), over(), handled];
      await session(
        [
          [0, setup({ sessionResumption: {} })],
          [1, says('Now?')],
        ],
        4,
      );
      const resumed = setup({ sessionResumption: { handle: 'handle-hush' } });
      await session(
        [
          [0, resumed],
          [1, says('And then?')],
        ],
        4,
      );
      await session(
        [
          [0, setup({ sessionResumption: { handle: 'another' } })],
          [1, says('Who?')],
        ],
        4,
      );
      const [first, second, third] = await recorded(api, 3);
      expect(second).toMatchObject({
        trace_id: first!.trace_id,
        input: [SYSTEM, text('user', 'Now?'), text('assistant', 'Ebb.'), text('user', 'And then?')],
        metadata: { request: { sessionResumption: {} } },
      });
      expect(third!.trace_id).not.toBe(first!.trace_id);
      expect(third!.input).toEqual([SYSTEM, text('user', 'Who?')]);
      expect(api.bodies.join()).not.toContain('handle-hush');
    });

    it('is recorded where calls are read in a thread, as Realtime sessions are', async () => {
      await gateway.close();
      const plugins = [
        { use: 'openai', config: { base_url: base } },
        { use: 'custom', config: {} },
      ];
      const settings = { apiUrl: api.url, websocketRecording: true, readHereBytes: 0, readMs: 60_000 };
      gateway = await startGateway(base, settings, { plugins });
      script = ({ setup: begun, type }) => {
        const response = { id: 'r', status: 'completed', output: [] };
        if (type) return ['created', 'done'].map((end) => ({ type: `response.${end}`, response }));
        return begun ? [{ setupComplete: {} }] : [content({ modelTurn: { parts: [{ text: 'Ebb.' }] } }), over()];
      };
      await session(
        [
          [0, setup()],
          [1, says('Now?')],
        ],
        3,
      );
      await session([[0, { type: 'response.create' }]], 2, '/v1/realtime');
      const [first, second] = await recorded(api, 2, 20_000);
      expect(first).toMatchObject({ output: { text: 'Ebb.' }, input: [SYSTEM, text('user', 'Now?')] });
      expect(second).toMatchObject({ status: 'completed', output: { finish_reason: 'completed' } });
      for (const span of [first, second]) expect(span!.metadata).not.toHaveProperty('content_withheld');
    }, 60_000);

    it('has failed spans for a session that is refused and a turn that is cut, with the reason that upstream gives', async () => {
      script = () => 'close';
      await session([[0, setup()]], 99);
      script = (message) => (message['setup'] ? [{ setupComplete: {} }] : 'close');
      await session(
        [
          [0, setup()],
          [1, says('Now?')],
        ],
        99,
      );
      const spans = await recorded(api, 2);
      expect(spans.map(errorOf)).toEqual(
        spans.map(() => ({ failed: { error: expect.stringMatching(/closed the connection.*: 1008 no such model$/) } })),
      );
      expect(spans.map(({ name }) => name)).toEqual([MODEL, MODEL]);
    });

    it('is completed where its client leaves once all is said, and failed where it leaves before', async () => {
      script = (message, at) =>
        message['setup']
          ? [{ setupComplete: {} }]
          : message['realtimeInput']
            ? []
            : [
                content({ modelTurn: { parts: [{ text: 'Ebb.' }] } }),
                ...(at === 1 ? [content({ generationComplete: true })] : []),
              ];
      await session(
        [
          [0, setup()],
          [1, says('Now?')],
        ],
        3,
      );
      await session(
        [
          [0, setup()],
          [1, audio],
          [1, says('Now?')],
        ],
        2,
        LIVE.replace(/google.*/, 'google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent'),
      );
      const spans = await recorded(api, 2);
      expect(spans.map(({ output, status }) => [status, (output as { text: string }).text])).toEqual([
        ['completed', 'Ebb.'],
        [{ failed: { error: 'client disconnected' } }, 'Ebb.'],
      ]);
      expect(spans[0]!.output).toMatchObject({ finish_reason: 'generation_complete' });
    });
  });
});

describe('a response that goes on behind its call', () => {
  const ID = 'resp_68af';
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spandrel-background-'));
  });
  afterEach(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const response = (status: string, more: object = {}): object => ({
    id: ID,
    object: 'response',
    model: 'gpt-5-2026',
    status,
    output: [],
    usage: null,
    ...more,
  });
  const done = response('completed', {
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'forty-two' }] }],
    usage: { input_tokens: 5, output_tokens: 700, output_tokens_details: { reasoning_tokens: 600 } },
  });
  const says = (body: object): Script => answering(json(body), { 'content-type': 'application/json' });
  const begin = async (headers: Record<string, string> = {}): Promise<SentSpan> => {
    script = says(response('queued'));
    await (await post('/v1/responses', json({ model: 'gpt-5', background: true, input: 'think' }), headers)).text();
    await until(() => finished(api).length === 1);
    return finished(api)[0]!;
  };
  const look = async (what: Script, path = '', headers: Record<string, string> = {}): Promise<void> => {
    script = what;
    await (await fetch(`${gateway.url}/v1/responses/${ID}${path}`, { headers })).text();
  };
  const ends = (span: SentSpan): SentSpan => api.spans.get(span.id)!;
  /** Another call, recorded behind all that were made before it. */
  const settle = async (headers: Record<string, string> = {}): Promise<void> => {
    const before = finished(api).length;
    script = says(response('completed', { id: 'other' }));
    await (await post('/v1/responses', json({ model: 'other', input: 'x' }), headers)).text();
    await until(() => finished(api).length === before + 1);
  };

  it('completes its span once with the answer that a later call brings', async () => {
    const begun = await begin();
    expect(begun.status).toBe('completed');
    expect(begun.metadata).not.toHaveProperty('usage_missing');
    // The end adds no metadata: what it will cost is its provider's word already.
    expect(begun.metadata).toMatchObject({ cost_source: 'provider' });
    await look(says(response('queued')));
    await look(says(response('in_progress')));
    await look((_req, res) => res.writeHead(404).end('{}'));
    await settle();
    expect([finished(api).length, api.finishes.get(begun.id)]).toEqual([2, 1]);
    await look(says(done));
    await until(() => api.finishes.get(begun.id) === 2);
    expect(ends(begun)).toMatchObject({
      id: begun.id,
      trace_id: begun.trace_id,
      name: 'gpt-5',
      status: 'completed',
      kind: {
        type: 'llm_call',
        provider: 'openai',
        model: 'gpt-5',
        input_tokens: 5,
        output_tokens: 700,
        reasoning_tokens: 600,
      },
      output: { text: 'forty-two', finish_reason: 'completed' },
    });
    // What is not sent stays as it is.
    for (const member of ['input', 'metadata', 'started_at', 'parent_id'])
      expect(ends(begun)).not.toHaveProperty(member);
    expect(Date.parse(ends(begun).ended_at!)).toBeGreaterThanOrEqual(Date.parse(begun.ended_at!));
    await look(says(done));
    await settle();
    expect(api.finishes.get(begun.id)).toBe(2);
    expect(finished(api)).toHaveLength(3);
  });

  it.each<[string, Script, unknown]>([
    [
      'failed',
      says(response('failed', { error: { code: 'server_error', message: 'it broke' } })),
      { failed: { error: expect.stringContaining('it broke') } },
    ],
    ['incomplete', says(response('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })), 'completed'],
    ['cancelled', says(response('cancelled')), 'completed'],
  ])('may end as %s', async (_how, what, status) => {
    const begun = await begin();
    await look(what);
    await until(() => api.finishes.get(begun.id) === 2);
    expect(ends(begun).status).toEqual(status);
  });

  it('may be an interaction of Gemini', async () => {
    const headers = { 'x-forward-url': upstream.url };
    const path = '/v1beta/interactions';
    script = says({ id: 'v1_1', object: 'interaction', status: 'in_progress' });
    await (await post(path, json({ agent: 'deep-research', background: true, input: 'think' }), headers)).text();
    await until(() => finished(api).length === 1);
    const [begun] = finished(api);
    const steps = [{ type: 'model_output', content: [{ type: 'text', text: 'forty-two' }] }];
    script = says({ id: 'v1_1', status: 'completed', steps, usage: { total_input_tokens: 5, total_tokens: 705 } });
    await (await fetch(`${gateway.url}${path}/v1_1`, { headers })).text();
    await until(() => api.finishes.get(begun!.id) === 2);
    expect(ends(begun!)).toMatchObject({
      kind: { model: 'deep-research', input_tokens: 5, output_tokens: 700 },
      output: { text: 'forty-two', finish_reason: 'completed' },
    });
  });

  it('may end in a stream, and by a call that cancels it', async () => {
    const begun = await begin();
    const stream =
      event({ type: 'response.created', response: response('queued') }) +
      event({ type: 'response.completed', response: done });
    await look(answering(stream, { 'content-type': SSE }), '?stream=true&starting_after=4');
    await until(() => api.finishes.get(begun.id) === 2);
    expect(ends(begun)).toMatchObject({ kind: { output_tokens: 700 }, output: { text: 'forty-two' } });
    api.spans.clear();
    const other = await begin();
    script = says(response('cancelled'));
    await (await post(`/v1/responses/${ID}/cancel`, '')).text();
    await until(() => api.finishes.get(other.id) === 2);
  });

  it('that is streamed and left by its client ends all the same', async () => {
    script = (_req, res) => {
      res.writeHead(200, { 'content-type': SSE });
      res.write(event({ type: 'response.created', response: response('queued') }));
    };
    const leaving = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      body: json({ model: 'gpt-5', background: true, stream: true, input: 'think' }),
      signal: leaving.signal,
    });
    await answer.body!.getReader().read();
    leaving.abort();
    const [begun] = await recorded(api);
    expect(begun!.status).toEqual({ failed: { error: 'client disconnected' } });
    await look(says(done));
    await until(() => api.finishes.get(begun!.id) === 2);
    expect(ends(begun!)).toMatchObject({ status: 'completed', output: { text: 'forty-two' } });
  });

  it('keeps its capture mode', async () => {
    const begun = await begin({ 'x-spandrel-capture': 'off' });
    await look(says(done));
    await until(() => api.finishes.get(begun.id) === 2);
    expect(ends(begun)).not.toHaveProperty('output');
    expect(ends(begun)).toMatchObject({ kind: { output_tokens: 700 } });
  });

  it('ends over a restart where there is a spool directory', async () => {
    await restart({ spoolDir: folder, shutdownMs: 900 });
    const begun = await begin();
    await restart({ spoolDir: folder, shutdownMs: 900 });
    api.mood = 'unavailable';
    await look(says(done));
    await restart({ spoolDir: folder, shutdownMs: 900 });
    api.mood = 'up';
    await until(() => api.finishes.get(begun.id) === 2);
    expect(ends(begun)).toMatchObject({ output: { text: 'forty-two' } });
    await look(says(done));
    await settle();
    expect(api.finishes.get(begun.id)).toBe(2);
  });

  it("is nobody else's to end", async () => {
    const alice = 'spn_sk_alice-0123456789';
    const bob = 'spn_sk_bobby-0123456789';
    api.keys = new Map([alice, bob].map((key) => [key, credentialOf({})]));
    await restart({ mode: 'cloud' });
    const begun = await begin({ 'x-spandrel-key': alice });
    await look(says(done), '', { 'x-spandrel-key': bob });
    await settle({ 'x-spandrel-key': bob });
    expect(api.finishes.get(begun.id)).toBe(1);
    await look(says(done), '', { 'x-spandrel-key': alice });
    await until(() => api.finishes.get(begun.id) === 2);
    expect(api.keyOf.get(begun.id)).toBe(alice);
  });
});
