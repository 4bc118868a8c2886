import { describe, expect, it } from '@jest/globals';
import { claimAt, namesIn } from './jwt.settings.js';

describe('the path of a claim', () => {
  const claims = {
    org: 'plain',
    'https://spandrel.example/org': 'namespaced',
    'a.b': 'dotted name',
    a: { b: 'inside', c: { 'd.e': 'deep' } },
    resource_access: { 'spandrel.example': { roles: ['editor'] } },
  };

  it.each([
    ['org', 'plain'],
    ['https://spandrel.example/org', 'namespaced'],
    ['a.b', 'dotted name'],
    ['a.c', { 'd.e': 'deep' }],
    [['a', 'b'], 'inside'],
    [['a', 'c', 'd.e'], 'deep'],
    [['resource_access', 'spandrel.example', 'roles'], ['editor']],
    ['a.x', undefined],
    ['org.x', undefined],
    ['org.length', undefined],
    ['constructor', undefined],
    ['a.constructor.name', undefined],
    [['__proto__'], undefined],
    ['', undefined],
  ])('%j leads to %j', (path, found) => {
    expect(claimAt(claims, path)).toEqual(found);
  });

  it('leads to names as a list or as words', () => {
    expect(namesIn(['a', 7, null, 'b c'])).toEqual(['a', 'b c']);
    expect(namesIn(' a  b ')).toEqual(['a', 'b']);
    for (const none of [undefined, null, 7, {}, [['a']], true]) expect(namesIn(none)).toEqual([]);
  });
});
