import { connect } from 'node:net';
import { request as httpRequest } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from './start-fake-provider.ts';

let fake: FakeProvider;
let openai: OpenAI;
let anthropic: Anthropic;
let ollama: Ollama;

beforeAll(async () => {
  fake = await startFakeProvider();
  openai = new OpenAI({ baseURL: `${fake.url}/v1`, apiKey: 'sk-fake-1', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: fake.url, apiKey: 'sk-ant-fake-1', maxRetries: 0 });
  ollama = new Ollama({ host: fake.url });
});
beforeEach(() => void fake.requests.splice(0));
afterAll(() => fake.close());

const SAID = 'You said: 潮 is tide 🌊';
const messages = [{ role: 'user' as const, content: '潮 is tide 🌊' }];

async function listOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('with the openai package', () => {
  it('answers chat completions', async () => {
    const answer = await openai.chat.completions.create({ model: 'gpt-5.1', messages });
    expect(answer.choices[0]?.message.content).toBe(SAID);
    expect(answer.usage?.total_tokens).toBe(18);
  });

  it('streams chat completions, with usage when asked for', async () => {
    const stream = await openai.chat.completions.create({
      model: 'fake:cached+reasoning',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await listOf(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(SAID);
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 11,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  it('knows the answer with a chance, the same calls always having the same luck', async () => {
    const ask = async (model: string, content: string): Promise<boolean> => {
      const { choices } = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });
      return choices[0]!.message.content!.startsWith('You said');
    };
    const texts = Array.from({ length: 40 }, (_, i) => `question ${i}`);
    const known = (model: string): Promise<boolean[]> => Promise.all(texts.map((text) => ask(model, text)));
    const first = await known('fake:chance:0.5');
    expect(first.filter(Boolean).length).toBeGreaterThan(10);
    expect(first.filter(Boolean).length).toBeLessThan(30);
    // Asked again they are other calls; asked of a provider that was never asked they are the same ones.
    expect(await known('fake:chance:0.5')).not.toEqual(first);
    const other = await startFakeProvider();
    openai.baseURL = `${other.url}/v1`;
    expect(await known('fake:chance:0.5')).toEqual(first);
    openai.baseURL = `${fake.url}/v1`;
    await other.close();
    expect(new Set(await known('fake:chance:1'))).toEqual(new Set([true]));
  });

  it('streams tool calls', async () => {
    const stream = openai.chat.completions.stream({ model: 'fake:tools', messages });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"harbour":"長崎"}' } });
  });

  it('answers and streams Responses', async () => {
    const whole = await openai.responses.create({ model: 'gpt-5.1', input: '潮 is tide 🌊' });
    expect(whole.output_text).toBe(SAID);
    const streamed = await openai.responses.stream({ model: 'gpt-5.1', input: messages }).finalResponse();
    expect(streamed.output_text).toBe(SAID);
    expect(streamed.usage?.output_tokens).toBe(7);
    const tools = await openai.responses.stream({ model: 'fake:tools', input: messages }).finalResponse();
    expect(tools.output[0]).toMatchObject({ type: 'function_call', arguments: '{"harbour":"長崎"}' });
  });

  it('answers completions, embeddings and models', async () => {
    const model = 'gpt-3.5-turbo-instruct';
    expect((await openai.completions.create({ model, prompt: 'hi' })).choices[0]?.text).toBe('You said: hi');
    const chunks = await listOf(await openai.completions.create({ model, prompt: 'hi', stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe('You said: hi');
    const embeddings = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
    expect(embeddings.data.map(({ embedding }) => embedding)).toEqual([
      [0.5, -0.25, 0.125, 1],
      [0.5, -0.25, 0.125, 1],
    ]);
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain('gpt-5.1');
  });

  it.each([400, 401, 429, 500])('answers errors: %i', async (status) => {
    await expect(openai.chat.completions.create({ model: `fake:error-${status}`, messages })).rejects.toMatchObject({
      status,
    });
  });

  it('repeats the key in an error', async () => {
    const call = openai.chat.completions.create({ model: 'fake:error-key', messages });
    await expect(call).rejects.toThrow('sk-fake-1');
  });

  it.each(['gzip', 'br', 'deflate', 'split', 'gzip+split', 'slow:20+slow-stream:1', 'early-hints'])(
    'answers and streams with %s',
    async (scenario) => {
      const model = `fake:${scenario}`;
      const whole = await openai.chat.completions.create({ model, messages });
      expect(whole.choices[0]?.message.content).toBe(SAID);
      const chunks = await listOf(await openai.chat.completions.create({ model, messages, stream: true }));
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(SAID);
    },
  );

  it.each([
    ['cut', 'terminated'],
    ['garbage', 'JSON'],
  ])('fails on %s', async (scenario, message) => {
    await expect(openai.chat.completions.create({ model: `fake:${scenario}`, messages })).rejects.toThrow(message);
  });
});

describe('with the Anthropic package', () => {
  const ask = { max_tokens: 64, messages };

  it('answers messages', async () => {
    const answer = await anthropic.messages.create({ model: 'fake:cached', ...ask });
    expect(answer.content).toMatchObject([{ type: 'text', text: SAID }]);
    expect(answer.usage).toMatchObject({ input_tokens: 5, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 });
  });

  it('streams messages', async () => {
    const answer = await anthropic.messages.stream({ model: 'fake:reasoning', ...ask }).finalMessage();
    expect(answer.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: SAID }]);
    expect(answer.usage.output_tokens).toBe(7);
    const tools = await anthropic.messages.stream({ model: 'fake:tools', ...ask }).finalMessage();
    expect(tools.content).toMatchObject([{ type: 'tool_use', input: { harbour: '長崎' } }]);
  });

  it('counts tokens and says that it is overloaded', async () => {
    expect(await anthropic.messages.countTokens({ model: 'claude-sonnet-5', messages })).toMatchObject({
      input_tokens: 11,
    });
    const call = anthropic.messages.create({ model: 'fake:error-529', ...ask });
    await expect(call).rejects.toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
  });
});

describe('with the ollama package', () => {
  it('answers and streams chat and generate', async () => {
    expect((await ollama.chat({ model: 'llama3.2', messages })).message.content).toBe(SAID);
    const chat = await listOf(await ollama.chat({ model: 'fake:split', messages, stream: true }));
    expect(chat.map(({ message }) => message.content).join('')).toBe(SAID);
    expect(chat.at(-1)).toMatchObject({ done: true, prompt_eval_count: 11, eval_count: 7 });
    expect((await ollama.generate({ model: 'llama3.2', prompt: 'hi' })).response).toBe('You said: hi');
    const generated = await listOf(await ollama.generate({ model: 'llama3.2', prompt: 'hi', stream: true }));
    expect(generated.map(({ response }) => response).join('')).toBe('You said: hi');
  });

  it('calls tools, embeds, lists models, and fails', async () => {
    const { message } = await ollama.chat({ model: 'fake:tools', messages });
    expect(message.tool_calls?.[0]?.function.arguments).toEqual({ harbour: '長崎' });
    expect((await ollama.embed({ model: 'all-minilm', input: 'a' })).prompt_eval_count).toBe(11);
    expect((await ollama.list()).models[0]?.name).toBe('llama3.2:latest');
    await expect(ollama.chat({ model: 'fake:error-500', messages })).rejects.toThrow('fake provider error 500');
  });
});

describe('fake provider', () => {
  const body = JSON.stringify({ model: 'm', messages, stream: true });
  const post = (scenario: string, init: RequestInit = {}) =>
    fetch(`${fake.url}/v1/chat/completions?a=1`, { method: 'POST', body, headers: { 'X-Fake': scenario }, ...init });

  it('keeps requests whole, and the bytes it answered', async () => {
    const answer = Buffer.from(await (await post('slow-stream:1')).arrayBuffer());
    const [recorded] = fake.requests;
    expect(recorded).toMatchObject({ method: 'POST', url: '/v1/chat/completions?a=1', aborted: false });
    expect(recorded?.rawHeaders).toContain('X-Fake');
    expect(recorded?.body.toString()).toBe(body);
    expect(recorded?.answer).toMatchObject({ status: 200, complete: true });
    expect(recorded?.answer.body.equals(answer)).toBe(true);
  });

  it('can answer nothing, no content, and the head only', async () => {
    await expect(post('hang', { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
    while (!fake.requests[0]?.aborted) await new Promise(setImmediate);
    expect((await post('204')).status).toBe(204);
    expect(await (await post('empty')).text()).toBe('');
    expect((await fetch(`${fake.url}/v1/models`, { method: 'HEAD' })).headers.get('content-length')).toBe('42');
  });

  it('cuts a stream', async () => {
    await expect(post('cut:2').then((response) => response.text())).rejects.toThrow('terminated');
    expect(fake.requests[0]?.answer).toMatchObject({ complete: false });
    expect(fake.requests[0]?.answer.body.toString()).toContain('You');
  });

  it('cuts a whole answer in its middle', async () => {
    const whole = JSON.stringify({ model: 'm', messages });
    await expect(post('cut', { body: whole }).then((response) => response.text())).rejects.toThrow('terminated');
    const [recorded] = fake.requests;
    expect(recorded?.answer.body.length).toBeLessThan(Number(recorded?.answer.headers['content-length']));
  });

  it('encodes with zstd', async () => {
    const response = await post('zstd');
    expect(response.headers.get('content-encoding')).toBe('zstd');
    await response.arrayBuffer();
  });

  it('sends early hints first', async () => {
    const statuses = await new Promise<number[]>((resolve, reject) => {
      const seen: number[] = [];
      const request = httpRequest(`${fake.url}/v1/models`, { headers: { 'x-fake': 'early-hints' } }, (response) => {
        response.resume().on('end', () => resolve([...seen, response.statusCode ?? 0]));
      });
      request
        .on('information', ({ statusCode }) => seen.push(statusCode))
        .on('error', reject)
        .end();
    });
    expect(statuses).toEqual([103, 200]);
  });

  it('can say a lot', async () => {
    const said = await (await post('huge:256')).text();
    expect(said.length).toBeGreaterThan(256 * 1024 * 0.7);
  });

  it('echoes WebSocket text', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${fake.port}/v1/realtime`);
    const echoed = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send('潮 🌊'.repeat(40));
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = reject;
    });
    socket.close();
    expect(echoed).toBe('潮 🌊'.repeat(40));
  });

  it('closes although connections are open', async () => {
    const other = await startFakeProvider();
    const socket = connect(other.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    await other.close();
    socket.destroy();
  });
});
