import { describe, expect, it } from '@jest/globals';
import { readPlain } from '../../fixtures/read-plain-span.js';

describe('the kind of a span', () => {
  it('has model, provider and counts of a call', () => {
    const { span, usage } = readPlain(
      {},
      {
        kind: { type: 'llm_call' },
        model: 'gpt-4o',
        responseModel: 'gpt-4o-2024',
        provider: 'openai.chat',
        usage: { inputTokens: 21, outputTokens: 9, cachedInputTokens: 8, reasoningTokens: 3, cost: 0.5 },
      },
    );
    const counts = { input_tokens: 21, output_tokens: 9, cached_input_tokens: 8, reasoning_tokens: 3, cost: 0.5 };
    expect(span.kind).toEqual({ type: 'llm_call', model: 'gpt-4o', provider: 'openai', ...counts });
    expect(usage).toEqual(counts);
    expect(span.metadata).toMatchObject({ response_model: 'gpt-4o-2024' });
  });

  it('takes the answering model where no other is logged, and says when there is none', () => {
    expect(readPlain({}, { kind: { type: 'llm_call' }, responseModel: 'm-1' }).span.kind!['model']).toBe('m-1');
    expect(readPlain({}, { kind: { type: 'llm_call' } }).span.kind!['model']).toBe('unknown');
  });

  it('names a tool by its span where it has no name', () => {
    const kind = { type: 'tool_call', toolType: 'function', callId: 'c1' } as const;
    expect(readPlain({ name: 'weather' }, { kind }).span.kind).toEqual({
      type: 'tool_call',
      name: 'weather',
      call_id: 'c1',
      tool_type: 'function',
    });
  });

  it('has the counts of whatever reports them', () => {
    const kind = { type: 'custom', kind: 'agent', name: 'planner' } as const;
    expect(readPlain({}, { kind, model: 'm', usage: { inputTokens: 1 } }).span.kind).toEqual({
      type: 'custom',
      kind: 'agent',
      name: 'planner',
      attributes: {},
      model: 'm',
      input_tokens: 1,
    });
  });

  it.each([
    ['http.request.method', 'http'],
    ['http.method', 'http'],
    ['db.system.name', 'db'],
    ['db.system', 'db'],
    ['rpc.system', 'rpc'],
    ['messaging.system', 'messaging'],
    ['mcp.method.name', 'mcp'],
    ['code.function', 'span'],
  ])('by %s without a dialect', (name, kind) => {
    expect(readPlain({ attributes: { [name]: 'x' } }).span.kind).toEqual({ type: 'custom', kind, attributes: {} });
  });
});

describe('counts', () => {
  it.each([
    ['cached tokens that are in the input', { inputTokens: 10, cachedInputTokens: 10 }, 10],
    ['more cached tokens than input', { inputTokens: 10, cachedInputTokens: 8, cacheWriteTokens: 3 }, 21],
    ['an input that leaves them out', { inputTokens: 10, cachedInputTokens: 1, inputExcludesCached: true }, 11],
    ['a count below zero', { inputTokens: -1, outputTokens: 2 }, undefined],
    ['a fraction', { inputTokens: 1.5, outputTokens: 2 }, undefined],
  ])('%s', (_what, usage, input) => {
    expect(readPlain({}, { usage }).usage?.input_tokens).toBe(input);
  });

  it.each([
    ['reasoning that is in the output', { outputTokens: 10, reasoningTokens: 10 }, 10],
    ['more reasoning than output', { outputTokens: 10, reasoningTokens: 20 }, 30],
    ['an output that leaves it out', { outputTokens: 10, reasoningTokens: 2, outputExcludesReasoning: true }, 12],
  ])('%s', (_what, usage, output) => {
    expect(readPlain({}, { usage }).usage?.output_tokens).toBe(output);
  });

  it('of everything that is billed stand in the kind', () => {
    const usage = {
      ...{ inputTokens: 100, outputTokens: 20, cacheWriteTokens: 30, cacheWrite1hTokens: 10 },
      ...{ inputAudioTokens: 4, outputAudioTokens: 3, inputImageTokens: 2, outputImageTokens: 1 },
      ...{ webSearchRequests: 5, serviceTier: 'flex' },
    };
    expect(readPlain({}, { kind: { type: 'llm_call' }, usage }).span.kind).toMatchObject({
      ...{ input_tokens: 100, output_tokens: 20, cache_write_tokens: 30, cache_write_1h_tokens: 10 },
      ...{ input_audio_tokens: 4, output_audio_tokens: 3, input_image_tokens: 2, output_image_tokens: 1 },
      ...{ web_search_requests: 5, service_tier: 'flex' },
    });
  });
});

describe('providers', () => {
  it.each([
    ['OpenAI', 'openai'],
    ['openai.responses', 'openai'],
    ['az.ai.openai', 'azure.ai.openai'],
    ['azure', 'azure.ai.openai'],
    ['az.ai.inference', 'azure.ai.inference'],
    ['gemini', 'gcp.gemini'],
    ['vertexai', 'gcp.vertex_ai'],
    ['gcp.vertex_ai', 'gcp.vertex_ai'],
    ['xai', 'x_ai'],
    ['mistral.chat', 'mistral_ai'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['aws.bedrock', 'aws.bedrock'],
    ['google-gla', 'gcp.gemini'],
    ['google-vertex', 'gcp.vertex_ai'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['google.generative-ai', 'gcp.gemini'],
    ['googleai', 'gcp.gemini'],
    ['azure.responses', 'azure.ai.openai'],
    ['azure_ai', 'azure.ai.inference'],
    ['bedrock_converse', 'aws.bedrock'],
    ['hosted_vllm', 'vllm'],
    ['text-completion-openai', 'openai'],
    ['Mistral AI', 'mistral_ai'],
    ['watsonx', 'ibm.watsonx.ai'],
    ['acme', 'acme'],
  ])('%s is %s', (provider, name) => {
    expect(readPlain({}, { kind: { type: 'embedding' }, provider }).span.kind!['provider']).toBe(name);
  });
});
