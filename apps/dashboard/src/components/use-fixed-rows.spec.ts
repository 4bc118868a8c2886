import { describe, expect, it } from '@jest/globals';
import { rowsIn, scrollTopFor } from './use-fixed-rows.js';

const ROW = 20;
const SEEN = { scrollTop: 1_000, height: 200 };

describe('rowsIn', () => {
  it('draws what is seen and some around it, within the list', () => {
    expect(rowsIn(SEEN, ROW, 1_000)).toEqual([40, 70]);
    expect(rowsIn({ scrollTop: 0, height: 200 }, ROW, 1_000)).toEqual([0, 20]);
    expect(rowsIn(SEEN, ROW, 55)).toEqual([40, 55]);
    expect(rowsIn(SEEN, ROW, 0)).toEqual([0, 0]);
  });
});

describe('scrollTopFor', () => {
  it('moves no more than it must, and brings what is far away to the middle', () => {
    expect(scrollTopFor(50, SEEN, ROW)).toBe(1_000);
    expect(scrollTopFor(60, SEEN, ROW)).toBe(1_020);
    expect(scrollTopFor(49, SEEN, ROW)).toBe(980);
    expect(scrollTopFor(200, SEEN, ROW)).toBe(3_910);
    expect(scrollTopFor(0, SEEN, ROW)).toBe(0);
  });
});
