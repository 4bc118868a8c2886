import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import { maskJson } from './json-walk.js';
import { TextMasker } from './text-masker.js';

const finder = {
  lengthMin: 4,
  numbers: true,
  find: (text: string) => [...text.matchAll(/anna|4111/g)].map(({ index }) => ({ start: index, end: index + 4 })),
};
const masker = new TextMasker([{ masker: 'x', label: 'x', hashes: false, finder }], {
  hashes: null,
  onFailure: () => undefined,
});
const masked = (value: unknown): unknown => maskJson(value, masker);

describe('maskJson', () => {
  it('masks texts at every depth and leaves the structure', () => {
    expect(masked({ a: ['anna', { b: 'hi anna!' }], c: null, d: true, e: 5 })).toEqual({
      a: ['[x]', { b: 'hi [x]!' }],
      c: null,
      d: true,
      e: 5,
    });
  });

  it('gives back by reference what holds nothing', () => {
    const value = { a: [{ b: 'berta' }], c: { anna: 1 } };
    expect(masked(value.a)).toBe(value.a);
    expect((masked(value) as typeof value).a).toBe(value.a);
  });

  it('masks numbers with a value in them as a whole, exact ones too', () => {
    const value = parseExactJson('{"small":4111,"big":41119007199254740993,"other":9007199254740993}');
    expect(JSON.stringify(masked(value))).toBe('{"small":"[x]","big":"[x]","other":9007199254740993}');
  });

  it('masks names of members, distinguishes them, and keeps those of the structure', () => {
    expect(masked({ anna: 1, 'anna 4111': 2, 'not anna': 3 })).toEqual({ '[x]': 1, '[x] [x]': 2, 'not [x]': 3 });
    expect(masked({ '4111': 1, anna: 2 })).toEqual({ '[x]': 1, '[x] 2': 2 });
    const everything = { lengthMin: 1, find: (text: string) => [{ start: 0, end: text.length }] };
    const all = new TextMasker([{ masker: 'y', label: 'y', hashes: false, finder: everything }], {
      hashes: null,
      onFailure: () => undefined,
    });
    expect(maskJson({ messages: [{ role: 'user', content: 'anna' }] }, all)).toEqual({
      messages: [{ role: '[y]', content: '[y]' }],
    });
  });

  it('keeps own members named __proto__', () => {
    const value = JSON.parse('{"__proto__":{"a":"anna"}}') as object;
    expect(JSON.stringify(masked(value))).toBe('{"__proto__":{"a":"[x]"}}');
  });
});
