import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  readFields,
  writeFields,
  faultOfField,
  fieldOf,
  jsonFieldOf,
  jsonOfField,
  readAs,
  type DatapointFields,
} from './datapoint-fields.js';
import type { Variant } from './datapoint-text.js';

const formOf = (variant: Variant, text: string): DatapointFields => readFields({ variant, text })!;

describe('the form of a datapoint', () => {
  it('keeps members that it does not show, digits, and what is left out', () => {
    const text = '{"input": 12345678901234567890, "tags": ["a"], "metadata": {"b": 1.5}}';
    expect(writeFields(formOf('Generic', text))).toBe(
      '{\n  "input": 12345678901234567890,\n  "metadata": {\n    "b": 1.5\n  },\n  "tags": [\n    "a"\n  ]\n}',
    );
  });

  it('keeps calls of tools and messages without content', () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [{ id: '1' }] },
      { role: 'tool' },
    ];
    const form = formOf('LlmConversation', JSON.stringify({ messages }));
    expect(JSON.parse(writeFields(form))).toEqual({ messages });
  });

  it('writes JSON that is not finished as it is, so that the text has the fault', () => {
    const form = formOf('Generic', '{"input": [1]}');
    if (form.variant !== 'Generic') throw new Error('another variant');
    const fields = { ...form.fields, input: { ...form.fields.input, text: '[1' } };
    expect(writeFields({ ...form, fields })).toBe('{\n  "input": [1\n}');
  });

  it.each([
    ['Generic', '{"input":'],
    ['LlmConversation', '{"messages": "none"}'],
    ['LlmConversation', '{"messages": [{"content": "no role"}]}'],
    ['Generic', '{"Generic": 1}'],
  ] as const)('cannot show %s %j', (variant, text) => {
    expect(readFields({ variant, text })).toBeNull();
  });

  it('gives every generic datapoint back', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (input, output, metadata) => {
          const members = { input, expected_output: output, metadata };
          const written = writeFields(formOf('Generic', JSON.stringify(members)));
          expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(members)));
        },
      ),
      { seed: 14 },
    );
  });
});

describe('a field of a datapoint', () => {
  it.each([['text'], [''], [null], [7], [{ a: [1] }], [[]], [false]])('gives %j back as it was', (value) => {
    expect(JSON.parse(jsonOfField(fieldOf(value))!)).toEqual(value);
  });

  it('is left out without a value, and where only JSON counts when it is empty', () => {
    expect(jsonOfField(fieldOf(undefined))).toBeNull();
    expect(jsonOfField({ ...jsonFieldOf({ a: 1 }), text: ' \n' })).toBeNull();
    expect(jsonOfField(jsonFieldOf(null))).toBeNull();
  });

  it('keeps blanks of a text, and every digit of a number', () => {
    expect(jsonOfField({ ...fieldOf(''), text: '  ' })).toBe('"  "');
    expect(jsonOfField({ as: 'json', text: ' 12345678901234567890 ', empty: '' })).toBe('12345678901234567890');
  });

  it('says what is no JSON yet, of JSON alone', () => {
    expect(faultOfField({ as: 'json', text: '{"a":', empty: '' })).toBe('This is not valid JSON yet.');
    expect(faultOfField({ as: 'json', text: '', empty: '' })).toBeUndefined();
    expect(faultOfField({ as: 'text', text: '{"a":', empty: '' })).toBeUndefined();
  });

  it.each([
    ['42', 'json', '42'],
    ['forty two', 'json', '"forty two"'],
    ['"a"', 'text', 'a'],
    ['{"a":1}', 'text', '{"a":1}'],
    ['', 'json', ''],
  ] as const)('of %j read as %s is %j', (text, as, expected) => {
    expect(readAs({ as: as === 'json' ? 'text' : 'json', text, empty: '' }, as)).toMatchObject({ as, text: expected });
  });
});
