import type { Query } from './statements/row-shape.js';
import type { Dialect, Sql } from './statements/sql.js';
import type { TransactionWatch, WriteTx } from './transactions/write-tx.js';

export interface LongReadOptions {
  /** Gives up waiting; a query not yet begun is not run. */
  signal?: AbortSignal;
  /** One of the many reads of a long work, such as a search or an export: it leaves room for quick ones. */
  patient?: boolean;
  /** The organization that reads: on Postgres each has a share of the places. Left out for the service's own reads. */
  orgId?: string | undefined;
}

export interface BackendState {
  longReadsWaiting: number;
  /** Connections, where there is a pool of them, and how many transactions and reads wait for one. */
  pool?: { busy: number; idle: number; waiting: number };
}

export interface BackendSize {
  parts: Readonly<Record<string, number>>;
  /** What can still be written, where that is known. */
  diskFree?: number;
}

export interface BackendTx extends WriteTx {
  /** Writes what its entity manager has to write and has not written yet. */
  flush(): Promise<void>;
  readonly watch: TransactionWatch;
}

/** One database behind {@link Storage}: everything that differs between SQLite and Postgres. */
export interface Backend {
  readonly dialect: Dialect;

  /** One attempt; durable when it returns. On SQLite the caller sees to it that transactions do not overlap. */
  transaction<T>(work: (tx: BackendTx) => Promise<T>): Promise<T>;

  /** A quick read by key; sees committed rows only. */
  read(query: Sql): Promise<unknown[]>;

  /** A read that may take long; does not hold up the event loop. */
  readLong(query: Sql & Pick<Query<unknown>, 'isPlannedOnce'>, options?: LongReadOptions): Promise<unknown[]>;

  /** Whether the database can be read and takes writes, tried out. @throws when not. */
  check(): Promise<void>;

  state(): BackendState;

  /** Asks the database or its files, so not for every request. */
  size(): Promise<BackendSize>;

  close(): Promise<void>;
}
