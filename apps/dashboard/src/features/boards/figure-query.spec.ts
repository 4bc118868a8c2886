import { describe, expect, it } from '@jest/globals';
import { readFigureQuery, writeFigureQuery } from './figure-query.js';

describe('the query of a figure of a board', () => {
  it('is read as it was written', () => {
    const searches = [
      {},
      { range: '7d' as const, split_by: 'model' as const },
      { since: '2026-03-01T00:00:00.000Z', group_by: 'day' as const, of: 'traces' as const, model: 'a&b=c +ü' },
    ];
    for (const search of searches) {
      const query = writeFigureQuery(search);
      expect(readFigureQuery({ title: 't', figure: 'cost', query })).toEqual(search);
    }
  });

  it('leaves out what the page Analytics does not know', () => {
    expect(readFigureQuery({ title: 't', figure: 'cost', query: 'utm_source=x&range=ever&split_by=model' })).toEqual({
      split_by: 'model',
    });
  });
});
