import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sampleOf } from './choose-spans.js';

describe('sampleOf', () => {
  it('takes exactly so many, in their order, the same with the same seed whatever others come', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 60 }), fc.nat(70), fc.integer(), (ids, count, seed) => {
        const chosen = sampleOf(ids, count, seed);
        expect(chosen).toHaveLength(Math.min(count, ids.length));
        expect(chosen).toEqual(ids.filter((id) => chosen.includes(id)));
        expect(sampleOf(ids.toReversed(), count, seed).toSorted()).toEqual(chosen.toSorted());
        // One that is left out takes no other's place.
        const without = ids.filter((id) => id !== ids.find((each) => !chosen.includes(each)));
        if (without.length >= count) expect(sampleOf(without, count, seed)).toEqual(chosen);
      }),
    );
  });
});
