/** What is recorded of answers of many providers, each played byte for byte through a started gateway. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finished, startFakeApi, until, type FakeApi, type SentSpan } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

/** An answer of an upstream: its bytes in pieces; between them milliseconds, from when the client has what came before. */
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  pieces: (string | number)[];
  /** Upstream closes the connection before the answer's end. */
  isCut?: boolean;
}

interface Case {
  name: string;
  path?: string;
  request?: object;
  answer: Answer;
  expected: object;
  /** The call names upstream in its header: a provider that is not detected. */
  isForwarded?: true;
}

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(value)],
});
const events = (...frames: (object | string | number)[]): Answer => ({
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  pieces: frames.map((frame) => {
    if (typeof frame === 'number') return frame;
    return typeof frame === 'string' ? frame : `data: ${JSON.stringify(frame)}\n\n`;
  }),
});
const DONE = 'data: [DONE]\n\n';

const chatAnswer = (message: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  ...more,
});
const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const response = (...output: object[]) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
});
const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
const spoken = { content: null, audio: { id: 'a', data: 'UklGRg==', transcript: 'Hello there' } };

const cases: Case[] = [
  {
    name: 'cached tokens of DeepSeek',
    answer: json(
      chatAnswer(
        { content: 'Hi' },
        { usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_cache_hit_tokens: 90 } },
      ),
    ),
    expected: { kind: { input_tokens: 100, output_tokens: 5, cached_input_tokens: 90 } },
  },
  {
    name: 'two choices',
    request: { n: 2 },
    answer: json({
      choices: [
        { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
        { index: 1, message: { content: 'B' }, finish_reason: 'length' },
      ],
    }),
    expected: {
      output: {
        text: 'A',
        finish_reason: 'stop',
        choices: [
          { text: 'A', finish_reason: 'stop' },
          { text: 'B', finish_reason: 'length' },
        ],
      },
    },
  },
  {
    name: 'a spoken answer',
    answer: json(
      chatAnswer(spoken, {
        usage: {
          prompt_tokens: 2_000,
          completion_tokens: 1_000,
          prompt_tokens_details: { cached_tokens: 0, audio_tokens: 1_500 },
          completion_tokens_details: { audio_tokens: 900 },
        },
      }),
    ),
    expected: {
      kind: { input_audio_tokens: 1_500, output_audio_tokens: 900 },
      output: { text: 'Hello there' },
    },
  },
  {
    name: 'a spoken answer in pieces',
    request: { stream: true },
    answer: events(
      chunk({ audio: { id: 'a', transcript: 'Hello' } }),
      chunk({ audio: { data: 'UklGRg==' } }),
      chunk({ audio: { transcript: ' there' } }, 'stop'),
      DONE,
    ),
    expected: { status: 'completed', output: { text: 'Hello there' } },
  },
  {
    name: 'writes to the cache of Anthropic',
    path: MESSAGES,
    answer: json({
      type: 'message',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 550,
      },
    }),
    expected: {
      kind: { input_tokens: 303, cache_write_tokens: 300, cache_write_1h_tokens: 200, output_tokens: 550 },
    },
  },
  {
    name: 'writes to the cache of OpenAI, and the tier that served',
    path: RESPONSES,
    answer: json({
      ...response(said),
      service_tier: 'flex',
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 20, cache_write_tokens: 50 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 110,
      },
    }),
    expected: {
      kind: { input_tokens: 100, cached_input_tokens: 20, cache_write_tokens: 50, service_tier: 'flex' },
      output: { text: 'ok' },
    },
  },
  {
    name: 'a cost that the provider reports',
    answer: json(chatAnswer({ content: 'Hi' }, { usage: { prompt_tokens: 10, completion_tokens: 1, cost: 0.0045 } })),
    expected: { kind: { cost: 0.0045 } },
  },
  {
    name: 'a cost in ticks, of a stream, with counts as texts',
    request: { stream: true },
    answer: events(
      chunk({ content: 'Hi' }, 'stop'),
      { choices: [], usage: { prompt_tokens: '10', completion_tokens: '1', cost_in_usd_ticks: '37756000' } },
      DONE,
    ),
    expected: { kind: { input_tokens: 10, output_tokens: 1, cost: 0.0037756 } },
  },
  {
    name: 'an error of FastAPI',
    answer: json({ detail: [{ loc: ['body', 'stop'], msg: 'Extra inputs are not permitted', input: {} }] }, 422),
    expected: { status: { failed: { error: 'HTTP 422: body.stop: Extra inputs are not permitted' } } },
  },
  {
    name: 'an error in plain text',
    answer: { status: 503, headers: { 'content-type': 'text/plain' }, pieces: ['upstream connect ', 'error: reset\n'] },
    expected: { status: { failed: { error: 'HTTP 503: upstream connect error: reset' } } },
  },
  {
    name: 'MCP servers without their credentials',
    path: RESPONSES,
    request: {
      tools: [
        { type: 'mcp', server_label: 'wiki', authorization: 'wiki-key', headers: { 'X-Key': 'wiki-key' } },
        { type: 'function', name: 'f', parameters: { properties: { headers: { type: 'object' } } } },
      ],
      mcp_servers: [{ name: 'wiki', authorization_token: 'wiki-key' }],
    },
    answer: json(response(said)),
    expected: {
      metadata: {
        request: {
          tools: [
            { type: 'mcp', server_label: 'wiki', authorization: '[redacted]', headers: '[redacted]' },
            { type: 'function', name: 'f', parameters: { properties: { headers: { type: 'object' } } } },
          ],
          mcp_servers: [{ name: 'wiki', authorization_token: '[redacted]' }],
        },
      },
    },
  },
  {
    name: 'credentials of other servers, wherever they stand in the parameters',
    path: RESPONSES,
    request: {
      tools: [
        {
          mcpServers: [
            { name: 'wiki', streamableHttpTransport: { url: 'https://w.example', headers: { 'X-Key': 'k3y' } } },
          ],
        },
        { type: 'mcp', server_url: 'https://me:pw1@w.example/mcp?page=2&wikiApiKey=k3y&token=k3y#top' },
        { type: 'shell', environment: { network_policy: { domain_secrets: [{ name: 'K', value: 'k3y' }] } } },
        {
          type: 'function',
          name: 'f',
          parameters: {
            properties: { password: { type: 'string' }, headers: { type: 'object' } },
            required: ['password'],
          },
        },
      ],
      data_sources: [{ type: 'azure_search', parameters: { authentication: { type: 'api_key', key: 'k3y' } } }],
      max_output_tokens: 9,
      prompt_cache_key: 'shown',
    },
    answer: json(response(said)),
    expected: {
      metadata: {
        request: {
          tools: [
            {
              mcpServers: [
                { name: 'wiki', streamableHttpTransport: { url: 'https://w.example', headers: '[redacted]' } },
              ],
            },
            {
              type: 'mcp',
              server_url: 'https://[redacted]@w.example/mcp?page=2&wikiApiKey=[redacted]&token=[redacted]#top',
            },
            { type: 'shell', environment: { network_policy: { domain_secrets: '[redacted]' } } },
            {
              type: 'function',
              name: 'f',
              parameters: {
                properties: { password: { type: 'string' }, headers: { type: 'object' } },
                required: ['password'],
              },
            },
          ],
          data_sources: [{ type: 'azure_search', parameters: { authentication: '[redacted]' } }],
          max_output_tokens: 9,
          prompt_cache_key: 'shown',
        },
      },
    },
  },
  {
    name: 'an agent of Mistral',
    path: '/v1/agents/completions',
    request: { agent_id: 'ag_1', messages: [{ role: 'user', content: 'Tide?' }] },
    answer: json(chatAnswer({ content: '11:20' }, { model: 'mistral-large-2512' })),
    expected: { input: [{ role: 'user', content: 'Tide?' }], output: { text: '11:20' } },
  },
  {
    name: 'an interaction of Gemini',
    path: '/v1beta/interactions',
    isForwarded: true,
    request: { model: 'gemini-3.8-flash', input: 'Tide?', stream: true },
    answer: events(
      { event_type: 'interaction.created', interaction: { id: 'v1_1', status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: '11:20' } },
      {
        event_type: 'interaction.completed',
        interaction: {
          status: 'completed',
          usage: { total_input_tokens: 7, total_output_tokens: 5, total_thought_tokens: 22, total_tokens: 34 },
        },
      },
      DONE,
    ),
    expected: {
      input: [{ role: 'user', content: 'Tide?' }],
      output: { text: '11:20', finish_reason: 'completed' },
      kind: { input_tokens: 7, output_tokens: 27, reasoning_tokens: 22 },
    },
  },
  {
    name: 'an error of MiniMax inside 200',
    answer: json({
      choices: null,
      usage: { total_tokens: 0 },
      base_resp: { status_code: 1004, status_msg: 'login fail' },
    }),
    expected: { status: { failed: { error: 'login fail' } } },
  },
  {
    name: 'an error in a field of the stream',
    request: { stream: true },
    answer: events(chunk({ content: 'Hel' }), 'error: {"code":500,"message":"out of memory"}\n\n'),
    expected: { status: { failed: { error: 'out of memory' } }, output: { text: 'Hel' } },
  },
  {
    name: 'an error in place of a stream',
    request: { stream: true },
    answer: events('{"error":{"message":"no such model"}}'),
    expected: { status: { failed: { error: 'no such model' } } },
  },
  {
    name: 'empty reasons before a cut',
    request: { stream: true },
    answer: { ...events(chunk({ content: 'Hel' }, ''), chunk({ content: 'lo' }, ''), 0), isCut: true },
    expected: {
      status: { failed: { error: expect.any(String) } },
      output: { text: 'Hello', finish_reason: null },
    },
  },
  {
    name: 'empty reasons at an end without a mark',
    request: { stream: true },
    answer: events(chunk({ content: 'Hello' }, '')),
    expected: { status: { failed: { error: 'the stream ended without its end mark' } } },
  },
  {
    name: 'a stream of nothing',
    request: { stream: true },
    answer: events(': ping\n\n'),
    expected: { status: { failed: { error: 'the stream ended without its end mark' } }, output: null },
  },
  {
    name: "a cut list of Gemini's own API",
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    isForwarded: true,
    request: { contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }] },
    answer: {
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      pieces: ['[{"candidates":[{"content":{"parts":[{"text":"11:"}]}}]}\n', ',\n{"candidates":[{"content":{"parts', 0],
      isCut: true,
    },
    expected: { status: { failed: { error: expect.any(String) } }, output: { text: '11:' } },
  },
  {
    name: "thoughts of Gemini's compatible layer",
    request: { stream: true },
    answer: events(
      chunk({ content: '<thought>Hm', extra_content: { google: { thought: true } } }),
      chunk({ content: '</thought>11:20' }, 'stop'),
      DONE,
    ),
    expected: { output: { text: '11:20', reasoning: 'Hm' } },
  },
  {
    name: 'an error of Groq beside the choices',
    request: { stream: true },
    answer: events(chunk({ content: 'Hel' }, null, { x_groq: { id: 'req_1', error: 'over capacity' } }), DONE),
    expected: { status: { failed: { error: 'over capacity' } }, output: { text: 'Hel' } },
  },
  {
    name: 'a reason and no mark',
    request: { stream: true },
    answer: events(chunk({ content: 'Hello' }), chunk({}, 'stop'), chunk({}, '')),
    expected: { status: 'completed', output: { text: 'Hello', finish_reason: 'stop' } },
  },
  {
    name: 'reasoning beside the completion (xAI)',
    answer: json(
      chatAnswer(
        { content: 'Hi', reasoning_content: 'Hm' },
        {
          usage: {
            prompt_tokens: 32,
            completion_tokens: 9,
            total_tokens: 135,
            completion_tokens_details: { reasoning_tokens: 94 },
          },
        },
      ),
    ),
    expected: { kind: { output_tokens: 103, reasoning_tokens: 94 }, output: { text: 'Hi', reasoning: 'Hm' } },
  },
  {
    name: 'a response in the background',
    path: RESPONSES,
    request: { background: true },
    answer: json({ ...response(), status: 'queued', usage: null, background: true }),
    expected: { status: 'completed', output: { text: null, finish_reason: 'queued' } },
  },
  {
    name: 'hosted tools of a response',
    path: RESPONSES,
    answer: json(
      response(
        { id: 'fs_1', type: 'file_search_call', status: 'completed', queries: ['q1'] },
        { id: 'ci_1', type: 'code_interpreter_call', status: 'completed', code: 'print(1)', container_id: 'c' },
        { id: 'ap_1', type: 'apply_patch_call', call_id: 'call_ap', operation: { type: 'update_file', diff: '@@' } },
        { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'tide' } },
        said,
      ),
    ),
    expected: {
      kind: { web_search_requests: 1 },
      output: {
        text: 'ok',
        tool_calls: [
          { id: 'fs_1', name: 'file_search_call', arguments: ['q1'] },
          { id: 'ci_1', name: 'code_interpreter_call', arguments: 'print(1)' },
          { id: 'call_ap', name: 'apply_patch_call', arguments: { type: 'update_file', diff: '@@' } },
          { id: 'ws_1', name: 'web_search_call', arguments: { type: 'search', query: 'tide' } },
        ],
      },
    },
  },
  {
    name: 'a byte order mark at the head of a stream',
    request: { stream: true },
    answer: events(`\ufeffdata: ${JSON.stringify(chunk({ content: 'A' }))}\n\n`, chunk({ content: 'B' }, 'stop'), DONE),
    expected: { status: 'completed', output: { text: 'AB' } },
  },
  {
    name: 'parallel calls that are all numbered zero',
    request: { stream: true },
    answer: events(
      chunk({
        tool_calls: [{ index: 0, id: 'fc1', function: { name: 'get_weather', arguments: '{"city":"London"}' } }],
      }),
      chunk({ tool_calls: [{ index: 0, id: 'fc2', function: { name: 'get_time', arguments: '{"tz":"UTC"}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ),
    expected: {
      output: {
        tool_calls: [
          { id: 'fc1', name: 'get_weather', arguments: '{"city":"London"}' },
          { id: 'fc2', name: 'get_time', arguments: '{"tz":"UTC"}' },
        ],
      },
    },
  },
  {
    name: 'a compaction of Anthropic',
    path: MESSAGES,
    answer: json({
      type: 'message',
      content: [
        { type: 'compaction', content: 'summary' },
        { type: 'text', text: 'Go on' },
      ],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 1_000,
        output_tokens: 200,
        iterations: [
          { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
          { type: 'message', input_tokens: 1_000, output_tokens: 200 },
        ],
      },
    }),
    expected: { kind: { input_tokens: 181_000, output_tokens: 3_700 }, output: { text: 'Go on' } },
  },
  {
    name: "a stream of Gemini's own API",
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    isForwarded: true,
    request: { contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }] },
    answer: events(
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Hm', thought: true }] }, index: 0 }] },
      {
        candidates: [{ content: { role: 'model', parts: [{ text: '満潮' }] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          ...{ promptTokenCount: 10, candidatesTokenCount: 8, thoughtsTokenCount: 40, totalTokenCount: 58 },
          ...{ cachedContentTokenCount: 4 },
        },
        modelVersion: 'gemini-2.5-flash',
      },
    ),
    expected: {
      kind: {
        ...{ type: 'llm_call', model: 'gemini-2.5-flash', provider: 'custom', input_tokens: 10, output_tokens: 48 },
        ...{ cached_input_tokens: 4, reasoning_tokens: 40 },
      },
      input: [{ role: 'user', content: 'Tide?' }],
      output: { text: '満潮', finish_reason: 'STOP', reasoning: 'Hm' },
    },
  },
  {
    name: 'Claude at Vertex AI',
    path: '/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-5@default:rawPredict',
    isForwarded: true,
    answer: json({
      ...{
        type: 'message',
        model: 'claude-sonnet-5',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
      },
      usage: { input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 2 },
    }),
    expected: {
      kind: {
        model: 'claude-sonnet-5',
        provider: 'custom',
        input_tokens: 10,
        cached_input_tokens: 7,
        output_tokens: 2,
      },
      output: { text: 'Hi', finish_reason: 'end_turn' },
    },
  },
  {
    name: 'a compaction of OpenAI',
    path: '/v1/responses/compact',
    request: { input: [{ role: 'user', content: 'Tide?' }] },
    answer: json({
      ...{ id: 'resp_1', object: 'response.compaction' },
      output: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Tide?' }] },
        { type: 'compaction', encrypted_content: 'x' },
      ],
      usage: { input_tokens: 139, input_tokens_details: { cached_tokens: 8 }, output_tokens: 438, total_tokens: 577 },
    }),
    expected: { kind: { input_tokens: 139, cached_input_tokens: 8, output_tokens: 438 }, output: { text: '' } },
  },
  {
    name: 'usage of Groq',
    request: { stream: true },
    answer: events(
      chunk({ content: 'Hi' }, null, { x_groq: { id: 'req_1' } }),
      chunk({}, 'stop', { x_groq: { id: 'req_1', usage: { prompt_tokens: 40, completion_tokens: 5 } } }),
      DONE,
    ),
    expected: { kind: { input_tokens: 40, output_tokens: 5 } },
  },
  {
    name: 'usage of Moonshot',
    request: { stream: true },
    answer: events(
      chunk({ content: 'Hi' }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 4, completion_tokens: 5 } }] },
      DONE,
    ),
    expected: { kind: { input_tokens: 4, output_tokens: 5 }, output: { text: 'Hi' } },
  },
  {
    name: 'counts of Ollama as texts',
    path: '/api/chat',
    answer: {
      headers: { 'content-type': 'application/x-ndjson' },
      pieces: [
        '{"model":"q","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}\n',
        '{"model":"q","message":{"role":"assistant","content":"Hi"},"done":false}\n',
        '{"model":"q","done":true,"done_reason":"stop","prompt_eval_count":"21","eval_count":"9"}\n',
      ],
    },
    expected: { kind: { input_tokens: 21, output_tokens: 9 }, output: { text: 'Hi', reasoning: 'Hm' } },
  },
];

/** How long thinking goes on before the text, in milliseconds. */
const THINKING_MS = 300;
const thinking: Case = {
  name: 'thinking among the parts of Mistral',
  request: { stream: true },
  answer: events(
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
    THINKING_MS,
    chunk({ content: [{ type: 'text', text: 'Answer' }] }, 'stop'),
    DONE,
  ),
  expected: { output: { text: 'Answer', reasoning: 'Hm' } },
};

let upstream: Server;
let api: FakeApi;
let gateway: StartedGateway;

beforeAll(async () => {
  upstream = createServer((req, res) => {
    const name = decodeURIComponent(String(req.headers['x-case']));
    req.resume().on('end', () => void play([...cases, thinking].find((each) => each.name === name)!.answer, res));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  api = await startFakeApi();
  const { port } = upstream.address() as AddressInfo;
  gateway = await startGateway(`http://127.0.0.1:${port}`, { apiUrl: api.url, reportRunningMs: 600_000 });
});
afterAll(async () => {
  await gateway.close();
  await api.close();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

/** Bytes that the client of the running case has received. */
let received = 0;

async function play({ status = 200, headers = {}, pieces, isCut }: Answer, res: ServerResponse): Promise<void> {
  res.writeHead(status, headers);
  let sent = 0;
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      await until(() => received === sent);
      await pause(piece);
    } else {
      sent += Buffer.byteLength(piece);
      res.write(piece);
    }
  }
  if (isCut) res.socket!.end();
  else res.end();
}

let calls = 0;

/** Makes the call of a case and gives what is recorded of it. */
async function record({ name, path = CHAT, request = {}, isForwarded }: Case): Promise<SentSpan> {
  received = 0;
  const traceId = `case-${++calls}`;
  const { port } = upstream.address() as AddressInfo;
  const headers = {
    ...{ 'x-case': encodeURIComponent(name), 'x-spandrel-trace-id': traceId },
    ...(isForwarded && { 'x-forward-url': `http://127.0.0.1:${port}` }),
  };
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...request }),
  });
  try {
    for await (const bytes of answer.body!) received += bytes.length;
  } catch {
    // A stream that upstream cuts breaks off.
  }
  const found = (): SentSpan | undefined => finished(api).find((span) => span.trace_id === traceId);
  await until(() => found() !== undefined);
  return found()!;
}

describe('what is recorded of an answer', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    expect(await record(each)).toMatchObject({ status: 'completed', ...each.expected });
  });

  it('begins with its thinking', async () => {
    const span = await record(thinking);
    expect(span).toMatchObject({ status: 'completed', ...thinking.expected });
    const tookMs = Date.parse(span.ended_at!) - Date.parse(span.started_at);
    const rounding = 2;
    expect(span.metadata['time_to_first_token_ms']).toBeLessThanOrEqual(tookMs - THINKING_MS + rounding);
  });
});
