import { describe, expect, it } from '@jest/globals';
import { minWidthOf, tracksOf } from './grid-props.js';

const COLUMNS = [{ width: 100 }, { width: 200, grows: true }, { width: 50 }];

describe('the columns of a grid', () => {
  it('are tracks of which one takes what is left', () => {
    expect(tracksOf(COLUMNS)).toBe('100px minmax(200px, 1fr) 50px');
    expect(tracksOf([{ width: 200, grows: 560 }])).toBe('minmax(200px, 560px)');
    expect(tracksOf([{ width: 88, grows: 'in-wide-windows' }])).toBe('minmax(88px, clamp(88px, 30vw - 500px, 240px))');
  });

  it('are as wide as their tracks with the space between and beside them', () => {
    const between = 2 * 12;
    const beside = 2 * 8;
    expect(minWidthOf(COLUMNS, 0)).toBe(350 + between + beside);
    expect(minWidthOf(COLUMNS, 24)).toBe(24 + 12 + 350 + between + beside);
  });
});
