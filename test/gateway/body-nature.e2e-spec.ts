/** What is known of bodies by their heads, and what events of each provider are worth. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Provider, ProviderDeps } from '@spandrel/plugin-api';
import anthropic from '../../plugins/providers/anthropic/index.js';
import ollama from '../../plugins/providers/ollama/index.js';
import openai from '../../plugins/providers/openai/index.js';
import type { EventWeight } from '../../apps/gateway/src/recording/long-body.js';
import { answerNature, requestNature } from '../../apps/gateway/src/recording/call.js';

const deps: ProviderDeps = { logger: createLogger('silent', 'test') };
const answer = {
  status: 200,
  statusMessage: 'OK',
  contentType: null,
  contentEncoding: 'gzip, br',
  contentLength: null,
};

let providers: Record<string, Provider>;
beforeAll(async () => {
  providers = {
    anthropic: await anthropic.setup(deps, {}),
    ollama: await ollama.setup(deps, {}),
    openai: await openai.setup(deps, {}),
  };
});

const natureOf = (provider: string, path: string, contentType: string | null = null) =>
  answerNature(providers[provider]!.endpoint({ method: 'POST', path, headers: {} })!, { ...answer, contentType });

const chat = (delta: object, more: object = {}): object => ({
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const block = (delta: object): object => ({ type: 'content_block_delta', index: 1, delta });

describe('what a body is', () => {
  it('is known by the heads of request and answer', () => {
    expect(requestNature('zstd')).toMatchObject({ codings: ['zstd'], form: { framing: 'json' } });
    const path = '/v1/chat/completions';
    expect(natureOf('openai', path)).toMatchObject({ codings: ['gzip', 'br'], form: { framing: 'sse' } });
    expect(natureOf('openai', path, 'application/json; charset=utf-8').form.framing).toBe('json');
    expect(natureOf('ollama', '/api/chat').form.framing).toBe('ndjson');
  });

  it.each<[weight: EventWeight, provider: string, path: string, event: object | string]>([
    ['text', 'openai', '/v1/chat/completions', chat({ content: 'word' })],
    [
      'more',
      'openai',
      '/v1/chat/completions',
      chat({ content: 'word' }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ],
    ['more', 'openai', '/v1/chat/completions', chat({ tool_calls: [{ index: 0, function: { arguments: '{' } }] })],
    [
      'more',
      'openai',
      '/v1/chat/completions',
      { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] },
    ],
    ['more', 'openai', '/v1/chat/completions', '[DONE]'],
    ['more', 'openai', '/v1/chat/completions', { error: { message: 'overloaded' } }],
    ['text', 'openai', '/v1/responses', { type: 'response.output_text.delta', output_index: 0, delta: 'word' }],
    [
      'more',
      'openai',
      '/v1/responses',
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{' },
    ],
    ['more', 'openai', '/v1/responses', { type: 'response.completed', response: { status: 'completed', output: [] } }],
    [
      'nothing',
      'openai',
      '/v1/responses',
      { type: 'response.image_generation_call.partial_image', partial_image_b64: 'A'.repeat(5_000) },
    ],
    ['text', 'anthropic', '/v1/messages', block({ type: 'text_delta', text: 'word' })],
    ['more', 'anthropic', '/v1/messages', block({ type: 'input_json_delta', partial_json: '{' })],
    [
      'more',
      'anthropic',
      '/v1/messages',
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    ],
    ['text', 'ollama', '/api/chat', { model: 'm', message: { role: 'assistant', content: 'word' }, done: false }],
    ['more', 'ollama', '/api/chat', { model: 'm', message: { content: '' }, done: true, eval_count: 3 }],
  ])('says what an event is worth: %s, %s %s %j', (weight, provider, path, event) => {
    const { framing, weightOf } = natureOf(provider, path).form;
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    expect(weightOf(Buffer.from(framing === 'sse' ? `data: ${data}\n\n` : `${data}\n`))).toBe(weight);
  });
});
