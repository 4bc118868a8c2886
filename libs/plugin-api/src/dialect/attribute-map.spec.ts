import { describe, expect, it } from '@jest/globals';
import { AttributeMap, withAttribute, type GrowingAttributes } from './attribute-map.js';
import { attributeNames } from './attribute-names.js';
import { takeMembers, takeTree } from './attribute-tree.js';
import { countAt, hasAny, takeAt, textAt } from './attribute-values.js';
import type { OtelMap, OtelValue } from './otel-span.js';
import { WorkedOut } from './worked-out.js';

type Pairs = readonly (readonly [string, OtelValue])[];

function attributesOf(pairs: Pairs): GrowingAttributes {
  let attributes: GrowingAttributes = new AttributeMap();
  for (const [name, value] of pairs) attributes = withAttribute(attributes, name, value);
  return attributes;
}

const numbered = (count: number, prefix = 'n'): Pairs => Array.from({ length: count }, (_, n) => [`${prefix}${n}`, n]);

/** Everything that a map can be asked. */
function reportedBy(map: OtelMap, names: readonly string[]): unknown {
  const each: unknown[] = [];
  map.forEach((value, name) => each.push([name, value]));
  return {
    size: map.size,
    pairs: [...map],
    entries: [...map.entries()],
    keys: [...map.keys()],
    values: [...map.values()],
    each,
    got: names.map((name) => [map.has(name), map.get(name)]),
  };
}

describe('attributes by the shape of their names', () => {
  it.each<[string, Pairs]>([
    ['none', []],
    ['a few', [...numbered(3), ['__proto__', null], ['', 'empty'], ['constructor', true]]],
    ['a name twice, the last of which counts', [...numbered(3), ['n1', 'again'], ['m', 1]]],
    [
      'a name of any length',
      [
        ['n0', 1],
        ['long'.repeat(100), 2],
        ['m', 3],
      ],
    ],
    ['more than have a shape', [...numbered(130), ['n129', 'again']]],
  ])('return what a Map returns: %s', (_, pairs) => {
    const asked = ['n0', 'n1', 'n129', '__proto__', '', 'constructor', 'toString', 'm', 'absent'];
    for (let times = 0; times < 2; times++) {
      expect(reportedBy(attributesOf(pairs), asked)).toEqual(reportedBy(new Map(pairs), asked));
    }
  });

  it('share one shape where the names and their order are the same, and no other', () => {
    const shapeOf = (...names: string[]): unknown => {
      const attributes = attributesOf(names.map((name, value) => [name, value]));
      return attributes instanceof AttributeMap && attributes.shape;
    };
    expect(shapeOf('a', 'b')).toBe(shapeOf('a', 'b'));
    expect(shapeOf('a', 'c')).toBe(shapeOf('a', 'c'));
    expect(shapeOf('a', 'b')).toBe(shapeOf('a', 'b'));
    expect(new Set([shapeOf('a'), shapeOf('a', 'b'), shapeOf('b', 'a'), shapeOf('a', 'c')]).size).toBe(4);
  });

  it('are right for anyone who sends ever new names, whose shapes start over', () => {
    const before = attributesOf([['kept', 1]]);
    let right = 0;
    for (let n = 0; n < 70_000; n++) if (attributesOf([[`new.${n}`, n]]).get(`new.${n}`) === n) right++;
    expect(right).toBe(70_000);
    expect([...withAttribute(before, 'more', 2)]).toEqual([
      ['kept', 1],
      ['more', 2],
    ]);
    expect(textAt(attributesOf([['new.1', 'x']]), attributeNames('new.1'))).toBe('x');
  });

  it('have what follows from their names worked out once', () => {
    let times = 0;
    const lengths = new WorkedOut((names) => {
      times++;
      return { length: names.join('').length };
    });
    const reported = [numbered(3, 'worked'), numbered(3, 'worked'), numbered(2, 'worked')].map(
      (pairs) => lengths.of(attributesOf(pairs)).length,
    );
    expect([reported, times]).toEqual([[21, 21, 14], 2]);
    expect(lengths.of(new Map(numbered(3))).length).toBe(6);
  });
});

describe('the readers of attributes', () => {
  const pairs: Pairs = [
    ['first', ''],
    ['second', 'given'],
    ['count', 7],
    ['group.a', 1],
    ['group.b.0', 'x'],
    ['group.', 'nameless'],
    ['grouping', 'other'],
    ['group.none', null],
  ];

  it.each([
    ['a Map', new Map(pairs)],
    ['attributes of a decoder', attributesOf(pairs)],
  ])('read the same from %s, by names made before or in place', (_, attributes: OtelMap) => {
    const texts = ['absent', 'first', 'second'];
    const counts = ['second', 'count'];
    for (let times = 0; times < 2; times++) {
      for (const [ofTexts, ofCounts] of [
        [attributeNames(...texts), attributeNames(...counts)],
        [texts, counts],
      ] as const) {
        expect(textAt(attributes, ofTexts)).toBe('given');
        expect(countAt(attributes, ofCounts)).toBe(7);
        expect(takeAt(attributes, ofTexts)).toEqual({ value: 'given', from: ['second'] });
        expect([hasAny(attributes, ofTexts), hasAny(attributes, ['absent'])]).toEqual([true, false]);
      }
      expect(takeMembers(attributes, 'group.', (member) => member === 'b.0')).toEqual({
        value: { a: 1 },
        from: ['group.a'],
      });
      expect(takeTree(attributes, 'group.b.')).toEqual({ value: ['x'], from: ['group.b.0'] });
      expect([takeMembers(attributes, 'none.'), takeTree(attributes, 'none.')]).toEqual([undefined, undefined]);
    }
  });
});
