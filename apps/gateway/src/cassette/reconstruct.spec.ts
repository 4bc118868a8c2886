import { expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { createLogger, loadPlugins, loadSettings } from '@spandrel/kernel';
import { RequestMatch } from './cassette-request.js';
import { reconstruct } from './reconstruct.js';

const { core } = loadSettings([], { args: [], env: {}, cwd: process.cwd() });
const { providers } = await loadPlugins(core.plugins, createLogger('silent', 'test'), ['provider']);

const SPAN = {
  id: '01K',
  kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 3, output_tokens: 2 },
  input: [{ role: 'user', content: 'tides?' }],
  output: { text: 'At 11:20', finish_reason: 'stop' },
  status: 'completed',
  error: null,
  started_at: '2026-11-01T08:00:00.000Z',
  metadata: { endpoint: '/v1/chat/completions', status_code: 200, request: { temperature: 1 } },
} as unknown as SpanResource;
type Change = Record<string, unknown>;
const spanWith = ({ metadata, kind, ...change }: { metadata?: Change; kind?: Change; [member: string]: unknown }) =>
  ({
    ...SPAN,
    ...change,
    kind: { ...SPAN.kind, ...kind },
    metadata: { ...SPAN.metadata, ...metadata },
  }) as unknown as SpanResource;
const put = (change: Parameters<typeof spanWith>[0]) => reconstruct(spanWith(change), providers, new Set(['email']));

it('gives requests as they were sent, whatever else their clients sent with them', () => {
  const { request, usage, reconstructed } = put({});
  expect({ request, usage, reconstructed }).toEqual({
    request: {
      ...{ method: 'POST', provider: 'openai', path: '/v1/chat/completions' },
      body: { model: 'gpt-5.1', messages: [{ role: 'user', content: 'tides?' }], temperature: 1 },
    },
    usage: { input_tokens: 3, output_tokens: 2 },
    reconstructed: true,
  });
  const match = new RequestMatch([]);
  const digest = (change: Change, path = request.path, provider = 'openai') =>
    match.digest({ ...request, path, provider, body: { ...Object(request.body), ...change } }, true);
  expect(digest({ stop: null }, '/v1/chat/completions?api-version=1')).toBe(digest({}));
  expect(digest({ stop: 'x' })).not.toBe(digest({}));
  expect(digest({}, request.path, 'custom a.example')).toBe(digest({}, request.path, 'custom'));
  const asked = (input: unknown) => match.digest({ ...request, path: '/v1/responses', body: { input } }, true);
  expect(asked('a')).toBe(asked([{ type: 'message', role: 'user', content: 'a' }]));
  expect([asked([null, 'odd']), match.digest({ ...request, body: null }, true)]).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
});

it.each<[string, Parameters<typeof spanWith>[0]]>([
  ['not recorded by a gateway', { metadata: { endpoint: undefined } }],
  ['not finished', { status: 'running' }],
  ['truncated', { metadata: { truncated: true } }],
  ['recorded without what was said', { input: null }],
  ['masked', { output: { text: 'to [email]', finish_reason: 'stop' } }],
  ['masked', { input: [{ role: 'user', content: 'at [mine:abcdefghijABCDEFGHIJ]' }] }],
  ['answered in the background', { metadata: { request: { background: true } } }],
  ['an endpoint whose answers are not recorded', { metadata: { endpoint: '/v1/embeddings' } }],
  [
    'failed without a status',
    { status: { failed: { error: 'gone' } }, error: 'the stream ended without its end mark' },
  ],
  ['an answer of sound or images', { kind: { output_audio_tokens: 5 } }],
  [
    'calls of tools that the request does not have',
    { output: { text: '', finish_reason: 'stop', tool_calls: [{ id: 'a', name: 'other', arguments: '{}' }] } },
  ],
  ['the request cannot be put together', { metadata: { endpoint: '/v1/messages' }, input: 'a text' }],
  ['the answer cannot be put together', { output: null }],
])('leaves out, with the reason: %s', (reason, change) => {
  expect(() => put(change)).toThrow(reason);
});
