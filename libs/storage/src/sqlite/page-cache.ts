import type Database from 'better-sqlite3';

/** Bounds of the writer's cache, in KiB, and which part of the database it is between them. */
const CACHE_KIB_MIN = 16 * 1024;
const CACHE_KIB_MAX = 64 * 1024;
const PART = 32;

/** The cache of the writing connection for a database of so many pages, in KiB. */
export const cacheKib = (pages: number, pageBytes: number): number =>
  Math.min(CACHE_KIB_MAX, Math.max(CACHE_KIB_MIN, Math.floor((pages * pageBytes) / 1024 / PART)));

/**
 * The page cache of the writing connection, as large as the database needs it. While a file is smaller than 1 GiB, every
 * commit that has split a page looks at all pages of the cache: SQLite lends the page at 1 GiB (`PENDING_BYTE`) its number
 * for the split, and then looks for pages behind the end of the file. 64 MiB of them took 0.6 ms a commit
 * (docs/adr/0040-what-a-write-costs.md).
 */
export class PageCache {
  private readonly count;
  private readonly pageBytes: number;
  private kib = 0;

  constructor(private readonly writer: Database.Database) {
    this.count = writer.prepare('pragma page_count').pluck();
    this.pageBytes = writer.pragma('page_size', { simple: true }) as number;
    this.fit();
  }

  /** Called when the database may have grown. */
  fit(): void {
    const wanted = cacheKib(this.count.get() as number, this.pageBytes);
    // A quarter more at least: a cache is not changed with every page.
    if (wanted < this.kib * 1.25 && this.kib !== 0) return;
    this.kib = wanted;
    this.writer.pragma(`cache_size = -${wanted}`);
  }
}
