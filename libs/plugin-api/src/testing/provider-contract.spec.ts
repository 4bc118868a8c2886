import { describe, expect, it } from '@jest/globals';
import { chatCompletionsEndpoint, openAiErrorBody } from '../openai-format/chat-endpoint.js';
import { openAiChatCalls } from '../openai-format/chat-calls.js';
import { defineProvider } from '../plugin.js';
import type { Provider, StreamReader } from '../provider.js';
import { errorMessageOf } from '../wire/error-message.js';
import { describeProviderContract } from './provider-contract.js';
import type { ProviderContract } from './fixtures.js';
import { failuresOf } from './set-up-plugin.js';

const sound: Provider = {
  defaultBaseUrl: 'https://sound.example',
  hosts: [],
  recognises: () => 'likely',
  endpoint: ({ method, path }) =>
    method === 'POST' && path === '/v1/chat/completions' ? chatCompletionsEndpoint : undefined,
  errorBody: openAiErrorBody,
  errorMessage: errorMessageOf,
  chat: openAiChatCalls({ baseUrl: 'https://sound.example/v1', maxTokensMember: 'max_tokens' }),
};

const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null };
const answer = { model: 'm', text: 'hi 🙂', finishReason: 'stop', toolCalls: [], usage, error: null };
const whole = {
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi 🙂' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
const streamed = [
  { model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  { model: 'm', choices: [{ index: 0, delta: { content: 'hi' } }] },
  { model: 'm', choices: [{ index: 0, delta: { content: ' 🙂' }, finish_reason: 'stop' }] },
  { model: 'm', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
];
const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true };
const expected = {
  endpoint: 'chat.completions',
  request: { model: 'm', input: request.messages, streaming: true, parameters: { stream: true } },
  answer,
};

function contractOf(changes: Partial<Provider>): ProviderContract<unknown> {
  const headers = { authorization: 'Bearer sk-contract-4f1d9c' };
  return {
    plugin: defineProvider({ name: 'sound', setup: () => ({ ...sound, ...changes }) }),
    configs: { accepted: [{}], refused: [{ surplus: 1 }] },
    recognised: [{ request: { method: 'POST', path: '/v1/chat/completions', headers: {} }, as: 'likely' }],
    unrecorded: [{ method: 'GET', path: '/v1/models', headers: {} }],
    calls: [
      { name: 'whole', request: { path: '/v1/chat/completions', body: request }, answer: { whole }, expected },
      {
        name: 'streamed',
        request: { path: '/v1/chat/completions', body: request },
        answer: {
          streamed: [...streamed.map((chunk) => JSON.stringify(chunk)), '[DONE]']
            .map((data) => `data: ${data}\n\n`)
            .join(''),
        },
        expected,
      },
    ],
    errors: [{ status: 400, body: { error: { message: 'no' } }, message: 'no' }],
    chat: {
      baseUrl: 'https://here.example/v1',
      call: { model: 'm', messages: [] },
      request: {
        method: 'POST',
        url: 'https://here.example/v1/chat/completions',
        headers: { 'content-type': 'application/json', ...headers },
        body: { model: 'm', messages: [] },
      },
      answer: { body: whole, expected: answer },
      models: {
        request: { method: 'GET', url: 'https://here.example/v1/models', headers },
        body: { data: [{ id: 'm' }] },
        ids: ['m'],
      },
    },
  };
}

const failuresWith = (changes: Partial<Provider>): Promise<string[]> =>
  failuresOf((test) => describeProviderContract(contractOf(changes), test));

/** The sound provider with a stream reader that a test may spoil. */
const readingWith = (spoil: (reader: StreamReader) => StreamReader): Partial<Provider> => ({
  endpoint: (head) => {
    const endpoint = sound.endpoint(head);
    return endpoint && { ...endpoint, readStream: () => spoil(endpoint.readStream()) };
  },
});

describe('describeProviderContract', () => {
  it('lets a sound provider pass', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it.each<[fault: string, changes: Partial<Provider>, failed: string]>([
    [
      'throws on garbage',
      { errorMessage: (body) => (body as { error: { message: string } }).error.message },
      'reads any error body',
    ],
    ['loses its own message', { errorBody: () => ({}) }, 'finds the message of its own error body'],
    ['records what it should not', { endpoint: () => chatCompletionsEndpoint }, 'does not record GET /v1/models'],
    [
      'changes the request',
      { recognises: (head) => (Object.assign(head, { path: '/' }).path === '/' ? 'likely' : 'no') },
      'recognises POST /v1/chat/completions as likely',
    ],
    [
      'puts the key in the URL',
      {
        chat: {
          ...sound.chat,
          buildModelsRequest: ({ apiKey }) => ({
            method: 'GET',
            url: `https://here.example/?key=${apiKey}`,
            headers: {},
          }),
        },
      },
      'sends the key in a header only, and to the host of the connection only',
    ],
    [
      'ends before the end mark',
      readingWith((reader) => ({
        push: (frame) => reader.push(frame),
        answer: () => reader.answer(),
        started: true,
        ended: true,
      })),
      'begins with the first token and ends at the end mark only',
    ],
    [
      'can be asked only once',
      readingWith((reader) => {
        let asked = 0;
        return {
          push: (frame) => reader.push(frame),
          answer: () => ({ ...reader.answer(), ...(asked++ > 0 && { text: 'other' }) }),
          get started() {
            return reader.started;
          },
          get ended() {
            return reader.ended;
          },
        };
      }),
      'reads its stream the same when asked in between, and its text only grows',
    ],
  ])('fails one that %s', async (_fault, changes, failed) => {
    expect(await failuresWith(changes)).toContain(failed);
  });
});
