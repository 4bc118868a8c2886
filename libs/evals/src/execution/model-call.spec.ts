import { describe, expect, it } from '@jest/globals';
import { ConnectionCallError, type ConnectionReply, type OpenConnection } from '@spandrel/connections';
import { Permits } from '@spandrel/kernel';
import { openAiChatCalls, errorMessageOf, type HttpRequest, type Provider } from '@spandrel/plugin-api';
import { callModel, ModelCallError } from './model-call.js';
import { RunCalls } from './run-calls.js';

const call = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const timing = { timeoutMs: 1_000, retryDelayMs: 30 };
const options = () => ({ permits: new Permits(1), signal: new AbortController().signal, timing });

type Scripted = { status: number; body?: unknown; excerpt?: string; latencyMs?: number; retryAfterMs?: number } | Error;

/** A connection that answers as asked, one answer a call. */
function connectionThat(...replies: Scripted[]): OpenConnection & { sent: HttpRequest[]; times: number[] } {
  const sent: HttpRequest[] = [];
  const times: number[] = [];
  const chat = openAiChatCalls({ baseUrl: 'http://model.test/v1', maxTokensMember: 'max_tokens' });
  return {
    id: 'c',
    name: 'c',
    providerName: 'openai',
    server: 'http://model.test',
    provider: { chat, errorMessage: errorMessageOf } as unknown as Provider,
    target: { baseUrl: null, apiKey: 'sk-secret' },
    sent,
    times,
    async send(request): Promise<ConnectionReply> {
      sent.push(request);
      times.push(performance.now());
      const reply = replies.shift();
      if (reply === undefined) throw new Error('no reply is left');
      if (reply instanceof Error) throw reply;
      return { latencyMs: 5, body: undefined, excerpt: 'excerpt', ...reply };
    },
    redact: (text) => text.replaceAll('sk-secret', '[redacted]'),
    redactBegun: (text) => text,
    redactOutput: async (text) => text.replaceAll('sk-secret', '[redacted]'),
  };
}

const answered = (content: unknown) => ({
  choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});

describe('a model call', () => {
  it('gives text, tokens and the latency of the attempt that succeeded', async () => {
    const connection = connectionThat(
      { status: 429, latencyMs: 900 },
      { status: 200, body: answered('Hi'), latencyMs: 7 },
    );
    expect(await callModel(connection, call, options())).toMatchObject({
      text: 'Hi',
      usage: { inputTokens: 3, outputTokens: 2 },
      latencyMs: 7,
      attempts: 2,
    });
    expect(connection.times[1]! - connection.times[0]!).toBeGreaterThanOrEqual(29);
    expect(connection.sent[1]).toEqual(connection.sent[0]);
  });

  for (const status of [429, 500, 502, 503]) {
    it(`is made once more after ${status}, and no further`, async () => {
      const reply = { status, body: { error: { message: `no sk-secret ${status}` } } };
      const connection = connectionThat(reply, reply, { status: 200, body: answered('late') });
      const failure = await callModel(connection, call, options()).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ModelCallError);
      expect(failure).toMatchObject({
        message: expect.stringContaining(`HTTP ${status} from http://model.test: no [redacted] ${status}`),
        attempts: 2,
      });
      expect(connection.sent).toHaveLength(2);
    });
  }

  for (const status of [301, 400, 401, 404, 408, 422, 501, 504, 529]) {
    it(`is not repeated after ${status}`, async () => {
      const connection = connectionThat({ status }, { status: 200, body: answered('late') });
      await expect(callModel(connection, call, options())).rejects.toMatchObject({
        message: expect.stringContaining(`HTTP ${status} from http://model.test: excerpt`),
        attempts: 1,
      });
      expect(connection.sent).toHaveLength(1);
    });
  }

  it('is not repeated after a connection error or a timeout', async () => {
    for (const kind of ['network', 'timeout'] as const) {
      const connection = connectionThat(new ConnectionCallError(kind, `${kind} with sk-secret`), {
        status: 200,
        body: answered('late'),
      });
      await expect(callModel(connection, call, options())).rejects.toMatchObject({
        message: `${kind} with [redacted]`,
        attempts: 1,
      });
    }
  });

  it('fails when the answer is no JSON, an error, or holds no text', async () => {
    for (const [body, message] of [
      [undefined, 'the answer of http://model.test is not JSON; is base_url that of an API? It says: excerpt'],
      [{ error: { message: 'quota of sk-secret' } }, 'quota of [redacted]'],
      [{ choices: [] }, 'the answer of http://model.test holds no text: excerpt'],
      [{ choices: [[]] }, 'the answer of http://model.test holds no text: excerpt'],
      [answered(null), 'the answer of http://model.test holds no text: excerpt'],
      [answered(42), 'the answer of http://model.test holds no text: excerpt'],
    ] as const) {
      const connection = connectionThat({ status: 200, body });
      await expect(callModel(connection, call, options())).rejects.toMatchObject({ message, attempts: 1 });
    }
  });

  it('fails when there is nothing to read', async () => {
    const connection = connectionThat({ status: 204, excerpt: '' });
    const message = 'the answer of http://model.test is empty or cannot be decoded';
    await expect(callModel(connection, call, options())).rejects.toMatchObject({ message, attempts: 1 });
  });

  it('takes tool calls alone for the empty text', async () => {
    const message = { content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'f' } }] };
    const connection = connectionThat({ status: 200, body: { choices: [{ message }] } });
    expect((await callModel(connection, call, options())).text).toBe('');
  });

  it('takes no count that is no whole number', async () => {
    const body = { ...answered('Hi'), usage: { prompt_tokens: 1.5, completion_tokens: 4 } };
    const connection = connectionThat({ status: 200, body });
    const odd = { readAnswer: () => ({ text: 'Hi', error: null, usage: { inputTokens: NaN, outputTokens: 1.5 } }) };
    Object.assign(connection.provider.chat, odd);
    expect((await callModel(connection, call, options())).usage).toEqual({
      inputTokens: null,
      outputTokens: null,
      cachedInputTokens: null,
      reasoningTokens: null,
    });
  });

  it('never lets the key into an output', async () => {
    const connection = connectionThat({ status: 200, body: answered('you sent sk-secret') });
    expect((await callModel(connection, call, options())).text).toBe('you sent [redacted]');
  });

  describe('that a server does not take', () => {
    const refused = (param: string, message: string) => ({
      status: 400,
      body: { error: { message, type: 'invalid_request_error', param, code: 'unsupported_value' } },
    });
    const noTemperature = refused('temperature', "'temperature' does not support 0 with this model.");
    const noMaxTokens = refused('max_tokens', "Unsupported parameter: 'max_tokens'. Use another one.");
    const fine = { status: 200, body: answered('Hi') };
    const bodies = (connection: { sent: HttpRequest[] }) =>
      connection.sent.map(({ body }) => {
        const { messages: _messages, model: _model, ...members } = body as Record<string, unknown>;
        return members;
      });

    it('is made once more without a temperature that is ours, and so are those behind it', async () => {
      const connection = connectionThat(noTemperature, fine, fine, fine);
      const run = new RunCalls();
      const ours = { ...options(), run, isTemperatureOurs: true };
      const seen: (number | undefined)[] = [];
      const sent = (each: { temperature?: number | undefined }): void => void seen.push(each.temperature);
      expect(await callModel(connection, { ...call, temperature: 0 }, { ...ours, sent })).toMatchObject({
        attempts: 2,
      });
      await callModel(connection, { ...call, temperature: 0 }, ours);
      await callModel(connection, { ...call, temperature: 0 }, { ...options(), run });
      expect(bodies(connection)).toEqual([{ temperature: 0 }, {}, {}, { temperature: 0 }]);
      expect(seen).toEqual([0, undefined]);
    });

    it('fails with a temperature that the run asked for', async () => {
      const connection = connectionThat(noTemperature, fine);
      const calling = callModel(connection, { ...call, temperature: 0 }, options());
      await expect(calling).rejects.toMatchObject({
        message: expect.stringContaining('does not support 0'),
        attempts: 1,
      });
    });

    it('is made once more with the other member that limits the answer', async () => {
      const connection = connectionThat(noMaxTokens, fine, fine);
      const run = new RunCalls();
      for (let calls = 0; calls < 2; calls++)
        await callModel(connection, { ...call, maxTokens: 9 }, { ...options(), run });
      expect(bodies(connection)).toEqual([
        { max_tokens: 9 },
        { max_completion_tokens: 9 },
        { max_completion_tokens: 9 },
      ]);
    });

    it('is changed in each way once', async () => {
      const noOther = refused('max_completion_tokens', 'Unknown parameter: max_completion_tokens');
      const connection = connectionThat(noTemperature, noMaxTokens, noOther, fine);
      const calling = callModel(
        connection,
        { ...call, temperature: 0, maxTokens: 9 },
        { ...options(), isTemperatureOurs: true },
      );
      await expect(calling).rejects.toMatchObject({ attempts: 3 });
      expect(bodies(connection)).toEqual([
        { temperature: 0, max_tokens: 9 },
        { max_tokens: 9 },
        { max_completion_tokens: 9 },
      ]);
    });

    it('is made once more without a schema, and so are those behind it', async () => {
      const bare = { status: 400, body: { error: { message: 'This is not possible here.' } } };
      const connection = connectionThat(bare, fine, fine);
      const run = new RunCalls();
      const asked = { ...call, answerSchema: { name: 'verdict', schema: { type: 'object' } } };
      expect(await callModel(connection, asked, { ...options(), run })).toMatchObject({ attempts: 2 });
      expect(await callModel(connection, asked, { ...options(), run })).toMatchObject({ attempts: 1 });
      const json = { name: 'verdict', schema: { type: 'object' }, strict: true };
      expect(bodies(connection)).toEqual([{ response_format: { type: 'json_schema', json_schema: json } }, {}, {}]);
    });

    it('keeps its schema where something else was wrong with an earlier call', async () => {
      const tooLong = { status: 400, body: { error: { message: 'The prompt is too long.' } } };
      const connection = connectionThat(tooLong, tooLong, fine);
      const run = new RunCalls();
      const asked = { ...call, answerSchema: { name: 'verdict', schema: { type: 'object' } } };
      await expect(callModel(connection, asked, { ...options(), run })).rejects.toMatchObject({ attempts: 2 });
      await callModel(connection, asked, { ...options(), run });
      expect(bodies(connection).map((body) => 'response_format' in body)).toEqual([true, false, true]);
    });

    it('still has its retry', async () => {
      const connection = connectionThat(noTemperature, { status: 503 }, fine);
      const ours = { ...options(), isTemperatureOurs: true };
      expect(await callModel(connection, { ...call, temperature: 0 }, ours)).toMatchObject({ attempts: 3 });
      expect(bodies(connection)).toEqual([{ temperature: 0 }, {}, {}]);
    });

    it('keeps the member that the run names, and one that the format knows no other of', async () => {
      const named = connectionThat(noMaxTokens);
      const calling = callModel(named, { ...call, maxTokens: 9, maxTokensMember: 'max_tokens' }, options());
      await expect(calling).rejects.toMatchObject({ attempts: 1 });
      const only = connectionThat(noMaxTokens);
      const buildRequest = () => ({ method: 'POST', url: '', headers: {}, body: { max_tokens: 9 } });
      Object.assign(only.provider.chat, { buildRequest });
      await expect(callModel(only, { ...call, maxTokens: 9 }, options())).rejects.toMatchObject({ attempts: 1 });
    });
  });

  it('lets no other of its run begin between an answer 429 and the end of its retry', async () => {
    const fine = { status: 200, body: answered('Hi') };
    const connection = connectionThat({ status: 429 }, fine, fine, fine);
    const run = new RunCalls(4);
    const permits = new Permits(4);
    const order: string[] = [];
    const ask = async (name: string): Promise<void> => {
      const asked = { ...options(), run, permits, sent: () => void order.push(name) };
      await callModel(connection, call, asked);
    };
    const first = ask('first');
    while (!run.paceOf(connection).isHeld) await new Promise(setImmediate);
    await Promise.all([first, ask('second'), ask('third')]);
    expect(connection.times[2]! - connection.times[0]!).toBeGreaterThanOrEqual(29);
    expect(order[0]).toBe('first');
  });

  it('stops waiting for its retry when asked to', async () => {
    const abort = new AbortController();
    const connection = connectionThat({ status: 503 });
    const calling = callModel(connection, call, {
      ...options(),
      signal: abort.signal,
      timing: { timeoutMs: 1_000, retryDelayMs: 60_000 },
    });
    setTimeout(() => abort.abort(new Error('stopping')), 20);
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
    expect(connection.sent).toHaveLength(1);
  });
});
