import { describe, expect, it } from '@jest/globals';
import { readInputAndExpected, expectedText } from './eval-item.js';

const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });

describe('the expected value', () => {
  it('is absent when it is null or missing', () => {
    expect(readInputAndExpected(generic('x')).expected).toBeUndefined();
    expect(readInputAndExpected(generic('x', null)).expected).toBeUndefined();
    expect(readInputAndExpected({ LlmConversation: { messages: [], expected: null } }).expected).toBeUndefined();
    expect(expectedText(undefined)).toBeNull();
  });

  it('is a text as it is, other JSON compact', () => {
    expect(expectedText(readInputAndExpected(generic('x', '')).expected)).toBe('');
    expect(expectedText(readInputAndExpected(generic('x', { b: 1 })).expected)).toBe('{"b":1}');
    expect(expectedText(readInputAndExpected(generic('x', 0)).expected)).toBe('0');
    expect(expectedText(readInputAndExpected({ LlmConversation: { messages: [], expected: 'Y' } }).expected)).toBe('Y');
  });
});
