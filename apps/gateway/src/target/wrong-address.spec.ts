import { describe, expect, it } from '@jest/globals';
import { localAddresses, perhapsMeant, wrongAddress, doubledPath, type Addresses } from './wrong-address.js';
import { parseBase, type Base } from './provider-table.js';

const local = localAddresses('127.0.0.1', 4001, 'http://127.0.0.1:4000');
const cloud: Addresses = { gateway: null, api: null };
const gateway = 'http://127.0.0.1:4001';
const openai = (path: string): string => `${gateway}/v1${path} (the base URL of an OpenAI client is ${gateway}/v1)`;
const right = (path: string, address: string): string =>
  `The gateway has nothing at ${path}: the right address is ${address}.`;
const ofApi = (path: string): string =>
  `This is the gateway: the right address is the API's, http://127.0.0.1:4000${path}.`;

describe("the gateway's answer to a misdirected request", () => {
  it.each([
    ['/chat/completions', right('/chat/completions', openai('/chat/completions')), 'openai'],
    ['/responses', right('/responses', openai('/responses')), 'openai'],
    ['/completions', right('/completions', openai('/completions')), 'openai'],
    ['/embeddings', right('/embeddings', openai('/embeddings')), 'openai'],
    ['/models', right('/models', openai('/models')), 'openai'],
    ['/v1/v1/chat/completions', right('/v1/v1/chat/completions', openai('/chat/completions')), 'openai'],
    [
      '/messages',
      right('/messages', `${gateway}/v1/messages (the base URL of an Anthropic client is ${gateway})`),
      'anthropic',
    ],
    [
      '/v1/v1/messages',
      right('/v1/v1/messages', `${gateway}/v1/messages (the base URL of an Anthropic client is ${gateway})`),
      'anthropic',
    ],
    [
      '/v1/api/chat',
      right('/v1/api/chat', `${gateway}/api/chat (the base URL of an Ollama client is ${gateway})`),
      'ollama',
    ],
    [
      '/api/api/chat',
      right('/api/api/chat', `${gateway}/api/chat (the base URL of an Ollama client is ${gateway})`),
      'ollama',
    ],
    ['/api/traces', ofApi('/api/traces'), null],
    ['/api/spans/x/complete', ofApi('/api/spans/x/complete'), null],
    ['/api', ofApi('/api'), null],
    ['/traces', ofApi('/api/traces'), null],
    ['/docs', ofApi('/docs'), null],
    ['/dashboard', ofApi('/docs'), null],
    ['/api/health', `${ofApi('/api/health')} The gateway's own checks are /livez, /readyz and /metrics.`, null],
    [
      '/',
      `This is Spandrel's gateway: model calls go to ${gateway}/v1 (OpenAI) or ${gateway} (Anthropic, Ollama). Everything it ` +
        'records is read from the API, http://127.0.0.1:4000/api/traces, which is described at http://127.0.0.1:4000/docs.',
      null,
    ],
  ])('%s', (path, message, client) => {
    expect(wrongAddress(path, local)).toEqual({ message, client });
  });

  it('has no host in cloud mode', () => {
    const paths = ['/', '/chat/completions', '/messages', '/api/traces', '/docs'];
    for (const path of paths) expect(wrongAddress(path, cloud)?.message).toMatch(/^(?!.*(http|null)).*(gateway|API)/);
    expect(wrongAddress('/api/traces', cloud)?.message).toBe(
      "This is the gateway: ask the API for /api/traces, at the API's own address.",
    );
  });

  it.each(['/v1/chat/completions', '/v1/messages', '/api/chat', '/else', '/openai/deployments/x/chat/completions'])(
    'is not given at %s',
    (path) => expect(wrongAddress(path, local)).toBeUndefined(),
  );

  it('for an unknown path says what else may have been meant', () => {
    expect(perhapsMeant('/else', local)).toBe("This is the gateway; Spandrel's API is at http://127.0.0.1:4000.");
    expect(perhapsMeant('/openai/v1/chat/completions', local)).toBe(`Or was ${openai('/chat/completions')} meant?`);
  });

  it('reveals nothing of what is secret in the URL of the API', () => {
    expect(localAddresses('::1', 4001, 'https://user:canary@api.example/base/?token=canary')).toEqual({
      gateway: 'http://[::1]:4001',
      api: 'https://api.example/base',
    });
  });
});

describe('doubledPath', () => {
  it.each([
    ['https://llm.example.com/v1', '/v1/chat/completions', 'llm.example.com/v1/v1/chat/completions'],
    ['https://llm.example.com/openai/v1/', '/v1/responses', 'llm.example.com/openai/v1/v1/responses'],
    [
      'http://localhost:8000/v1/chat/completions',
      '/v1/chat/completions',
      'localhost:8000/v1/chat/completions/v1/chat/completions',
    ],
    ['https://llm.example.com', '/v1/chat/completions', null],
    ['https://llm.example.com/openai', '/v1/chat/completions', null],
    ['https://llm.example.com/v1', '/chat/completions', null],
    ['https://llm.example.com/v1/account', '/v1/chat/completions', null],
  ])('%s and %s', (base, path, expected) => {
    expect(doubledPath(parseBase(base, false) as Base, path)).toBe(expected);
  });
});
