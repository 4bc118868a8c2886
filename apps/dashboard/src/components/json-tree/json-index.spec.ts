import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { itemNumbers, nodeAt, visibleNodes, withOpened } from './json-rows.js';
import { indexJson, JSON_KIND, keyOf, memberOf } from './json-index.js';
import { indentJson, readableText } from './written-json.js';

const indexed = (text: string) => ({ text, index: indexJson(text)! });
const shown = ({ text, index }: ReturnType<typeof indexed>, nodes: Iterable<number>) =>
  [...nodes].map((node) => keyOf(text, index, node) ?? text.slice(index.from[node], index.to[node]));

const SPACED = fc.constantFrom(0, 2, '\t');

describe('indexJson', () => {
  it('finds every value where it stands', () => {
    const { text, index } = indexed(' { "a\\"b" : [1, -2.50e+10 , true], "c": {}, "d":"x\\\\" } ');
    const values = Array.from({ length: index.count }, (_, node) => text.slice(index.from[node], index.to[node]));
    expect(values.slice(1)).toEqual(['[1, -2.50e+10 , true]', '1', '-2.50e+10', 'true', '{}', '"x\\\\"']);
    expect([...index.kind]).toEqual([
      ...[JSON_KIND.object, JSON_KIND.array, JSON_KIND.number, JSON_KIND.number, JSON_KIND.word],
      ...[JSON_KIND.object, JSON_KIND.string],
    ]);
    expect([...index.depth]).toEqual([0, 1, 2, 2, 2, 1, 1]);
    expect([...index.end]).toEqual([7, 5, 3, 4, 5, 6, 7]);
    expect([...index.size]).toEqual([3, 3, 0, 0, 0, 0, 0]);
    expect(keyOf(text, index, 1)).toBe('a"b');
  });

  it('finds members by name, also those that mean something to JavaScript', () => {
    const { text, index } = indexed('{"__proto__":1,"a":[{"a":2}],"toString":3,"a":4}');
    expect(text[index.from[memberOf(text, index, 0, '__proto__')]!]).toBe('1');
    expect(text[index.from[memberOf(text, index, 0, 'a')]!]).toBe('4');
    expect(memberOf(text, index, 0, 'constructor')).toBe(-1);
    expect(memberOf(text, index, 1, 'a')).toBe(-1);
  });

  it('agrees with JSON.parse on any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), SPACED, (value, space) => {
        const { text, index } = indexed(JSON.stringify(value, null, space));
        expect(JSON.parse(text.slice(index.from[0], index.to[0]))).toEqual(JSON.parse(text));
        expect(JSON.parse(indentJson(text, index, 0))).toEqual(JSON.parse(text));
        expect(indentJson(text, index, 0)).toBe(JSON.stringify(JSON.parse(text), null, 2));
        expect(index.end[0]).toBe(index.count);
        expect(readableText(text, index, 0)).toEqual(expect.any(String));
      }),
    );
  });

  it.each(['', ' ', '{', '[1', '{"a"}', '{"a":}', '[1,]', '1 2', '"a', '{a:1}', '[}', ']'])('refuses %p', (text) => {
    expect(indexJson(text)).toBeNull();
  });

  it('takes JSON of any depth and size', () => {
    const depth = 100_000;
    expect(indexJson('['.repeat(depth) + ']'.repeat(depth))!.count).toBe(depth);
    expect(indexJson(JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ i }))))!.count).toBe(100_001);
  });
});

describe('rows of a JSON tree', () => {
  const tree = indexed('{"a":{"b":{"c":[1,2]}},"d":[[],3]}');

  it('are folded beyond the second level, until they are opened', () => {
    expect(shown(tree, visibleNodes(tree.index, new Set())).slice(1)).toEqual(['a', 'b', 'd', '[]', '3']);
    expect(shown(tree, visibleNodes(tree.index, new Set([2]))).slice(1)).toEqual(['a', 'b', 'c', 'd', '[]', '3']);
    expect(shown(tree, visibleNodes(tree.index, new Set([0])))).toHaveLength(1);
  });

  it('are opened around what is looked for', () => {
    const node = nodeAt(tree.index, tree.text.indexOf('2'));
    const opened = withOpened(tree.index, new Set([1]), node);
    expect(shown(tree, visibleNodes(tree.index, opened))).toContain('2');
  });

  it('are found by any offset of their name or value', () => {
    const { text, index } = tree;
    expect(nodeAt(index, text.indexOf('"c"') + 1)).toBe(3);
    expect(nodeAt(index, 0)).toBe(0);
    expect([...itemNumbers(index)]).toEqual([-1, -1, -1, -1, 0, 1, -1, 0, 1]);
  });
});

describe('readableText', () => {
  const read = (text: string) => readableText(text, indexJson(text)!, 0);

  it('is the text itself', () => {
    expect(read('"a\\n\\"b\\""')).toBe('a\n"b"');
    expect(read('12345678901234567890.10')).toBe('12345678901234567890.10');
    expect(read('[]')).toBe('[]');
  });

  it('has members and items below each other, line breaks kept', () => {
    const value = '[{"role":"user","content":"one\\n\\ntwo"},{"parts":[1,[2,3],{}],"empty":""}]';
    expect(read(value)).toBe(
      [
        '- role: user',
        '  content:',
        '    one',
        '',
        '    two',
        '- parts:',
        '    - 1',
        '    - - 2',
        '      - 3',
        '    - {}',
        '  empty: ""',
      ].join('\n'),
    );
  });
});
