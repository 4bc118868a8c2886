import { describe, expect, it } from '@jest/globals';
import { STATUS, type StoredSpan } from '@spandrel/tracing';
import { examineSpan } from './examine-span.js';

const MESSAGES = [{ role: 'user', content: 'When?' }];
const ANSWER = { text: 'At 7.', finish_reason: 'stop' };

type Given = Partial<Record<'input' | 'output' | 'metadata' | 'kindType' | 'status', unknown>>;

const examine = (span: Given) => {
  const { input = MESSAGES, output = ANSWER, metadata = {}, ...others } = span;
  const texts = { input: JSON.stringify(input), output: JSON.stringify(output), metadata: JSON.stringify(metadata) };
  const whole = {
    name: 'n',
    model: 'm',
    provider: 'p',
    kind: '{}',
    kindType: 'llm_call',
    status: STATUS.completed,
    ...others,
    ...texts,
  };
  return examineSpan(whole as unknown as StoredSpan, new Set(['email']));
};

describe('a span that is replayed', () => {
  it.each<[string, Given]>([
    ['not_llm_call', { kindType: 'tool_call' }],
    ['running', { status: STATUS.running }],
    ['failed', { status: STATUS.failed }],
    ['truncated', { metadata: { truncated: true } }],
    ['truncated', { metadata: { otel: { truncated: ['input'] } } }],
    ['masked', { output: { text: 'Ask [email].' } }],
    ['masked', { metadata: { request: { stop: '[name:abcdefghijklmnopqrst]' } } }],
    ['no_messages', { input: null }],
    ['no_messages', { input: '' }],
    ['no_messages', { input: ['a', 'b'] }],
    ['no_answer', { output: null }],
    ['no_answer', { output: { vectors: 2 } }],
  ])('is left out as %s', async (reason, span) => {
    expect(await examine(span)).toBe(reason);
  });

  it('is not left out for brackets that are no mask', async () => {
    expect(await examine({ input: [{ role: 'user', content: 'See [1] and [link](x).' }] })).toMatchObject({
      output: 'At 7.',
    });
  });

  it('has its tools and parameters, however they were recorded', async () => {
    const tools = [{ name: 'tides', input_schema: {} }];
    const sent = { tools, temperature: 0, max_tokens: 9 };
    const recorded = { provider: 'p', tools, parameters: { temperature: 0, max_tokens: 9 } };
    const called = { text: null, tool_calls: [{ id: 'a', name: 'tides', arguments: '{}' }] };
    expect(await examine({ metadata: { request: { ...sent, stream: true } }, output: called })).toEqual({
      kind: {
        LlmConversation: {
          messages: MESSAGES,
          expected: expect.any(String),
          metadata: { name: 'n', model: 'm', recorded },
        },
      },
      output: expect.stringContaining('"tides"'),
    });
    const beside = { messages: MESSAGES, tools, temperature: 0, max_completion_tokens: 9 };
    expect(await examine({ input: beside })).toMatchObject({ kind: { LlmConversation: { metadata: { recorded } } } });
    expect(await examine({ input: 'When?' })).toMatchObject({
      kind: { Generic: { input: 'When?', metadata: { recorded: { provider: 'p', parameters: {} } } } },
    });
  });
});
