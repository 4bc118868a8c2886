import { describe, expect, it } from '@jest/globals';
import { encodeCursor } from '@spandrel/storage';
import { readApplyCursor, writeApplyCursor } from './apply-prices.js';

describe('the cursor of applying prices', () => {
  it('says where to go on and what the run has come to', () => {
    const position = {
      behind: { id: 'span,1', startedAt: -5 },
      soFar: {
        changed: 3,
        unchanged: 4,
        reported: 0,
        before: { usd: 1, pico: 250_000_000_000 },
        after: { usd: 2, pico: 1 },
      },
    };
    expect(readApplyCursor(writeApplyCursor(position))).toEqual(position);
  });

  it.each(['', '1,2,3', '1,2,3,4,5,6,7,8,9', '1,2,3,4,5,6,7,x', '1,2,3,4,5,6,7,0.5'])(
    'is refused with %j in it',
    (value) => {
      const cursor = encodeCursor('prices:apply', { value, id: 'a' });
      expect(() => readApplyCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
    },
  );
});
