import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Endpoint } from '../provider.js';
import { readGeminiUsage, reportedGeminiUsage } from './content.js';
import { geminiEndpointOf } from './generate-endpoint.js';

const endpointOf = (path: string): Endpoint | undefined => geminiEndpointOf({ method: 'POST', path, headers: {} });
const endpoint = endpointOf('/v1beta/models/gemini-2.5-flash:streamGenerateContent')!;
const streamed = (...chunks: object[]) => {
  const stream = endpoint.readStream();
  for (const chunk of chunks) stream.push({ data: JSON.stringify(chunk) });
  return stream;
};

describe("Gemini's generateContent", () => {
  it.each([
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'gemini-2.5-flash', false],
    ['/v1beta/models/gemini-3.5-flash:streamGenerateContent', 'gemini-3.5-flash', true],
    ['/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro', false],
    ['/v1beta/tunedModels/tides-1:generateContent', 'tides-1', false],
  ])('is known by its path, which names the model: %s', (path, model, streaming) => {
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { temperature: 0 },
    };
    expect(endpointOf(path)!.readRequest(body)).toEqual({
      ...{ model, streaming },
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Tide?' },
      ],
      parameters: { generationConfig: { temperature: 0 } },
    });
    expect(geminiEndpointOf({ method: 'GET', path, headers: {} })).toBeUndefined();
  });

  it('is no other method of a model, nor one of the tools that speak for a user', () => {
    for (const path of [':countTokens', ':embedContent', ':batchGenerateContent']) {
      expect(endpointOf(`/v1beta/models/gemini-2.5-flash${path}`)).toBeUndefined();
    }
    expect(endpointOf('/v1internal:generateContent')).toBeUndefined();
  });

  it('reads a stream: thoughts, pieces of text, calls, searches and the last counts', () => {
    const part = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, index: 0 }] });
    const stream = streamed(
      { ...part({ text: 'Tables ', thought: true }), modelVersion: 'gemini-2.5-flash' },
      part({ text: 'first.', thought: true }),
      part({ text: 'At ' }),
      part({ text: '11:20' }, { functionCall: { id: 'c1', name: 'tide', args: { harbour: 'Nagasaki' } } }),
      part({ toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['tide'] } } }),
      {
        candidates: [
          {
            content: {},
            finishReason: 'STOP',
            groundingMetadata: { webSearchQueries: ['', 'tide', 'Nagasaki tide', 'tide'] },
          },
        ],
        usageMetadata: {
          ...{ promptTokenCount: 10, toolUsePromptTokenCount: 90, candidatesTokenCount: 8, thoughtsTokenCount: 40 },
          ...{ cachedContentTokenCount: 4, totalTokenCount: 148 },
        },
      },
    );
    expect(stream.started).toBe(true);
    expect(stream.answer()).toEqual({
      ...{ model: 'gemini-2.5-flash', text: 'At 11:20', finishReason: 'STOP', reasoning: 'Tables first.', error: null },
      toolCalls: [
        { id: 'c1', name: 'tide', arguments: { harbour: 'Nagasaki' } },
        { id: 't1', name: 'GOOGLE_SEARCH_WEB', arguments: { queries: ['tide'] } },
      ],
      usage: expect.objectContaining({
        ...{ inputTokens: 100, outputTokens: 48, cachedInputTokens: 4, reasoningTokens: 40, webSearchRequests: 2 },
      }),
    });
  });

  it('reads an answer, a stream that is one list, several candidates, and why there is none', () => {
    const candidate = (text: string, index: number) => ({
      content: { parts: [{ text }] },
      finishReason: 'STOP',
      index,
    });
    const { text, choices } = endpoint.readAnswer([
      { candidates: [candidate('a', 0), candidate('b', 1)] },
      { candidates: [candidate('c', 1)] },
    ]);
    expect([text, choices?.map((choice) => choice.text)]).toEqual(['a', ['a', 'bc']]);
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };
    expect(endpoint.readAnswer(blocked)).toMatchObject({ text: null, finishReason: 'SAFETY', error: null });
    expect(streamed({ error: { code: 503, message: 'overloaded' } }).answer().error).toBe('overloaded');
  });

  it('puts arguments of a call together that come in pieces, and reads the tier of Vertex AI', () => {
    const called = (functionCall: object) => ({ candidates: [{ content: { parts: [{ functionCall }] } }] });
    const piece = (jsonPath: string, value: object) => called({ partialArgs: [{ jsonPath, ...value }] });
    const { toolCalls, usage } = streamed(
      called({ name: 'tide', willContinue: true }),
      piece('$.harbour', { stringValue: 'Naga', willContinue: true }),
      piece('$.harbour', { stringValue: 'saki' }),
      piece('$.days', { numberValue: 3 }),
      called({}),
      called({ name: 'moon', args: {} }),
      { usageMetadata: { promptTokenCount: 4, trafficType: 'ON_DEMAND_PRIORITY' } },
    ).answer();
    expect(toolCalls).toEqual([
      { id: null, name: 'tide', arguments: { harbour: 'Nagasaki', days: 3 } },
      { id: null, name: 'moon', arguments: {} },
    ]);
    expect(usage.serviceTier).toBe('on_demand_priority');
  });

  it('counts thoughts that stand in the answer once', () => {
    const usage = { promptTokenCount: 10, candidatesTokenCount: 48, thoughtsTokenCount: 40 };
    expect(readGeminiUsage({ ...usage, totalTokenCount: 58 }).outputTokens).toBe(48);
    expect(readGeminiUsage({ ...usage, totalTokenCount: 98 }).outputTokens).toBe(88);
    expect(readGeminiUsage(usage).outputTokens).toBe(88);
    expect(reportedGeminiUsage({ prompt_token_count: 3, candidates_token_count: 2, total_token_count: 5 })).toEqual({
      ...{ inputTokens: 3, outputTokens: 2 },
    });
    expect(reportedGeminiUsage({ promptTokensDetails: [] })).toBeUndefined();
  });

  it('reads any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        endpoint.readRequest(value);
        endpoint.readAnswer(value);
        streamed({ candidates: value, usageMetadata: value, promptFeedback: value }).answer();
      }),
    );
  });
});
