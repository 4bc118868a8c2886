import { describe, expect, it } from '@jest/globals';
import { clusterKey, Clusters } from './clusters.js';

describe('clusters', () => {
  it('are numbered in the order in which they appear', () => {
    const clusters = new Clusters(5);
    for (const key of ['a', 'b', undefined, 'a', undefined]) clusters.add(key);
    expect(clusters.numbers).toEqual(Int32Array.from([0, 1, 2, 0, 3]));
    expect(clusters.total).toBe(4);
  });

  it('have keys by value', () => {
    expect(clusterKey({ doc: 1 }, 'doc')).not.toBe(clusterKey({ doc: '1' }, 'doc'));
    expect(clusterKey({ doc: { a: 1, b: [2, { c: 3, d: 4 }] } }, 'doc')).toBe(
      clusterKey({ doc: { b: [2, { d: 4, c: 3 }], a: 1 } }, 'doc'),
    );
    expect(clusterKey({ doc: false }, 'doc')).toBe('false');
  });

  it('have no key without the member', () => {
    for (const metadata of [null, undefined, 'doc', {}, { doc: null }, { other: 1 }]) {
      expect(clusterKey(metadata, 'doc')).toBeUndefined();
    }
    expect(clusterKey({}, 'toString')).toBeUndefined();
  });
});
