import { describe, expect, it } from '@jest/globals';
import { datapointKindSchema } from '@spandrel/contract';
import fc from 'fast-check';
import { ANSWER_SHAPES, askedFor, CALL_SHAPES } from '../../../test/support/answer-shapes.js';
import { datapointOfSpan } from './datapoint-of-span.js';

const span = (input: unknown, output: unknown = null, kindType = 'custom') => ({
  kindType,
  input: input === null ? null : JSON.stringify(input),
  output: output === null ? null : JSON.stringify(output),
});
const messages = [
  { role: 'system', content: 'be brief', name: 's' },
  { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] },
];

describe('a datapoint of a span', () => {
  it('is a conversation when the input is messages, expecting the text of the output', async () => {
    const conversation = (expected: string | null) => ({
      LlmConversation: { messages, expected, metadata: null },
    });
    expect(await datapointOfSpan(span(messages, 'hello'))).toEqual(conversation('hello'));
    expect(await datapointOfSpan(span(messages, { text: 'hello', finish_reason: 'stop' }))).toEqual(
      conversation('hello'),
    );
    for (const output of [null, { text: 5 }, ['hello'], 7, { other: 'hello' }]) {
      expect(await datapointOfSpan(span(messages, output))).toEqual(conversation(null));
    }
  });

  it.each(Object.entries(ANSWER_SHAPES))('expects the text of %s', async (_form, shape) => {
    const asked = askedFor('When?');
    expect(await datapointOfSpan(span(asked, shape('Noon.')))).toEqual({
      LlmConversation: { messages: asked, expected: 'Noon.', metadata: null },
    });
    expect(await datapointOfSpan(span('When?', shape('Noon.'), 'llm_call'))).toEqual({
      Generic: { input: 'When?', expected_output: 'Noon.' },
    });
  });

  it.each(Object.entries(CALL_SHAPES))('expects the calls of tools of %s', async (_form, output) => {
    expect(await datapointOfSpan(span(messages, output, 'llm_call'))).toMatchObject({
      LlmConversation: {
        expected: expect.stringMatching(/^\{"tool_calls":\[\{"id":"c1","name":"tides","arguments":.*noon/),
      },
    });
  });

  it('is Generic for every other input, expecting the output as it is', async () => {
    for (const input of [
      null,
      'text',
      7,
      [],
      {},
      { role: 'user', content: 'x' },
      [...messages, 'x'],
      [{ role: 1, content: 'x' }],
      [{ role: 'user' }],
      [{ role: 'user', content: 7 }],
    ]) {
      expect(await datapointOfSpan(span(input, { text: 'x' }))).toEqual({
        Generic: { input, expected_output: { text: 'x' } },
      });
    }
    expect(await datapointOfSpan(span('running'))).toEqual({ Generic: { input: 'running', expected_output: null } });
  });

  it('keeps numbers exactly', async () => {
    const kind = await datapointOfSpan({
      kindType: 'custom',
      input: '[12345678901234567890]',
      output: '{"text":12345678901234567890}',
    });
    expect(JSON.stringify(kind)).toBe(
      '{"Generic":{"input":[12345678901234567890],"expected_output":{"text":12345678901234567890}}}',
    );
  });

  it('is always a kind that the API takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (input, output) => {
        expect(datapointKindSchema.safeParse(await datapointOfSpan(span(input, output))).success).toBe(true);
      }),
    );
  });
});
