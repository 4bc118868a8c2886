/** Calls of official clients that an application observes: their spans end, whichever way the answer is read. */
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Spandrel } from '@spandrel/sdk';
import { streamObject, streamText } from 'ai';
import { streamText as streamText6 } from 'ai6';
import { createOpenAI as createOpenAI6 } from 'ai6-openai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { FakeIngest } from './support/fake-ingest.ts';

const SAID = 'You said: When is high water?';
const messages = [{ role: 'user' as const, content: 'When is high water?' }];
const chat = { model: 'gpt-4o-mini', messages };
const claude = { model: 'claude-opus-5', max_tokens: 100, messages };
const failing = { ...chat, model: 'fake:error-500' };
const cut = { ...chat, model: 'fake:cut:4+slow-stream:10' };

let provider: FakeProvider;
let openai: OpenAI;
let anthropic: Anthropic;
let ollama: Ollama;
beforeAll(async () => {
  provider = await startFakeProvider();
  openai = new OpenAI({ apiKey: 'sk-fake', baseURL: `${provider.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: 'sk-fake', baseURL: provider.url, maxRetries: 0 });
  ollama = new Ollama({ host: provider.url });
});
afterAll(() => provider?.close());

function lab() {
  const server = new FakeIngest();
  const spandrel = new Spandrel({ fetch: server.fetch });
  provider.requests.length = 0;
  /** The span as it is when the application has read what it wants. */
  const span = async (): Promise<Record<string, unknown>> => {
    await spandrel.flush();
    const [span, ...others] = server.spans.values();
    expect(others).toEqual([]);
    return span!;
  };
  return { spandrel, span, observe: spandrel.observe.bind(spandrel) };
}

async function readAll<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('a promise of a client', () => {
  const ask = () => openai.chat.completions.create(chat);
  type Answer = ReturnType<typeof ask>;

  it.each<[string, (answer: Answer) => unknown]>([
    ['await', (answer) => answer],
    ['catch', (answer) => answer.catch(() => undefined)],
    ['finally', (answer) => answer.finally(() => undefined)],
    ['withResponse', (answer) => answer.withResponse()],
    ['race', (answer) => Promise.race([answer, new Promise(() => undefined)])],
    ['all, twice', (answer) => Promise.all([answer, answer])],
    ['_thenUnwrap', (answer) => (answer as unknown as { _thenUnwrap(map: unknown): Answer })._thenUnwrap((all: unknown) => all)], // prettier-ignore
  ])('is read by %s', async (_way, read) => {
    const { observe, span } = lab();
    const answer = observe(ask, { name: 'ask' })();
    expect(answer.constructor.name).toBe('APIPromise');
    await read(answer);
    expect(await span()).toMatchObject({
      status: 'completed',
      output: { choices: [{ message: { content: SAID } }], usage: { total_tokens: expect.any(Number) } },
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('gives the response itself, whose body is the reader’s', async () => {
    const { observe, span } = lab();
    const response = await observe(ask)().asResponse();
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: SAID } }] });
    expect(await span()).toMatchObject({ status: 'completed' });
    expect(provider.requests).toHaveLength(1);
  });

  it.each<[string, (answer: Answer) => Promise<unknown>]>([
    ['then', (answer) => answer.then(() => undefined, () => undefined)], // prettier-ignore
    ['catch', (answer) => answer.catch(() => undefined)],
    ['finally', (answer) => answer.finally(() => undefined).catch(() => undefined)],
    ['withResponse', (answer) => answer.withResponse().catch(() => undefined)],
    ['asResponse', (answer) => answer.asResponse().catch(() => undefined)],
  ])('that is rejected is read by %s', async (_way, read) => {
    const { observe, span } = lab();
    await read(observe(() => openai.chat.completions.create(failing))());
    expect(await span()).toMatchObject({ status: 'failed', error: expect.stringContaining('fake provider error 500') });
  });

  it('is tried again by a helper for it, and both calls are there', async () => {
    const server = new FakeIngest();
    const spandrel = new Spandrel({ fetch: server.fetch });
    const models = [failing, chat];
    const once = spandrel.observe(() => openai.chat.completions.create(models.shift()!));
    const answer = await once().catch(() => once());
    expect(answer.choices[0]!.message.content).toBe(SAID);
    await spandrel.flush();
    expect([...server.spans.values()].map(({ status }) => status).toSorted()).toEqual(['completed', 'failed']);
  });

  it('of Anthropic is read by withResponse, and as a stream', async () => {
    const { observe, span } = lab();
    const { data } = await observe(() => anthropic.messages.create({ ...claude, stream: true }))().withResponse();
    const events = await readAll(data);
    const sent = await span();
    expect(sent).toMatchObject({ status: 'completed' });
    expect(sent['output']).toEqual(JSON.parse(JSON.stringify(events)));
  });
});

describe('a stream of a client', () => {
  const stream = () => openai.chat.completions.create({ ...chat, stream: true });

  it.each([0, 1])('that is divided is followed where its part %i is read', async (index) => {
    const { observe, span } = lab();
    const parts = (await observe(stream)()).tee();
    const chunks = await readAll(parts[index]!);
    expect(chunks.length).toBeGreaterThan(3);
    expect((await span())['output']).toEqual(chunks);
  });

  it('that is divided ends once, though one part is left early', async () => {
    const { observe, span } = lab();
    const [one, two] = (await observe(stream)()).tee();
    for await (const _ of one) break;
    const chunks = await readAll(two);
    expect(await span()).toMatchObject({ status: 'completed' });
    expect(chunks.length).toBeGreaterThan(3);
  });

  it('is followed as a web stream', async () => {
    const { observe, span } = lab();
    await readAll((await observe(stream)()).toReadableStream() as ReadableStream<Uint8Array>);
    expect((await span())['output']).toContainEqual(expect.objectContaining({ object: 'chat.completion.chunk' }));
  });

  it('that breaks has what came before', async () => {
    const { observe, span } = lab();
    const broken = await observe(() => openai.chat.completions.create({ ...cut, stream: true }))();
    await expect(readAll(broken)).rejects.toThrow();
    expect(await span()).toMatchObject({
      status: 'failed',
      output: expect.arrayContaining([expect.objectContaining({ object: 'chat.completion.chunk' })]),
    });
  });

  it('of Ollama is followed', async () => {
    const { observe, span } = lab();
    const made = await observe(() => ollama.chat({ model: 'llama3.2', messages, stream: true }))();
    expect(made.constructor.name).toBe('AbortableAsyncIterator');
    const parts = await readAll(made);
    expect(parts.length).toBeGreaterThan(2);
    const sent = await span();
    expect([sent['status'], (sent['output'] as unknown[]).length]).toEqual(['completed', parts.length]);
  });
});

describe('a runner of streams', () => {
  const openAiRunner = () => openai.chat.completions.stream(chat);
  const completion = { choices: [{ message: { role: 'assistant', content: SAID }, finish_reason: 'stop' }] };
  const message = { role: 'assistant', content: [{ type: 'text', text: SAID }], stop_reason: 'end_turn' };

  it.each<[string, (runner: ReturnType<typeof openAiRunner>) => unknown]>([
    ['finalChatCompletion', (runner) => runner.finalChatCompletion()],
    ['finalContent', (runner) => runner.finalContent()],
    ['done', (runner) => runner.done()],
    ['events', (runner) => new Promise<void>((done) => runner.on('end', done))],
    ['iteration', (runner) => readAll(runner)],
  ])('of OpenAI ends with the completion, read by %s', async (_way, read) => {
    const { observe, span } = lab();
    await read(observe(openAiRunner)());
    expect(await span()).toMatchObject({ status: 'completed', output: completion });
  });

  it.each<[string, (runner: ReturnType<typeof anthropic.messages.stream>) => unknown]>([
    ['finalMessage', (runner) => runner.finalMessage()],
    ['iteration', (runner) => readAll(runner)],
    ['events', (runner) => new Promise<void>((done) => runner.on('end', done))],
  ])('of Anthropic ends with the message, read by %s', async (_way, read) => {
    const { observe, span } = lab();
    await read(observe(() => anthropic.messages.stream(claude))());
    expect(await span()).toMatchObject({ status: 'completed', output: message });
  });

  it('of the Responses API ends with the response', async () => {
    const { observe, span } = lab();
    await observe(() => openai.responses.stream({ model: 'gpt-4o-mini', input: 'When?' }))().finalResponse();
    expect(await span()).toMatchObject({ status: 'completed', output: { object: 'response', status: 'completed' } });
  });

  it.each<[string, (runner: ReturnType<typeof anthropic.beta.messages.toolRunner>) => unknown]>([
    ['await', (runner) => runner],
    ['iteration', (runner) => readAll(runner as AsyncIterable<unknown>)],
    ['runUntilDone', (runner) => runner.runUntilDone()],
  ])('of tools, which begins when it is asked, is read by %s', async (_way, read) => {
    const { observe, span } = lab();
    await read(observe(() => anthropic.beta.messages.toolRunner({ ...claude, tools: [] }))());
    expect(await span()).toMatchObject({ status: 'completed', output: [message] });
    expect(provider.requests).toHaveLength(1);
  });

  it('that an async function gives, or that ended before, has its answer too', async () => {
    const { observe, span } = lab();
    await observe(async () => {
      const runner = anthropic.messages.stream(claude);
      await runner.done();
      return runner;
    })();
    expect(await span()).toMatchObject({ status: 'completed', output: message });
  });

  it('that fails fails its span, and its error is nobody’s unless somebody listens', async () => {
    const { observe, span } = lab();
    await expect(observe(() => openai.chat.completions.stream(failing))().done()).rejects.toThrow('500');
    expect(await span()).toMatchObject({ status: 'failed', error: expect.stringContaining('500') });
  });

  it('that is cut has what came before', async () => {
    const { observe, span } = lab();
    const runner = observe(() => anthropic.messages.stream({ ...claude, model: 'fake:cut:4+slow-stream:10' }))();
    await expect(runner.finalMessage()).rejects.toThrow();
    const sent = await span();
    expect(sent).toMatchObject({ status: 'failed', output: { role: 'assistant' } });
  });

  it.each([
    ['OpenAI', openAiRunner],
    ['Anthropic', () => anthropic.messages.stream(claude)],
  ] as const)('of %s whose reader stops early is completed', async (_name, make) => {
    const { observe, span } = lab();
    for await (const _ of observe(make as () => AsyncIterable<unknown>)()) break;
    expect(await span()).toMatchObject({ status: 'completed' });
  });
});

describe('the AI SDK', () => {
  const model = (name = 'gpt-4o-mini') => createOpenAI({ apiKey: 'sk-fake', baseURL: `${provider.url}/v1` }).chat(name);
  const quiet = { maxRetries: 0, onError: () => undefined, prompt: 'When is high water?' };
  const text = (name?: string) => streamText({ ...quiet, model: model(name) });
  type Result = ReturnType<typeof text>;

  it.each<[string, (result: Result) => unknown]>([
    ['textStream', (result) => readAll(result.textStream)],
    ['fullStream', (result) => readAll(result.fullStream)],
    ['text', (result) => result.text],
    ['usage', (result) => result.usage],
    ['consumeStream', (result) => result.consumeStream()],
    ['a response', (result) => result.toTextStreamResponse().text()],
    ['a response of messages', (result) => result.toUIMessageStreamResponse().text()],
    ['both', (result) => Promise.all([readAll(result.textStream), result.text, result.finishReason])],
  ])('gives a text that is read by %s', async (_way, read) => {
    const { observe, span } = lab();
    const result = observe(() => text())();
    expect(result.constructor.name).toBe('DefaultStreamTextResult');
    await read(result);
    expect(await span()).toMatchObject({ status: 'completed', output: SAID });
    expect(provider.requests).toHaveLength(1);
  });

  it('in version 6 is followed alike', async () => {
    const text6 = (name: string) =>
      streamText6({ ...quiet, model: createOpenAI6({ apiKey: 'sk-fake', baseURL: `${provider.url}/v1` }).chat(name) });
    const whole = lab();
    await readAll(whole.observe(() => text6('gpt-4o-mini'))().textStream);
    expect(await whole.span()).toMatchObject({ status: 'completed', output: SAID });
    const broken = lab();
    await readAll(broken.observe(() => text6('fake:error-500'))().textStream);
    expect(await broken.span()).toMatchObject({ status: 'failed', error: expect.stringContaining('500') });
  });

  it('gives a stream by itself', async () => {
    const { observe, span } = lab();
    const read = await readAll(observe(() => text().textStream)());
    expect(read.join('')).toBe(SAID);
    expect(await span()).toMatchObject({ status: 'completed', output: SAID });
  });

  it('stops when its reader does', async () => {
    const { observe, span } = lab();
    for await (const _ of observe(() => text())().textStream) break;
    const { status, output } = await span();
    expect([status, SAID.startsWith(output as string)]).toEqual(['completed', true]);
  });

  it.each<[string, (result: Result) => unknown]>([
    ['textStream', (result) => readAll(result.textStream)],
    ['fullStream', (result) => readAll(result.fullStream)],
    ['text', (result) => Promise.resolve(result.text).catch(() => undefined)],
  ])('fails, though %s does not', async (_way, read) => {
    const { observe, span } = lab();
    await read(observe(() => text('fake:error-500'))());
    expect(await span()).toMatchObject({ status: 'failed', error: expect.stringContaining('fake provider error 500') });
  });

  it('gives an object', async () => {
    const { observe, span } = lab();
    const result = observe(() =>
      streamObject({ ...quiet, model: model('fake:judge:1'), output: 'no-schema', prompt: 'Judge.' } as never),
    )() as unknown as { partialObjectStream: AsyncIterable<unknown> };
    await readAll(result.partialObjectStream);
    expect(await span()).toMatchObject({ status: 'completed', output: { score: 1, reason: 'so it seems' } });
  });
});
