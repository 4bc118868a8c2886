/** The gateway's own question for the tokens of streamed calls (`gateway.ask_for_usage`), with the official client. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { FAKE_USAGE } from '../fake-provider/usage.js';
import { recorded, startFakeApi, type FakeApi, type SentSpan } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

let provider: FakeProvider;
let api: FakeApi;
let asking: StartedGateway;
let plain: StartedGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  api = await startFakeApi();
  asking = await startGateway(provider.url, { apiUrl: api.url, askForUsage: true });
  plain = await startGateway(provider.url, { apiUrl: api.url });
});
afterAll(async () => {
  await plain?.close();
  await asking?.close();
  await api?.close();
  await provider?.close();
});
afterEach(async () => {
  // A recording that comes late would be the next test's.
  await recorded(api, provider.requests.filter(({ url }) => !url.includes('/images/')).length);
  api.spans.clear();
  provider.requests.length = 0;
});

const messages = [{ role: 'user' as const, content: 'When is high water in 長崎? 🌊' }];
const said = 'You said: When is high water in 長崎? 🌊';
const tokens = { input_tokens: FAKE_USAGE.input, output_tokens: FAKE_USAGE.output };
const ASKED = ',"stream_options":{"include_usage":true}}';

const openai = ({ url }: StartedGateway): OpenAI =>
  new OpenAI({ apiKey: 'sk-canary-0123456789', baseURL: `${url}/v1`, maxRetries: 0 });

async function stream(gateway: StartedGateway, more: Partial<OpenAI.ChatCompletionCreateParams> = {}) {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  const answer = await openai(gateway).chat.completions.create({
    model: 'gpt-4o-mini',
    messages,
    ...more,
    stream: true,
  });
  for await (const chunk of answer) chunks.push(chunk);
  return chunks;
}

/** A call with bytes of its own. @returns what the client got, and what went to the provider. */
async function send(
  gateway: StartedGateway,
  body: string,
  { path = '/v1/chat/completions', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const received = Buffer.from(await answer.arrayBuffer());
  const { answer: sent, ...request } = provider.requests.at(-1)!;
  return { answer, received, sent: sent.body, request };
}

const textOf = (chunks: OpenAI.ChatCompletionChunk[]): string =>
  chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('');
const span = async (): Promise<SentSpan> => (await recorded(api))[0]!;
const streamed = (model = 'gpt-4o'): string => JSON.stringify({ model, messages, stream: true });

describe('a streamed call whose client did not ask for usage', () => {
  it('has no tokens and its span says why', async () => {
    const chunks = await stream(plain);
    expect(textOf(chunks)).toBe(said);
    expect(provider.requests[0]!.body.toString()).not.toContain('stream_options');
    const { kind, metadata, status } = await span();
    expect([status, kind['input_tokens'], metadata['usage_missing']]).toEqual(['completed', null, true]);
  });

  it('has its tokens where the gateway asks, and the client sees nothing of it', async () => {
    const chunks = await stream(asking);
    expect(textOf(chunks)).toBe(said);
    for (const { choices } of chunks) expect(choices).toHaveLength(1);
    expect(JSON.parse(provider.requests[0]!.body.toString())).toMatchObject({
      stream_options: { include_usage: true },
    });
    const { kind, metadata, output } = await span();
    expect(kind).toMatchObject(tokens);
    expect(metadata).not.toHaveProperty('usage_missing');
    expect(metadata['request']).toEqual({ stream: true });
    expect(output).toEqual({ text: said, finish_reason: 'stop' });
  });

  it('has every other byte of request and answer unchanged, in whatever pieces the answer comes', async () => {
    for (const model of ['gpt-4o', 'fake:split', 'fake:tools', 'fake:slow-stream:1']) {
      const body = ` ${streamed(model)}\n`;
      const { received, sent, request } = await send(asking, body);
      expect(request.body.toString()).toBe(body.replace('}\n', `${ASKED}\n`));
      expect(request.rawHeaders[request.rawHeaders.findIndex((name) => /^content-length$/i.test(name)) + 1]).toBe(
        String(request.body.length),
      );
      const events = sent.toString().split(/(?<=\n\n)/);
      const extra = events.filter((event) => event.includes('"choices":[]'));
      expect(extra).toHaveLength(1);
      expect(received.toString()).toBe(events.filter((event) => !extra.includes(event)).join(''));
    }
  });

  it('has its tokens where the client takes compressed answers', async () => {
    const { received, request } = await send(asking, streamed('fake:x'), {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(request.rawHeaders.join('\n').toLowerCase()).toContain('accept-encoding\nidentity');
    expect(received.toString()).not.toContain('"choices":[]');
    expect((await span()).kind).toMatchObject(tokens);
  });

  it('gets an answer as it is that comes compressed nonetheless', async () => {
    const { answer, received } = await send(asking, streamed('fake:gzip'));
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(received.toString()).toMatch(/"choices":\[\].*\[DONE\]\n\n$/s);
    expect((await span()).kind).toMatchObject(tokens);
  });

  it('is asked about at the older completions too', async () => {
    const body = '{"model":"gpt-3.5-turbo-instruct","prompt":"Once","stream":true}';
    const { received, request } = await send(asking, body, { path: '/v1/completions' });
    expect(request.body.toString()).toBe(body.replace(/}$/, ASKED));
    expect(received.toString()).toMatch(/^(?!.*"choices":\[\]).*\[DONE\]\n\n$/s);
    expect((await span()).kind).toMatchObject(tokens);
  });

  it('keeps what came before a cut', async () => {
    const call = stream(asking, { model: 'fake:cut:5+slow-stream:5' });
    await expect(call).rejects.toThrow();
    const { status, output } = await span();
    expect(status).toEqual({ failed: { error: expect.stringMatching(/closed the connection/) } });
    expect(output?.text).not.toBe('');
  });

  it('gets an error of the provider as it is', async () => {
    const { answer, received, sent } = await send(asking, streamed('fake:error-400'));
    expect([answer.status, received.equals(sent)]).toEqual([400, true]);
  });
});

describe('the gateway that asks for usage leaves alone', () => {
  it('a call whose client has asked', async () => {
    const chunks = await stream(asking, { stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: FAKE_USAGE.input } });
    expect((await span()).kind).toMatchObject(tokens);
  });

  it.each([
    ['a call that is not streamed', JSON.stringify({ model: 'gpt-4o', messages }), {}],
    ['a body that is not JSON', 'stream "stream":true', {}],
    ['a body with a member twice', '{"model":"gpt-4o","stream":true,"stream":true}', {}],
    ['a body over the limit', streamed('x'.repeat(1024 * 1024)), {}],
    ['a body that is signed', streamed(), { headers: { 'content-digest': 'sha-256=:abc=:' } }],
    ['a Responses call', '{"model":"gpt-4o","input":"Hi","stream":true}', { path: '/v1/responses' }],
    ['an Anthropic call', '{"model":"c","max_tokens":5,"messages":[],"stream":true}', { path: '/v1/messages' }],
    ['an Ollama call', '{"model":"l","messages":[],"stream":true}', { path: '/api/chat' }],
    ['an endpoint that is not recorded', '{"model":"l","stream":true}', { path: '/v1/images/generations' }],
  ])('%s', async (_what, body, to) => {
    const { received, sent, request } = await send(asking, body, to);
    expect(request.body.toString()).toBe(body);
    expect(received.equals(sent)).toBe(true);
  });
});
