import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['portt', 'port'],
    ['prot', 'port'],
    ['hots', 'host'],
    ['dataDir', 'data_dir'],
    ['data-dir', 'data_dir'],
    ['PORT', 'port'],
    ['dir', 'data_dir'],
    ['zzz', undefined],
    ['', undefined],
    ['__', undefined],
    ['p'.repeat(1_000_000), undefined],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestName(name, ['port', 'host', 'data_dir'])).toBe(nearest);
  });

  it.each([
    ['nam', 'name'],
    ['modle', 'model'],
    ['tags', 'tag'],
    ['sessionid', 'session_id'],
    ['session', 'session_id'],
    ['model_name', 'model'],
    ['to_tag', 'tag'],
    ['tag[]', 'tag'],
    ['order', 'sort_order'],
    ['sort', 'sort_by'],
    ['constructor', undefined],
    ['foobar', undefined],
    ['page', undefined],
  ])('of %s among members is %s', (name, nearest) => {
    const known = ['name', 'model', 'tag', 'session_id', 'sort_by', 'sort_order', 'limit', 'format', 'cursor'];
    expect(nearestName(name, known)).toBe(nearest);
  });

  it('takes no name for near that shares but the word id', () => {
    expect(nearestName('connection_id', ['name', 'id'])).toBeUndefined();
    expect(nearestName('session', ['id', 'session_id'])).toBe('session_id');
  });

  it('prefers fewer wrong characters to shared words, and the first of equally near names', () => {
    expect(nearestName('nme', ['same', 'name_contains', 'name'])).toBe('name');
    expect(nearestName('bat', ['cat', 'hat'])).toBe('cat');
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'xbc', 1],
    ['kitten', 'sitting', 3],
  ])('of %j and %j is %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is the same both ways, none for the same text alone, and at most the longer length', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});
