import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Endpoint, Provider, RequestHead } from '@spandrel/plugin-api';
import { forwardAllow, ProviderTable } from './provider-table.js';
import { TargetResolver } from './resolve-target.js';

const endpoint = (name: string): Endpoint => ({ name, framing: 'sse' }) as Endpoint;
const provider = (over: Partial<Provider>): Provider =>
  ({
    defaultBaseUrl: null,
    hosts: [],
    recognises: () => 'no',
    endpoint: () => undefined,
    errorBody: () => ({}),
    errorMessage: () => undefined,
    ...over,
  }) as Provider;

const broken = provider({
  recognises: () => {
    throw new Error('broken plugin');
  },
  endpoint: () => {
    throw new Error('broken plugin');
  },
});
const openai = provider({
  defaultBaseUrl: 'https://api.openai.com',
  hosts: ['api.openai.com'],
  recognises: ({ path }) => (path.startsWith('/v1/') ? 'likely' : 'no'),
  endpoint: ({ path }) => (path.endsWith('/chat/completions') ? endpoint('chat.completions') : undefined),
});
const anthropic = provider({
  defaultBaseUrl: 'http://proxy.internal:8080/anthropic/',
  hosts: ['api.anthropic.com'],
  recognises: ({ path, headers }) =>
    path.startsWith('/v1/messages') || headers['anthropic-version'] ? 'certain' : 'no',
  endpoint: ({ path }) => (path.endsWith('/messages') ? endpoint('messages') : undefined),
});
const custom = provider({
  endpoint: ({ path }) => (path.endsWith(':generateContent') ? endpoint('generateContent') : undefined),
});
const ollama = provider({ baseHeader: 'x-base', recognises: ({ headers }) => (headers['x-base'] ? 'certain' : 'no') });

const table = new ProviderTable(
  Object.entries({ broken, openai, anthropic, ollama, custom }).map(([name, extension]) => ({ name, extension })),
  createLogger('silent', 'test'),
);
const addresses = { gateway: 'http://127.0.0.1:4001', api: 'http://127.0.0.1:4000' };
const resolve = (path: string, headers: RequestHead['headers'] = {}, allow: string[] | null = null) =>
  new TargetResolver(
    table,
    allow && forwardAllow(allow, ['models.internal', '10.1.2.3:8080']),
    () => addresses,
  ).resolve({ method: 'POST', path, headers });
const summary = (...args: Parameters<typeof resolve>): unknown => {
  const target = resolve(...args);
  return 'code' in target
    ? target.code
    : [target.providerName, target.base.host + target.base.path, target.endpoint?.name];
};

describe('the target of a request', () => {
  it.each<[string, RequestHead['headers'], unknown]>([
    ['/v1/chat/completions', {}, ['openai', 'api.openai.com', 'chat.completions']],
    ['/v1/models', {}, ['openai', 'api.openai.com', undefined]],
    ['/v1/messages', {}, ['anthropic', 'proxy.internal:8080/anthropic', 'messages']],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, ['anthropic', 'proxy.internal:8080/anthropic', undefined]],
    ['/else', {}, 'validation_failed'],
    ['/chat/completions', {}, 'not_found'],
    ['/v1/v1/chat/completions', {}, 'not_found'],
    ['/messages', { 'anthropic-version': '2023-06-01' }, 'not_found'],
    ['/v1/v1/x', { 'x-forward-url': 'https://llm.example.com' }, ['custom', 'llm.example.com', undefined]],
    ['/messages', { 'x-forward-url': 'https://llm.example.com' }, ['custom', 'llm.example.com', 'messages']],
    ['/v1/api/chat', { 'x-base': 'http://gpu:11434' }, ['ollama', 'gpu:11434', undefined]],
    ['/api/traces', {}, 'not_found'],
    ['/x', { 'x-base': 'http://gpu:11434' }, ['ollama', 'gpu:11434', undefined]],
    ['/v1/chat/completions', { 'x-base': 'http://gpu:11434' }, ['ollama', 'gpu:11434', 'chat.completions']],
    ['/v1/messages', { 'x-base': 'http://gpu:11434' }, ['ollama', 'gpu:11434', 'messages']],
    [
      '/v1/chat/completions',
      { 'x-base': 'http://gpu:11434', 'anthropic-version': '2023-06-01' },
      ['ollama', 'gpu:11434', 'chat.completions'],
    ],
    [
      '/v1/messages',
      { 'x-base': 'http://gpu:11434', 'x-forward-url': 'https://llm.example.com' },
      ['custom', 'llm.example.com', 'messages'],
    ],
    ['/x', { 'x-base': 'nonsense' }, 'validation_failed'],
    [
      '/v1/chat/completions',
      { 'x-forward-url': 'https://api.groq.com/openai' },
      ['custom', 'api.groq.com/openai', 'chat.completions'],
    ],
    [
      '/v1/messages',
      { 'x-forward-url': 'https://API.Anthropic.com./' },
      ['anthropic', 'api.anthropic.com.', 'messages'],
    ],
    [
      '/v1/chat/completions',
      { 'x-forward-url': 'https://api.anthropic.com' },
      ['anthropic', 'api.anthropic.com', 'chat.completions'],
    ],
    [
      '/deployments/x/chat/completions',
      { 'x-forward-url': 'https://me.openai.azure.com/openai' },
      ['custom', 'me.openai.azure.com/openai', 'chat.completions'],
    ],
    [
      '/v1/messages',
      { 'x-forward-url': 'http://proxy.internal:8080/anthropic' },
      ['custom', 'proxy.internal:8080/anthropic', 'messages'],
    ],
    ['/v1/x', { 'x-forward-url': 'https://a:b@c.de/' }, 'validation_failed'],
    ['/v1/x', { 'x-forward-url': 'file:///etc/passwd' }, 'validation_failed'],
  ])('%s %j', (path, headers, expected) => {
    expect(summary(path, headers)).toEqual(expected);
  });

  it.each([
    ['https://api.groq.com/x', true],
    ['https://api.groq.com:8443/x', true],
    ['https://evil.com', false],
    ['https://api.groq.com.evil.com', false],
    ['https://x.example.org', true],
    ['https://example.org', false],
    ['https://notexample.org', false],
    ['https://only.port:444', true],
    ['https://only.port', false],
    ['http://169.254.169.254/', false],
    ['http://2130706433/', false],
    ['http://0x7f.1/', false],
    ['http://[::ffff:127.0.0.1]/', false],
  ])('in cloud mode %s may be named: %s', (url, allowed) => {
    const allow = ['api.groq.com', '*.example.org', 'only.port:444', '169.254.169.254', '127.0.0.1'];
    const target = summary('/v1/x', { 'x-forward-url': url }, allow);
    if (allowed) expect(Array.isArray(target)).toBe(true);
    else expect(target).toBe('target_not_allowed');
  });

  const expected = "the provider's address without the path of the call, such as https://llm.example.com.";
  it.each([
    ['api.groq.com', 'is not a URL'],
    ['', 'is not a URL'],
    ['https://a.example, https://b.example', 'is not a URL'],
    ['localhost:8080', 'must begin with http:// or https://'],
    ['https://user:secret@llm.example.com', 'must not hold a user name or password'],
    ['https://llm.example.com/#v1', 'must not hold a fragment'],
  ])('is refused for X-Forward-URL %j with what was expected', (url, fault) => {
    const refused = resolve('/v1/chat/completions', { 'x-forward-url': url });
    expect(refused).toMatchObject({ message: `The header X-Forward-URL ${fault}; it is ${expected}` });
  });

  it("is refused with Gemini's own address where its API is called without one", () => {
    const address = 'https://generativelanguage.googleapis.com, or that of Vertex AI';
    expect(resolve('/v1beta/models/gemini-3.8-flash:generateContent')).toMatchObject({
      message: `Name Gemini's base URL in the header X-Forward-URL: ${address}.`,
    });
  });

  it('is refused with the header named as people write it', () => {
    expect(resolve('/x', { 'x-base': 'nonsense' })).toMatchObject({
      message: `The header X-Base is not a URL; it is ${expected}`,
    });
    expect(resolve('/x', { 'x-forward-url': 'http://unlisted.test' }, [])).toMatchObject({
      message: expect.stringMatching(/^The header X-Forward-URL names a host /),
    });
  });

  it.each([
    ['http://models.internal:11434', false],
    ['http://10.1.2.3:8080', false],
    ['https://api.groq.com', true],
  ])('in cloud mode only listed hosts may lead inward: %s', (url, guarded) => {
    const target = resolve('/v1/x', { 'x-forward-url': url }, ['api.groq.com']);
    expect('base' in target && target.base.origin.guarded).toBe(guarded);
  });

  it('in cloud mode another port of an address that may be private is refused', () => {
    expect(summary('/v1/x', { 'x-forward-url': 'http://10.1.2.3:22' }, ['api.groq.com'])).toBe('target_not_allowed');
  });

  it('refuses a list of allowed hosts it cannot read', () => {
    expect(() => forwardAllow(['ok.com', 'https://x', '*'], [])).toThrow(/"https:\/\/x".*\n.*"\*"/);
  });
});
