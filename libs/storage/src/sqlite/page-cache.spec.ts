import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { cacheKib, PageCache } from './page-cache.js';

const PAGE = 16_384;
const MIB = 1024 * 1024;

describe('the page cache of the writer', () => {
  it.each([
    [0, 16],
    [512, 16],
    [1_024, 32],
    [2_048, 64],
    [100_000, 64],
  ])('of a database of %i MiB has %i MiB', (databaseMib, cacheMib) => {
    expect(cacheKib((databaseMib * MIB) / PAGE, PAGE)).toBe(cacheMib * 1024);
  });

  it('is set when it is made', () => {
    const database = new Database(':memory:');
    const cache = new PageCache(database);
    cache.fit();
    expect(database.pragma('cache_size', { simple: true })).toBe(-16 * 1024);
    database.close();
  });
});
