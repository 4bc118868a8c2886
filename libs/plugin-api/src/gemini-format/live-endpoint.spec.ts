import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readGeminiUsage } from './content.js';
import { geminiEndpointOf } from './generate-endpoint.js';
import { geminiLiveEndpoint } from './live-endpoint.js';

const answerOf = (...messages: unknown[]) => {
  const stream = geminiLiveEndpoint.readStream();
  for (const message of messages) stream.push({ data: JSON.stringify(message) });
  return stream.answer();
};
const says = (...parts: object[]) => ({ serverContent: { modelTurn: { parts } } });

describe("the endpoint of Gemini's Live API", () => {
  it.each([
    ['/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', true],
    ['/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained', true],
    ['/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent', true],
    ['/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateMusic', false],
    ['/v1beta/models/gemini-2.5-flash:generateContent', false],
  ])('is known by its path: %s', (path, isKnown) => {
    expect(geminiEndpointOf({ method: 'GET', path, headers: { upgrade: 'WebSocket' } }) !== undefined).toBe(isKnown);
    expect(geminiEndpointOf({ method: 'GET', path, headers: {} })).toBeUndefined();
  });

  it('reads text, thoughts, words of speech, code and calls of tools, numbers to the last digit', () => {
    expect(
      answerOf(
        says({ text: 'Tables first.', thought: true }, { text: 'One. ' }),
        says({ executableCode: { language: 'PYTHON', code: 'print(1)' } }, { inlineData: { data: '' } }),
        { serverContent: { outputTranscription: { text: 'Two.' } } },
      ),
    ).toMatchObject({
      text: 'One. \nTwo.',
      reasoning: 'Tables first.',
      toolCalls: [{ name: 'code_execution', arguments: { language: 'PYTHON', code: 'print(1)' } }],
      finishReason: 'tool_call',
    });
    const stream = geminiLiveEndpoint.readStream();
    stream.push({
      data: '{"toolCall":{"functionCalls":[{"name":"buy","args":{"price":3.1,"id":12345678901234567890}}]}}',
    });
    expect(JSON.stringify(stream.answer().toolCalls[0]!.arguments)).toBe('{"price":3.1,"id":12345678901234567890}');
  });

  it('has the reason that the server gives, an error, and nothing where nothing was said', () => {
    const over = (more: object) => ({ serverContent: { turnComplete: true, ...more } });
    expect(answerOf(over({ turnCompleteReason: 'MALFORMED_FUNCTION_CALL' })).finishReason).toBe(
      'MALFORMED_FUNCTION_CALL',
    );
    expect(answerOf(over({ interrupted: true })).finishReason).toBe('interrupted');
    expect(answerOf({ error: { code: 429, message: 'Quota' } }).error).toBe('Quota');
    expect(answerOf(over({})).text).toBeNull();
    expect(answerOf({ serverContent: { groundingMetadata: { webSearchQueries: ['a', 'b'] } } }).usage).toMatchObject({
      webSearchRequests: 2,
    });
  });

  it('reads the model of any name, and leaves the handle of a session out', () => {
    const request = {
      model: 'projects/p/locations/l/publishers/google/models/gemini-live-2.5-flash',
      session_resumption: { handle: 'h', transparent: true },
      system_instruction: { parts: [{ text: 'Be brief.' }] },
    };
    expect(geminiLiveEndpoint.readRequest(request)).toEqual({
      model: 'gemini-live-2.5-flash',
      input: [{ role: 'system', content: 'Be brief.' }],
      streaming: true,
      parameters: { session_resumption: { transparent: true } },
    });
  });

  it('counts thoughts and what tools gave back once, wherever the total has them', () => {
    const counts = { promptTokenCount: 100, responseTokenCount: 20 };
    const [asked, all] = [{ inputTokens: 100 }, { outputTokens: 30, reasoningTokens: 10 }];
    expect(readGeminiUsage({ ...counts, thoughtsTokenCount: 10 })).toMatchObject({ ...asked, ...all });
    expect(readGeminiUsage({ ...counts, thoughtsTokenCount: 10, totalTokenCount: 130 })).toMatchObject({
      ...asked,
      ...all,
    });
    // A session of Gemini 3.8 reported this: thoughts are in no other count.
    const live = { promptTokenCount: 522, responseTokenCount: 42, totalTokenCount: 564, thoughtsTokenCount: 136 };
    expect(readGeminiUsage(live)).toMatchObject({ inputTokens: 522, outputTokens: 178, reasoningTokens: 136 });
    const withTools = { ...counts, toolUsePromptTokenCount: 7, totalTokenCount: 127 };
    expect(readGeminiUsage(withTools)).toMatchObject({ inputTokens: 107, outputTokens: 20 });
    expect(readGeminiUsage({ promptTokenCount: 5, totalTokenCount: 5 })).toMatchObject({
      inputTokens: 5,
      outputTokens: 0,
    });
    expect(readGeminiUsage(undefined)).toMatchObject({ inputTokens: null, outputTokens: null });
    const video = {
      promptTokensDetails: [
        { modality: 'VIDEO', tokenCount: 3 },
        { modality: 'IMAGE', tokenCount: 4 },
      ],
    };
    expect(readGeminiUsage(video)).toMatchObject({ inputImageTokens: 7, inputAudioTokens: null });
  });

  it('reads any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        geminiLiveEndpoint.readRequest(value);
        geminiLiveEndpoint.readAnswer({ serverContent: value, toolCall: value, usageMetadata: value });
      }),
    );
  });
});
