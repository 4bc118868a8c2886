import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ANSWER_SHAPES, askedFor } from '../../../../test/support/answer-shapes.js';
import { anyCharacter } from '../../../../test/support/any-character.js';
import {
  firstCodePoints,
  inputPreview,
  outputPreview,
  previewOfInput,
  previewOfOutput,
  type Previewed,
} from './preview-text.js';

const call = (value: unknown): Previewed => ({ json: JSON.stringify(value), isWhole: true, isLlmCall: true });
const other = (value: unknown): Previewed => ({ ...call(value), isLlmCall: false });
const user = (content: unknown) => ({ role: 'user', content });

describe('the preview of an input', () => {
  it.each<[string, Previewed, string | null]>([
    ['the last user message', call([user('first'), user('last'), { role: 'assistant', content: 'no' }]), 'last'],
    ['the texts of its parts', call([user([{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b'])]), 'a\nb'],
    ['the last user message with a text', call([user('asked'), user([{ type: 'tool_result' }])]), 'asked'],
    [
      'a call without a user message as JSON',
      call([{ role: 'system', content: 's' }]),
      '[{"role":"system","content":"s"}]',
    ],
    ['a text as it reads', other('line\n"quoted"'), 'line\n"quoted"'],
    ['a prompt of a call as it reads', call('prompt'), 'prompt'],
    ['other values as JSON', other({ q: [1] }), '{"q":[1]}'],
    ['messages of what is no call as JSON', other([user('x')]), '[{"role":"user","content":"x"}]'],
    [
      'own members alone',
      call([JSON.parse('{"__proto__":{"role":"user","content":"x"}}')]),
      '[{"__proto__":{"role":"user","content":"x"}}]',
    ],
    ['nothing where there is none', { json: null, isWhole: true, isLlmCall: true }, null],
  ])('is %s', (_what, previewed, expected) => {
    expect(inputPreview(previewed, 2_000)).toBe(expected);
  });

  it('is the last question of a long conversation, whatever is behind it', () => {
    const asked = [
      ...askedFor('When?'),
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'no' }] },
    ];
    expect(inputPreview(call(asked), 2_000)).toBe('When?');
    expect(inputPreview(call({ messages: asked }), 2_000)).toBe('When?');
    expect(previewOfInput(asked, 2_000)).toBe('When?');
  });

  it('is read from JSON in a text, unless that is long', () => {
    const asked = JSON.stringify([{ role: 'user', content: 'When?' }]);
    expect(inputPreview(call(asked), 2_000)).toBe('When?');
    expect(inputPreview(other(asked), 2_000)).toBe(asked);
    expect(inputPreview(call(`${asked}${' '.repeat(131_072)}`), 5)).toBe('[{"ro');
  });

  it('is the beginning of the JSON where that is too large to be read', () => {
    expect(inputPreview({ json: '[{"role":"us', isWhole: false, isLlmCall: true }, 5)).toBe('[{"ro');
  });
});

describe('the preview of an output', () => {
  it.each<[string, Previewed, string | null]>([
    ['the answer', call({ text: 'Paris', finish_reason: 'stop' }), 'Paris'],
    ['a call of tools as JSON', call({ text: '', tool_calls: [] }), '{"text":"","tool_calls":[]}'],
    ['a text as it reads', call('plain'), 'plain'],
    ['the member of what is no call as JSON', other({ text: 'x' }), '{"text":"x"}'],
  ])('is %s', (_what, previewed, expected) => {
    expect(outputPreview(previewed, 2_000)).toBe(expected);
  });

  it.each(Object.entries(ANSWER_SHAPES))('is the text of %s', (_form, shape) => {
    expect(outputPreview(call(shape('Noon.')), 2_000)).toBe('Noon.');
    expect(previewOfOutput(shape('Noon.'), 3)).toBe('Noo');
  });

  it('is nothing for no characters', () => {
    expect(outputPreview(call('x'), 0)).toBeNull();
  });
});

describe('the first code points of a text', () => {
  it('are as many as asked for, and no character is cut in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat({ max: 20 }), (text, count) => {
        expect(firstCodePoints(text, count)).toBe([...text].slice(0, count).join(''));
      }),
    );
  });
});
