import { describe, expect, it } from '@jest/globals';
import { takeList, takeMembers, takeTree } from './attribute-tree.js';
import type { OtelValue } from './otel-span.js';

const map = (attributes: Record<string, OtelValue>) => new Map(Object.entries(attributes));

describe('attributes that flatten one value', () => {
  it('are put together again, numbers as a list in their order, gaps left out', () => {
    const taken = takeTree(
      map({ 'a.b.10.x': 'last', 'a.b.2.x': 1, 'a.b.2.y.z': true, 'a.bc': 'other', 'a.b': 'other' }),
      'a.b.',
    );
    expect(taken).toEqual({
      value: [{ x: 1, y: { z: true } }, { x: 'last' }],
      from: ['a.b.10.x', 'a.b.2.x', 'a.b.2.y.z'],
    });
  });

  it('keep members of any name, and nothing of an object that all objects share', () => {
    const { value } = takeTree(
      new Map<string, OtelValue>([
        ['a.__proto__.x', 1],
        ['a.constructor', 2],
      ]),
      'a.',
    )!;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}');
    expect({}).not.toHaveProperty('x');
  });

  it('give way to one that stands in their place already', () => {
    const structured = new Map([['kept', 1]]);
    const taken = takeTree(map({ 'a.b': structured, 'a.b.c': 2, 'a.d.e': 3, 'a.d': 4 }), 'a.');
    expect(taken).toEqual({ value: { b: { kept: 1 }, d: { e: 3 } }, from: ['a.b', 'a.d.e'] });
  });

  it('are left out beyond 32 levels, without a value, and where asked', () => {
    const deep = (levels: number) => `a${'.b'.repeat(levels)}`;
    const taken = takeTree(map({ [deep(33)]: 1, 'a.c': null, 'a.d': 2, 'a.e': 3 }), 'a.', (name) => name === 'a.e');
    expect(taken).toEqual({ value: { d: 2 }, from: ['a.d'] });
    expect(takeTree(map({ [deep(32)]: 1 }), 'a.')?.from).toEqual([deep(32)]);
    expect(takeTree(map({ ab: 1, b: 2 }), 'a.')).toBeUndefined();
  });
});

describe('attributes with one prefix', () => {
  it('are members named by what follows it', () => {
    const taken = takeMembers(
      map({ 'a.b': 1, 'a.c.d': 2, 'a.': 3, 'ab.c': 4, 'a.e': 5 }),
      'a.',
      (member) => member === 'e',
    );
    expect(taken).toEqual({ value: { b: 1, 'c.d': 2 }, from: ['a.b', 'a.c.d'] });
  });
});

describe('attributes that flatten a list', () => {
  it('leave names out that are of no element', () => {
    const attributes = map({ 'a.1.x': 'second', 'a.0.x': 'first', 'a.0.y': 'left', 'a.name': 'other' });
    expect(takeList(attributes, 'a.', (name) => name.endsWith('.y'))).toEqual({
      value: [{ x: 'first' }, { x: 'second' }],
      from: ['a.1.x', 'a.0.x'],
    });
    expect(takeList(map({ 'a.name': 'other' }), 'a.')).toBeUndefined();
  });
});
