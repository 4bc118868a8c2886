import { describe, expect, it } from '@jest/globals';
import { commonParameters, recordedCall } from './recorded-call.js';

const input = [{ role: 'user', content: 'Hi' }];
const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' };

describe('a recorded call', () => {
  it('has what was sent but how the answer was to come', () => {
    const request = { tools: [{ name: 'tide' }], stream: true, stream_options: {}, n: 2, temperature: 1, seed: 7 };
    const metadata = { endpoint: '/v1/chat/completions', request: { ...request, max_completion_tokens: 50 } };
    expect(recordedCall({ input, kind, metadata })).toEqual({
      ...{ messages: input, model: 'gpt-5.1', provider: 'openai', tools: [{ name: 'tide' }], isCut: false },
      parameters: { temperature: 1, seed: 7, max_tokens: 50 },
    });
  });

  it('takes of another API than that of chats what all providers take', () => {
    const metadata = {
      endpoint: '/v1/responses',
      request: { temperature: 0, max_output_tokens: 9, text: {}, tools: [] },
    };
    expect(recordedCall({ input, kind, metadata })?.parameters).toEqual({ temperature: 0, max_tokens: 9 });
  });

  it('has its tools and parameters from the input where they stand there', () => {
    const call = recordedCall({ input: { messages: input, tools: [{ name: 'a' }], top_p: 1 }, kind, metadata: null });
    expect(call).toMatchObject({ messages: input, tools: [{ name: 'a' }], parameters: { top_p: 1 } });
    expect(recordedCall({ input, kind, metadata: { request: { options: { num_predict: 4 } } } })?.parameters).toEqual({
      ...{ options: { num_predict: 4 }, max_tokens: 4 },
    });
  });

  it('says when it was cut, and is none without messages', () => {
    expect(recordedCall({ input, kind, metadata: { truncated: true } })?.isCut).toBe(true);
    for (const other of [null, 'text', { prompt: 'x' }, []]) {
      expect([other, recordedCall({ input: other, kind, metadata: {} })]).toEqual([other, null]);
    }
  });

  it('has parameters that every provider takes', () => {
    expect(commonParameters({ temperature: 0, max_tokens: 1, seed: 7 })).toEqual({ temperature: 0, max_tokens: 1 });
    expect(commonParameters({ seed: 7 })).toEqual({});
  });
});
