import { describe, expect, it } from '@jest/globals';
import { modelCallAddress, modelCallOf } from './model-call.js';

describe('modelCallOf', () => {
  it.each([
    ['/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/v1/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/v1/chat/completions/', 'openai', '/v1/chat/completions', ''],
    ['/v1/v1/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/completions', 'openai', '/v1/completions', ''],
    ['/responses', 'openai', '/v1/responses', ''],
    ['/responses/resp_1', 'openai', '/v1/responses/resp_1', ''],
    ['/embeddings', 'openai', '/v1/embeddings', ''],
    ['/images/generations', 'openai', '/v1/images/generations', ''],
    ['/audio/speech', 'openai', '/v1/audio/speech', ''],
    ['/realtime', 'openai', '/v1/realtime', ''],
    ['/models', 'openai', '/v1/models', ''],
    ['/v1', 'openai', '/v1', ''],
    ['/v1/v1/files/x', 'openai', '/v1/files/x', ''],
    ['/api/v1/chat/completions', 'openai', '/v1/chat/completions', '/api'],
    ['/openai/deployments/x/chat/completions', 'openai', '/v1/chat/completions', '/openai/deployments/x'],
    ['/messages', 'anthropic', '/v1/messages', ''],
    ['/v1/messages', 'anthropic', '/v1/messages', ''],
    ['/v1/v1/messages/count_tokens', 'anthropic', '/v1/messages/count_tokens', ''],
    ['/anthropic/v1/messages', 'anthropic', '/v1/messages', '/anthropic'],
    ['/api/chat', 'ollama', '/api/chat', ''],
    ['/v1/api/chat', 'ollama', '/api/chat', ''],
    ['/api/api/tags', 'ollama', '/api/tags', ''],
    ['/ollama/api/embeddings', 'ollama', '/api/embeddings', '/ollama'],
  ])('%s is a call of %s', (path, client, right, prefix) => {
    expect(modelCallOf(path)).toEqual({ client, path: right, prefix });
  });

  it.each(['/', '', '/api/traces', '/docs', '/v1x', '/api/chats', '/messages/7/x', '/xcompletions'])(
    '%j is none',
    (path) => expect(modelCallOf(path)).toBeUndefined(),
  );
});

describe('modelCallAddress', () => {
  it('has the port in local mode, and no invented host in cloud mode', () => {
    const openai = modelCallOf('/chat/completions')!;
    const anthropic = modelCallOf('/messages')!;
    expect(modelCallAddress(openai, 'http://127.0.0.1:4001')).toBe(
      'http://127.0.0.1:4001/v1/chat/completions (the base URL of an OpenAI client is http://127.0.0.1:4001/v1)',
    );
    expect(modelCallAddress(anthropic, 'http://127.0.0.1:4001')).toBe(
      'http://127.0.0.1:4001/v1/messages (the base URL of an Anthropic client is http://127.0.0.1:4001)',
    );
    expect(modelCallAddress(openai, null)).toBe(
      "/v1/chat/completions of the gateway (the base URL of an OpenAI client is the gateway's address followed by /v1)",
    );
    expect(modelCallAddress(anthropic, null)).toBe(
      "/v1/messages of the gateway (the base URL of an Anthropic client is the gateway's address with no path behind it)",
    );
  });

  it('repeats no endless path', () => {
    expect(modelCallAddress(modelCallOf(`/v1/${'x'.repeat(10_000)}`)!, null).length).toBeLessThan(400);
  });
});
