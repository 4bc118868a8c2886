import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { findMember, jsonMembers } from './json-members.js';

const membersOf = (text: string): [string, string][] =>
  [...jsonMembers(text)].map(({ name, valueStart, end }) => [name, text.slice(valueStart, end)]);

describe('the members of an object in JSON text', () => {
  it('are found with their values as they are written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (object, indent) => {
        const text = JSON.stringify(object, undefined, indent);
        expect(membersOf(text).map(([name, value]) => [name, JSON.parse(value) as unknown])).toEqual(
          Object.entries(JSON.parse(text) as object),
        );
      }),
    );
  });

  it('keep numbers, escapes and brackets within texts', () => {
    const text = ' { "a\\"" : 12345678901234567890 , "b":"]}\\\\" ,"c":[{"d":"{"},-1e400],"__proto__":null}';
    expect(membersOf(text)).toEqual([
      ['a"', '12345678901234567890'],
      ['b', '"]}\\\\"'],
      ['c', '[{"d":"{"},-1e400]'],
      ['__proto__', 'null'],
    ]);
  });

  it('are those of an object within another one', () => {
    const text = '{"a":1,"b":{"c":true}}';
    const { valueStart } = findMember(text, 'b')!;
    expect([...jsonMembers(text, valueStart)].map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
      ['c', '"c":true'],
    ]);
  });

  it('are none of what is no object, and of an empty one', () => {
    expect(['[1]', '"x"', 'null', '{}', '{ }'].flatMap(membersOf)).toEqual([]);
  });

  it('are found by name, the last one of several', () => {
    const text = '{"a":1,"a":2}';
    expect(text.slice(findMember(text, 'a')!.valueStart)).toBe('2}');
    expect(findMember(text, 'b')).toBeUndefined();
  });
});
