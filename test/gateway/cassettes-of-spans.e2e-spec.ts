/** Calls that the gateway recorded as spans are put together as a cassette, and real clients are answered from it. */
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { expect, it } from '@jest/globals';
import { createLogger, loadPlugins, loadSettings } from '@spandrel/kernel';
import { generateText, streamText } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { readCassette } from '../../apps/gateway/src/cassette/cassette-file.ts';
import { CommandLine } from '../cli/command-line.ts';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { startGateway, type StartedGateway } from './support/start.ts';

const { core } = loadSettings([], { args: [], env: {}, cwd: process.cwd() });
const { maskers } = await loadPlugins(core.plugins, createLogger('silent', 'test'), ['masker']);

const TRACE = '01cassette0trace';
const user = (content: string) => [{ role: 'user' as const, content }];
const parameters = { type: 'object' as const, properties: {} };
const tool = { type: 'function' as const, function: { name: 'get_tide', parameters } };
const clients = (url: string, headers: Record<string, string>) => ({
  openai: new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers }),
  anthropic: new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0, defaultHeaders: headers }),
  ollama: new Ollama({ host: url, headers }),
  aiSdk: createOpenAI({ apiKey: 'none', baseURL: `${url}/v1`, headers }),
});
type Clients = ReturnType<typeof clients>;

async function last<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** A step of an agent, with a call of a tool and what it answered. */
const CALLED = [
  ...user('when is the tide?'),
  {
    role: 'assistant' as const,
    tool_calls: [{ id: 'call_1', type: 'function' as const, function: { name: 'get_tide', arguments: '{}' } }],
  },
  { role: 'tool' as const, tool_call_id: 'call_1', content: '11:20' },
];

/** What clients make of answers: texts, calls of tools, tokens. */
const calls: Record<string, (by: Clients) => Promise<unknown>> = {
  chat: async ({ openai }) => {
    const messages = [{ role: 'system' as const, content: 'Be brief.' }, ...user('tides? 🌊')];
    const { choices, usage } = await openai.chat.completions.create({ model: 'gpt-5.1', temperature: 0.5, messages });
    return [choices[0]!.message.content, choices[0]!.finish_reason, usage?.total_tokens];
  },
  'chat: a stream': async ({ openai }) => {
    const stream_options = { include_usage: true };
    const stream = openai.chat.completions.stream({ model: 'gpt-5.1', stream_options, messages: user('and now?') });
    const { choices, usage } = await stream.finalChatCompletion();
    return [choices[0]!.message.content, choices[0]!.finish_reason, usage?.total_tokens];
  },
  'chat: tools': async ({ openai }) => {
    const body = { model: 'gpt-5.1', messages: user('fake:tools'), tools: [tool] };
    const whole = await openai.chat.completions.create(body);
    const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
    return [whole, streamed].map(({ choices }) => {
      const [{ function: called }] = choices[0]!.message.tool_calls as [OpenAI.ChatCompletionMessageFunctionToolCall];
      return [called.name, called.arguments, choices[0]!.message.content, choices[0]!.finish_reason];
    });
  },
  'chat: an agent': async ({ openai }) => {
    const { choices } = await openai.chat.completions.create({ model: 'gpt-5.1', messages: CALLED, tools: [tool] });
    return choices[0]!.message.content;
  },
  'chat: an error': ({ openai }) =>
    openai.chat.completions
      .create({ model: 'gpt-5.1', messages: user('fake:error-429') })
      .catch((error: Error & { status: number }) => [error.constructor.name, error.status, error.message]),
  responses: async ({ openai }) => {
    const {
      output_text: text,
      status,
      usage,
    } = await openai.responses.create({
      ...{ model: 'gpt-5.1', instructions: 'Be brief.', input: 'tides?' },
    });
    return [text, status, usage?.total_tokens];
  },
  'responses: a stream': async ({ openai }) => {
    const { output_text: text } = await openai.responses
      .stream({ model: 'gpt-5.1', input: user('now?') })
      .finalResponse();
    return text;
  },
  'responses: tools': async ({ openai }) => {
    const tools = [{ type: 'function' as const, name: 'get_tide', parameters, strict: false }];
    const stream = openai.responses.stream({ model: 'gpt-5.1', input: 'fake:tools', tools });
    return (await stream.finalResponse()).output.map((item) => item.type === 'function_call' && item.arguments);
  },
  anthropic: async ({ anthropic }) => {
    const body = { model: 'claude-opus-4-8', max_tokens: 9, system: 'Be brief.', messages: user('fake:cached tides?') };
    const { content, stop_reason: reason, usage } = await anthropic.messages.create(body);
    return [content, reason, usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens];
  },
  'anthropic: streams': async ({ anthropic }) => {
    const tools = [{ name: 'get_tide', input_schema: parameters }];
    const said = ['now?', 'fake:tools'].map((content) =>
      anthropic.messages
        .stream({ model: 'claude-opus-4-8', max_tokens: 9, messages: user(content), tools })
        .finalMessage(),
    );
    return (await Promise.all(said)).map(({ content, stop_reason: reason }) => [content, reason]);
  },
  'anthropic: thoughts': async ({ anthropic }) => {
    const body = { model: 'claude-opus-4-8', max_tokens: 9, messages: user('fake:reasoning tides?') };
    const said = [await anthropic.messages.create(body), await anthropic.messages.stream(body).finalMessage()];
    return said.map(({ content }) => content.map((block) => (block.type === 'thinking' ? block.thinking : block)));
  },
  'ai sdk': async ({ aiSdk }) => {
    const said: string[] = [];
    for (const model of [aiSdk.chat('gpt-5.1'), aiSdk.responses('gpt-5.1')]) {
      const { textStream, text } = streamText({ model, system: 'Be brief.', prompt: 'tides, by the SDK?' });
      said.push((await last(textStream)).join(''), await text, (await generateText({ model, prompt: 'hm?' })).text);
    }
    return said;
  },
  ollama: async ({ ollama }) => (await ollama.chat({ model: 'llama3', messages: user('tides?') })).message,
  'ollama: a stream': async ({ ollama }) => {
    const parts = await last(await ollama.chat({ model: 'llama3', stream: true, messages: user('now?') }));
    return [parts.map(({ message }) => message.content).join(''), parts.at(-1)!.done, parts.at(-1)!.eval_count];
  },
  'ollama: tools': async ({ ollama }) =>
    (await ollama.chat({ model: 'llama3', messages: user('fake:tools'), tools: [tool] })).message.tool_calls,
};

describeOnBothDatabases('cassettes of spans', ({ newDatabase }) => {
  it('answer clients as they were answered, and say what is left out', async () => {
    const dir = tempDir();
    const provider = await startFakeProvider();
    const server = await startServerApp(await newDatabase('cassettes'));
    let gateway: StartedGateway | undefined;
    const start = async (): Promise<StartedGateway> => {
      await gateway?.close();
      const cassettes = { dir, mode: 'replay', timing: 'none', name: null } as const;
      return (gateway = await startGateway(provider.url, { apiUrl: server.url }, { maskers, cassettes }));
    };
    try {
      const { url } = await start();
      const recorded: Record<string, unknown> = {};
      const by = clients(url, { 'X-Spandrel-Trace-Id': TRACE });
      for (const [name, call] of Object.entries(calls)) recorded[name] = await call(by);
      const left = clients(url, { 'X-Spandrel-Trace-Id': TRACE, 'X-Spandrel-Tags': 'left' });
      await left.openai.embeddings.create({ model: 'text-embedding-3-small', input: 'a' });
      await left.openai.chat.completions.create({ model: 'gpt-5.1', messages: user('mail [email] or [redacted]') });
      const cut = await left.openai.chat.completions.create({
        model: 'gpt-5.1',
        stream: true,
        messages: user('fake:cut'),
      });
      await last(cut).catch(() => undefined);
      const off = clients(url, { 'X-Spandrel-Trace-Id': TRACE, 'X-Spandrel-Capture': 'Off' });
      await off.openai.chat.completions.create({ model: 'gpt-5.1', messages: user('not to be kept') });
      const count = Object.keys(calls).length + 6;
      await until(async () => {
        const { body } = await server.api.get<{ spans: { status: unknown }[] }>(
          `/api/spans?trace_id=${TRACE}&limit=100`,
        );
        return body.spans.length === count + 4 && body.spans.every(({ status }) => status !== 'running');
      });
      const cli = new CommandLine({ SPANDREL_API_URL: server.url });
      const made = await cli.json<{ recordings: number; left_out: unknown }>([
        ...['cassette', 'from-trace', TRACE, '-o', join(dir, 'prod')],
      ]);
      expect(made).toMatchObject({
        recordings: count,
        left_out: {
          'an endpoint whose answers are not recorded': 1,
          masked: 1,
          'failed without a status': 1,
          'recorded without what was said': 1,
        },
      });
      await start();
      await provider.close();
      const replayed: Record<string, unknown> = {};
      const from = clients(gateway!.url, { 'X-Spandrel-Cassette': 'prod' });
      for (const [name, call] of Object.entries(calls)) replayed[name] = await call(from);
      expect(replayed).toEqual(recorded);
      const { cassettes } = (await (await fetch(`${gateway!.url}/cassettes`)).json()) as { cassettes: unknown[] };
      expect(cassettes).toMatchObject([{ misses: 0, unused: [] }]);
      const missed = from.openai.responses.create({
        model: 'gpt-5.1',
        instructions: 'Be brief.',
        input: 'tides at 5?',
      });
      await expect(missed).rejects.toThrow('input[1].content: "tides at 5?" is "tides?" on the cassette');

      const again = await cli.run(['cassette', 'from-trace', TRACE, '-o', join(dir, 'prod')]);
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('exists: remove it first')]);
      const some = [
        '--trace-id',
        TRACE,
        '--model',
        'llama3',
        '--input-contains',
        'fake:tools',
        '-o',
        join(dir, 'some'),
      ];
      expect((await cli.run(['cassette', 'from-spans', ...some])).out).toContain(
        'some.cassette.yaml: 1 call put together',
      );
      expect(readCassette(join(dir, 'some.cassette.yaml'))!.entries[0]!.isReconstructed).toBe(true);
      const none = await cli.run(['cassette', 'from-spans', '--input-contains', 'text-emb', '-o', join(dir, 'none')]);
      expect([none.code, none.err]).toEqual([1, expect.stringContaining('there is no call to put together')]);
    } finally {
      await gateway?.close();
      await provider.close();
      await server.close();
    }
  });
});
