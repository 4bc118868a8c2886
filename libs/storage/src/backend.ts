import type { Dialect, Sql } from './sql.js';
import type { WriteTx } from './write-tx.js';

export interface LongReadOptions {
  /** Gives up waiting; a query not yet begun is not run. */
  signal?: AbortSignal;
}

/** One database behind {@link Storage}: everything that differs between SQLite and Postgres. */
export interface Backend {
  readonly dialect: Dialect;

  /**
   * Runs `work` in a transaction, one attempt; durable when it returns.
   * On SQLite the caller sees to it that transactions do not overlap.
   */
  transaction<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>;

  /** A quick read by key; sees committed rows only. */
  read<Row>(query: Sql): Promise<Row[]>;

  /** A read that may take long; does not hold up the event loop. */
  readLong<Row>(query: Sql, options?: LongReadOptions): Promise<Row[]>;

  /** Drops statistics-driven and cached state, waits for reads, closes. */
  close(): Promise<void>;
}
