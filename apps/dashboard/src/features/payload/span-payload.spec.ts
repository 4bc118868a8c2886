import { describe, expect, it } from '@jest/globals';
import { ANSWER_SHAPES, askedFor } from '../../../../../test/support/answer-shapes.js';
import { SpanPayload } from './span-payload.js';

const SPAN = `{"id":"s","kind":{"type":"llm_call","model":"m","provider":"openai"},
 "input":[{"role":"user","content":"Hi\\nyou"}],
 "output":{"text":"# Ho","finish_reason":"stop","seed":12345678901234567890},
 "metadata":{"endpoint":"/v1/chat/completions","time_to_first_token_ms":80,"request":{"seed":12345678901234567890}}}`;
const payload = new SpanPayload(SPAN);

describe('SpanPayload', () => {
  it('says how much there is and what the call was like', () => {
    expect(payload.summary()).toEqual({
      lengths: { input: 37, output: 66, metadata: 103, call: 103, raw: SPAN.length },
      timeToFirstTokenMs: 80,
      finishReason: 'stop',
    });
    expect(new SpanPayload('{"input":null,"output":"x"}').summary()).toEqual({
      lengths: { input: 0, output: 3, metadata: 0, call: 3, raw: 27 },
      timeToFirstTokenMs: null,
      finishReason: null,
    });
  });

  it('shows every digit, in each format', () => {
    const { text, index } = payload.jsonOf('output');
    expect(text).toContain('12345678901234567890');
    expect(index.count).toBe(4);
    expect(payload.textOf('output').text).toBe('text: # Ho\nfinish_reason: stop\nseed: 12345678901234567890');
    expect(payload.curl({ url: 'http://g', isCloud: false })).toContain('"seed":12345678901234567890');
  });

  it('keeps line breaks of a text, and finds in what is shown', () => {
    expect(payload.textOf('input').text).toBe('- role: user\n  content:\n    Hi\n    you');
    expect(payload.find('input', 'text', 'YOU')).toEqual([{ from: 35, to: 38 }]);
    expect(payload.find('input', 'json', 'hi\nyou')).toHaveLength(1);
    expect(payload.find('raw', 'json', 'finish_reason')).toHaveLength(1);
  });

  it('has markdown where there is a text that is not too long', () => {
    expect(payload.markdownOf('output')).toBe('# Ho');
    expect(payload.markdownOf('input')).toBeNull();
    expect(new SpanPayload(`{"output":"${'x'.repeat(100_001)}"}`).markdownOf('output')).toBeNull();
  });

  it('has the conversation, and input and output together', () => {
    expect(payload.messages().map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(payload.datapoint()).toEqual({
      kind: 'Conversation',
      messages: [{ role: 'user', name: null, isAnswer: false, parts: [{ type: 'text', text: 'Hi\nyou' }] }],
      ...{ expected: '# Ho', isUnread: false, texts: [] },
    });
    expect(JSON.parse(payload.jsonOf('call').text)).toMatchObject({
      input: [{ role: 'user' }],
      output: { text: '# Ho' },
    });
  });

  it('shows a datapoint that is no conversation by its texts, every digit of them', () => {
    const generic = new SpanPayload('{"input":{"n":12345678901234567890},"output":null}');
    expect(generic.datapoint()).toEqual({
      ...{ kind: 'Generic', messages: [], expected: '', isUnread: false },
      texts: [{ name: 'Input', text: 'n: 12345678901234567890' }],
    });
  });

  it.each(Object.entries(ANSWER_SHAPES))('shows the text of %s', (_form, shape) => {
    const span = { kind: { type: 'llm_call' }, input: askedFor('When?'), output: shape('# Noon') };
    const read = new SpanPayload(JSON.stringify(span));
    expect(read.markdownOf('output')).toBe('# Noon');
    expect(read.messages().at(-1)).toMatchObject({ isAnswer: true });
    expect(read.messages().at(-1)!.parts).toContainEqual({ type: 'text', text: '# Noon' });
    expect(read.datapoint()).toMatchObject({ kind: 'Conversation', expected: '# Noon' });
    const prompted = new SpanPayload(JSON.stringify({ ...span, input: 'When?' }));
    expect(prompted.datapoint()).toMatchObject({ kind: 'Generic', expected: '# Noon' });
  });

  it('says when a datapoint expects nothing since the answer was not understood', () => {
    const read = new SpanPayload('{"input":[{"role":"user","content":"x"}],"output":{"other":1}}');
    expect(read.datapoint()).toMatchObject({ expected: '', isUnread: true, texts: [] });
  });

  it('says when the answer is none', () => {
    expect(() => new SpanPayload('<html>')).toThrow('could not be read');
  });
});
