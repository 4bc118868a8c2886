import type { DatapointKind, QueueItemResource } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { ANSWER_SHAPES, askedFor } from '../../../../../test/support/answer-shapes.js';
import { readOrFault } from '../../features/datapoint/datapoint-json.js';
import { contentOf, summaryOf, isKind, writeData, writeSubmitted } from './item-content.js';

const said = (role: string, content: string) => ({ role, content });
const itemOf = (kind: DatapointKind | null, more: Partial<QueueItemResource> = {}) =>
  ({ original_data: kind, ...more }) as QueueItemResource;

describe('what a reviewer reads of an item', () => {
  it('is a conversation and what is expected of it', () => {
    const kind = { LlmConversation: { messages: [said('system', 'Be brief.'), said('user', 'Hi?')], expected: 'Hi.' } };
    const { messages, texts } = contentOf(kind);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(texts).toEqual([{ name: 'Expected output', text: 'Hi.' }]);
    expect(summaryOf(itemOf(kind))).toBe('Hi?');
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

  it.each(Object.entries(ANSWER_SHAPES))('is the text of %s', (_form, shape) => {
    const answer = (kind: DatapointKind) => contentOf(kind).messages.at(-1);
    const input = askedFor('When?');
    const said = { isAnswer: true, parts: expect.arrayContaining([{ type: 'text', text: 'Noon.' }]) };
    expect(answer({ Generic: { input, actual_output: shape('Noon.') } })).toMatchObject(said);
    expect(summaryOf(itemOf({ Generic: { input } }))).toBe('When?');
  });

  it('has the answer as messages also below an input that is none', () => {
    const actual_output = { role: 'assistant', content: 'Noon.' };
    const { messages, texts } = contentOf({
      Generic: { input: 'When?', expected_output: actual_output, actual_output },
    });
    expect(messages.map(({ parts }) => parts)).toEqual([[{ type: 'text', text: 'Noon.' }]]);
    expect(texts).toEqual([
      { name: 'Input', text: 'When?' },
      { name: 'Expected output', text: 'Noon.' },
    ]);
  });

  it('is every member by name otherwise, and nothing without a value', () => {
    const kind = { Generic: { input: null, expected_output: '', actual_output: null, metadata: { a: 1 } } };
    expect(contentOf(kind)).toEqual({
      ...{ messages: [], answer: '' },
      texts: [
        { name: 'Input', text: 'null' },
        { name: 'Expected output', text: '' },
        { name: 'Metadata', text: '{\n  "a": 1\n}' },
      ],
    });
  });

  it('is said in one line', () => {
    expect(summaryOf(itemOf({ Generic: { input: ` a\n b ${'x'.repeat(200)}` } }))).toBe(`a b ${'x'.repeat(156)}…`);
    expect(summaryOf(itemOf({ Generic: { input: ' ' } }))).toBe('Item without a text');
  });

  it('is called by its id where it is no datapoint', () => {
    expect(summaryOf(itemOf(null, { trace_id: 't', span_id: null }))).toBe('Trace t');
    expect(summaryOf(itemOf(null, { trace_id: 't', span_id: 's' }))).toBe('Span s');
    expect(summaryOf(itemOf(null, { session_id: 'x' }))).toBe('Session x');
  });
});

describe('edited data', () => {
  it('is the datapoint without members that have no value, and keeps every digit', () => {
    const metadata = { seed: JSON.rawJSON('12345678901234567890') };
    const text = writeData({ Generic: { input: null, expected_output: 'x', score: null, metadata } });
    expect(JSON.parse(text)).toEqual({
      Generic: { input: null, expected_output: 'x', metadata: { seed: Number('12345678901234567890') } },
    });
    expect(text).toContain('12345678901234567890');
    const read = readOrFault(text);
    expect('data' in read && writeSubmitted(read.data)).toBe(text);
  });

  it('is any JSON, or the place where it is none', () => {
    expect(readOrFault('7')).toEqual({ data: 7 });
    expect(writeSubmitted('a text')).toBe('a text');
    expect(writeSubmitted([1])).toBe('[\n  1\n]');
    const read = readOrFault('{\n  "a": 1,\n}');
    expect('fault' in read && read.fault).toMatch(/^not valid JSON at line 3/);
  });

  it.each([
    [{ Generic: { input: 'x' } }, true],
    [{ LlmConversation: { messages: [{ role: 'user' }] } }, true],
    [{ Generic: {} }, false],
    [{ Generic: { input: 'x' }, LlmConversation: {} }, false],
    [{ LlmConversation: { messages: [] } }, false],
    [{ Other: { input: 'x' } }, false],
    ['x', false],
    [null, false],
    [{}, false],
  ])('%j is written back: %s', (data, expected) => {
    expect(isKind(data)).toBe(expected);
  });
});
