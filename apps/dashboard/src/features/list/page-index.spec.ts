import { describe, expect, it } from '@jest/globals';
import { countRows, isComplete, locateRow, recordPage, wantedPages, type PageIndex } from './page-index.js';

const FIRST = { cursor: null, count: 200, next: 'b' };
const SECOND = { cursor: 'b', count: 180, next: 'c' };
const THIRD = { cursor: 'c', count: 30, next: null };
const ALL: PageIndex = [FIRST, SECOND, THIRD];

describe('the index of pages', () => {
  it('grows page by page', () => {
    const index = ALL.reduce<PageIndex>(recordPage, []);
    expect(index).toEqual(ALL);
    expect(countRows(index)).toBe(410);
    expect([isComplete([]), isComplete([FIRST]), isComplete(index)]).toEqual([false, false, true]);
  });

  it('stays the same where a page comes again', () => {
    expect(recordPage(ALL, { ...SECOND })).toBe(ALL);
  });

  it('has no gaps', () => {
    expect(recordPage([FIRST], THIRD)).toEqual([FIRST]);
    expect(recordPage([], SECOND)).toEqual([]);
    expect(recordPage(ALL, { cursor: 'x', count: 1, next: null })).toBe(ALL);
  });

  it('counts again what lost rows, and drops what is behind a page that ends elsewhere', () => {
    expect(countRows(recordPage(ALL, { ...SECOND, count: 179 }))).toBe(409);
    expect(recordPage(ALL, { ...FIRST, next: 'z' })).toEqual([{ ...FIRST, next: 'z' }]);
  });

  it('knows where a row is', () => {
    expect([-1, 0, 199, 200, 379, 380, 409, 410].map((row) => locateRow(ALL, row))).toEqual([
      null,
      { cursor: null, offset: 0 },
      { cursor: null, offset: 199 },
      { cursor: 'b', offset: 0 },
      { cursor: 'b', offset: 179 },
      { cursor: 'c', offset: 0 },
      { cursor: 'c', offset: 29 },
      null,
    ]);
  });

  it('wants what is on screen, and the page behind before it is reached', () => {
    expect(wantedPages([], 0, 40, 100)).toEqual([null]);
    expect(wantedPages([{ cursor: null, count: 0, next: null }], 0, 0, 100)).toEqual([null]);
    expect(wantedPages(ALL, 900, 940, 100)).toEqual(['c']);
    expect(wantedPages([FIRST], 0, 40, 100)).toEqual([null]);
    expect(wantedPages([FIRST], 60, 100, 100)).toEqual([null, 'b']);
    expect(wantedPages(ALL, 190, 230, 100)).toEqual([null, 'b']);
    expect(wantedPages(ALL, 379, 409, 100)).toEqual(['b', 'c']);
  });
});
