import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** The models of the fake; their names say what they are. */
export const FAKE_MODELS = {
  chat: 'demo-fake-chat',
  /** Says what the other one says. */
  agent: 'demo-fake-agent',
  embedding: 'demo-fake-embedding',
} as const;

interface Message {
  role?: unknown;
  content?: unknown;
}

interface FakeRequest {
  model?: unknown;
  messages?: readonly Message[];
  tools?: unknown;
  stream?: unknown;
  stream_options?: { include_usage?: unknown } | null;
  input?: unknown;
}

type FakeReply =
  | { text: string }
  | { tool: { name: string; arguments: string } }
  | { status: number; code: string; message: string };

/** Longest prompt that the fake takes, in characters: a real model has a limit too, and the demo shows how it looks. */
const PROMPT_LENGTH_MAX = 1_000;

/** All that the fake knows. It is wrong about Australia, so that a score and a review have something to find. */
const CAPITALS: Readonly<Record<string, string>> = {
  Australia: 'Sydney',
  Brazil: 'Brasília',
  Canada: 'Ottawa',
  France: 'Paris',
  Japan: 'Tokyo',
  Kenya: 'Nairobi',
};

function fakeReply({ model, messages = [], tools }: FakeRequest): FakeReply {
  if (model !== FAKE_MODELS.chat && model !== FAKE_MODELS.agent) {
    return { status: 404, code: 'model_not_found', message: `The model \`${String(model)}\` does not exist` };
  }
  const last = messages.at(-1);
  const said = textOf(last);
  if (messages.reduce((length, message) => length + textOf(message).length, 0) > PROMPT_LENGTH_MAX) {
    const message = `This fake model's maximum context length is ${PROMPT_LENGTH_MAX} characters`;
    return { status: 400, code: 'context_length_exceeded', message };
  }
  if (last?.role === 'tool') return { text: `The tool says: ${said}` };
  const country = Object.keys(CAPITALS).find((name) => said.includes(name));
  const city = country && CAPITALS[country];
  if (Array.isArray(tools) && tools.length > 0 && city !== undefined) {
    return { tool: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
  }
  return { text: city ?? `I am a fake model and know the capitals of ${Object.keys(CAPITALS).join(', ')} only.` };
}

const textOf = (message: Message | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');

type Said = Exclude<FakeReply, { status: number }>;

const TOKEN_LENGTH = 4;
const DIMENSIONS = 8;

/** An answer of OpenAI's chat completions, https://platform.openai.com/docs/api-reference/chat. */
function chatCompletion(request: FakeRequest, said: Said): object {
  const message =
    'text' in said
      ? { role: 'assistant', content: said.text }
      : { role: 'assistant', content: null, tool_calls: [toolCall(said.tool)] };
  return {
    ...head(request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(said) }],
    usage: usage(request, said),
  };
}

/** The chunks of a streamed answer, a word at a time; the last one has the usage where the request asks for it. */
function chatChunks(request: FakeRequest, said: Said): object[] {
  const withUsage = request.stream_options?.include_usage === true;
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head(request, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage && { usage: null }),
  });
  const deltas =
    'text' in said
      ? (said.text.match(/\S+\s*/g) ?? []).map((content) => ({ content }))
      : [{ tool_calls: [{ index: 0, ...toolCall(said.tool) }] }];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finishReason(said)),
    ...(withUsage ? [{ ...head(request, 'chat.completion.chunk'), choices: [], usage: usage(request, said) }] : []),
  ];
}

/** An answer of OpenAI's embeddings: vectors that depend on the text and mean nothing. */
function embeddings({ model, input }: FakeRequest): object {
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: createVector(text) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const modelList = (): object => ({
  object: 'list',
  data: Object.values(FAKE_MODELS).map((id) => ({ id, object: 'model', created: 0, owned_by: 'spandrel-demo' })),
});

const errorBody = (code: string, message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

const head = ({ model }: FakeRequest, object: string) => ({
  id: 'chatcmpl-spandrel-demo',
  object,
  created: Math.floor(Date.now() / 1000),
  model,
  system_fingerprint: 'fp_spandrel_demo_fake',
});

const toolCall = (called: { name: string; arguments: string }) => ({
  id: 'call_spandrel_demo',
  type: 'function',
  function: called,
});

const finishReason = (said: Said): string => ('text' in said ? 'stop' : 'tool_calls');

function usage({ messages = [] }: FakeRequest, said: Said) {
  const input = messages.reduce((sum, { content }) => sum + countTokens(JSON.stringify(content ?? '')), 0);
  const output = countTokens('text' in said ? said.text : JSON.stringify(said.tool));
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const countTokens = (text: string): number => Math.ceil(text.length / TOKEN_LENGTH);

const createVector = (text: string): number[] =>
  Array.from({ length: DIMENSIONS }, (_none, at) => ((text.charCodeAt(at % text.length) || 0) % 16) / 16);

/** A model takes its time; so the durations of the demo are not all zero. In milliseconds. */
const THINKING_MS = 20;
const BETWEEN_CHUNKS_MS = 10;

/** A server on a free port of loopback in the format of OpenAI, under any path before `/v1`. */
export async function startFakeModel() {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async (): Promise<void> => {
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
