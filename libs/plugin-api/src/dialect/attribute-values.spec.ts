import { describe, expect, it } from '@jest/globals';
import { takeMembers, takeTree } from './attribute-tree.js';
import { attributeNames, countAt, hasAny, takeAt, textAt } from './attribute-values.js';
import type { OtelMap, OtelValue } from './otel-span.js';

const attributes: OtelMap = new Map<string, OtelValue>([
  ['first', ''],
  ['second', 'given'],
  ['count', 7],
  ['group.a', 1],
  ['group.b.0', 'x'],
  ['group.', 'nameless'],
  ['grouping', 'other'],
  ['group.none', null],
]);

describe('the readers of attributes', () => {
  it('read the first name that holds what is wanted', () => {
    const texts = ['absent', 'first', 'second'];
    for (const names of [texts, attributeNames(...texts)]) {
      expect(textAt(attributes, names)).toBe('given');
      expect(takeAt(attributes, names)).toEqual({ value: 'given', from: ['second'] });
      expect([hasAny(attributes, names), hasAny(attributes, ['absent'])]).toEqual([true, false]);
    }
    expect(countAt(attributes, ['second', 'count'])).toBe(7);
  });

  it('put together what begins with a prefix', () => {
    expect(takeMembers(attributes, 'group.', (member) => member === 'b.0')).toEqual({
      value: { a: 1 },
      from: ['group.a'],
    });
    expect(takeTree(attributes, 'group.b.')).toEqual({ value: ['x'], from: ['group.b.0'] });
    expect([takeMembers(attributes, 'none.'), takeTree(attributes, 'none.')]).toEqual([undefined, undefined]);
  });
});
