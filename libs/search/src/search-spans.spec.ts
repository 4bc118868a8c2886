import { describe, expect, it } from '@jest/globals';
import { fuseHits } from './search-spans.js';

const ranking = (...ids: string[]) => ids.map((id, at) => ({ id, score: 1_000 - at }));

describe('fuseHits', () => {
  it('puts what both rankings have above what one has, whatever their scores', () => {
    const fused = fuseHits(ranking('a', 'b', 'c'), [
      { id: 'd', score: 0.2 },
      { id: 'c', score: 0.1 },
    ]);
    expect(fused.map(({ id }) => id)).toEqual(['c', 'a', 'd', 'b']);
    expect(fused.every(({ score }, at) => at === 0 || score <= fused[at - 1]!.score)).toBe(true);
  });

  it('keeps the order of one ranking, and is empty of none', () => {
    expect(fuseHits(ranking('a', 'b'), []).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(fuseHits([], [])).toEqual([]);
  });
});
