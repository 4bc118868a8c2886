import { describe, expect, it } from '@jest/globals';
import { contentOf, summaryOf } from './item-content.js';

const said = (role: string, content: string) => ({ role, content });

describe('what a reviewer reads of an item', () => {
  it('is a conversation and what is expected of it', () => {
    const kind = { LlmConversation: { messages: [said('system', 'Be brief.'), said('user', 'Hi?')], expected: 'Hi.' } };
    const { messages, texts } = contentOf(kind);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(texts).toEqual([{ name: 'Expected output', text: 'Hi.' }]);
    expect(summaryOf(kind)).toBe('Hi?');
  });

  it('is the recorded call where a datapoint has one as its input', () => {
    const kind = { Generic: { input: [said('user', 'Hi?')], actual_output: { text: 'Hello.' }, score: 0.5 } };
    const { messages, texts } = contentOf(kind);
    expect(messages.map(({ role, isAnswer }) => [role, isAnswer])).toEqual([
      ['user', false],
      ['assistant', true],
    ]);
    expect(texts).toEqual([{ name: 'Score', text: '0.5' }]);
  });

  it('is every member by name otherwise, and nothing without a value', () => {
    const kind = { Generic: { input: null, expected_output: '', actual_output: null, metadata: { a: 1 } } };
    expect(contentOf(kind)).toEqual({
      messages: [],
      texts: [
        { name: 'Input', text: 'null' },
        { name: 'Expected output', text: '' },
        { name: 'Metadata', text: '{\n  "a": 1\n}' },
      ],
    });
  });

  it('is told in one line', () => {
    expect(summaryOf({ Generic: { input: ` a\n b ${'x'.repeat(200)}` } })).toBe(`a b ${'x'.repeat(156)}…`);
    expect(summaryOf({ Generic: { input: ' ' } })).toBe('Item without a text');
  });
});
