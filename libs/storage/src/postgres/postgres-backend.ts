import { setTimeout as pause } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type pg from 'pg';
import type { Backend, BackendSize, BackendState, LongReadOptions } from '../backend.js';
import { renderSql, sql, type Sql } from '../sql.js';
import { isConnectionLost } from '../storage-errors.js';
import type { WriteTx } from '../write-tx.js';
import { PostgresTx } from './postgres-tx.js';

export interface PostgresBackendParts {
  pool: pg.Pool;
  /** Makes an entity manager that works on one connection of the pool. */
  makeManager: (client: pg.PoolClient) => SqlEntityManager;
  /** Closes the pool. */
  close: () => Promise<void>;
}

/** How often and how long the fate of a commit is asked for after its connection broke: 5 s in all. */
const FATE_ATTEMPTS = 20;
const FATE_PAUSE_MS = 250;

/** A pool of connections, shared by all. */
export class PostgresBackend implements Backend {
  readonly dialect = 'postgres';

  constructor(private readonly parts: PostgresBackendParts) {}

  async transaction<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const client = await this.parts.pool.connect();
    let broken: Error | undefined;
    let committing: { xid: string; result: T } | undefined;
    let reason: unknown;
    try {
      const xid = await begin(client);
      const result = await work(new PostgresTx(client, this.parts.makeManager));
      committing = { xid, result };
      await client.query('commit');
      return result;
    } catch (error) {
      reason = error;
      if (isConnectionLost(error)) broken = error as Error;
      else await client.query('rollback').catch((failure: Error) => (broken = failure));
    } finally {
      client.release(broken);
    }
    // Asked for on another connection, so that this one's place in the pool is to be free.
    if (broken && committing && (await this.wasCommitted(committing.xid, reason))) return committing.result;
    throw reason;
  }

  async read<Row>(query: Sql): Promise<Row[]> {
    const { text, params } = renderSql(query, 'postgres');
    return (await this.parts.pool.query(text, params)).rows as Row[];
  }

  async readLong<Row>(query: Sql, options?: LongReadOptions): Promise<Row[]> {
    options?.signal?.throwIfAborted();
    const rows = await this.read<Row>(query);
    options?.signal?.throwIfAborted();
    return rows;
  }

  /** A transaction of its own gets an id, which a standby has none of, and must be one that may write. */
  async check(): Promise<void> {
    await this.transaction(async (tx) => {
      const [row] = await tx.all<{ transaction_read_only: string }>(sql`show transaction_read_only`);
      if (row!.transaction_read_only !== 'off') throw new Error('the database is read-only');
    });
  }

  state(): BackendState {
    const { totalCount, idleCount, waitingCount } = this.parts.pool;
    return { longReadsWaiting: waitingCount, pool: { busy: totalCount - idleCount, idle: idleCount } };
  }

  async size(): Promise<BackendSize> {
    const [row] = await this.read<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`);
    return { parts: { database: row!.bytes } };
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  /**
   * Whether a transaction whose connection broke during COMMIT was committed: only the server knows.
   * @throws `reason` when the server cannot be asked in time.
   */
  private async wasCommitted(xid: string, reason: unknown): Promise<boolean> {
    for (let attempt = 0; attempt < FATE_ATTEMPTS; attempt++) {
      try {
        const { rows } = await this.parts.pool.query('select pg_xact_status($1::xid8) as status', [xid]);
        const status = (rows[0] as { status: string | null }).status;
        if (status !== 'in progress') return status === 'committed';
      } catch (error) {
        // The crash took the transaction so early that the server gives its id out again.
        if (isIdOfTheFuture(error)) return false;
        if (!isConnectionLost(error)) throw error;
      }
      await pause(FATE_PAUSE_MS);
    }
    throw reason;
  }
}

/** `pg_xact_status`: "transaction ID … is in the future". */
const isIdOfTheFuture = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '22023';

/** Begins a transaction in one round trip. @returns its id, by which the server can be asked what became of it. */
async function begin(client: pg.PoolClient): Promise<string> {
  const results = (await client.query(
    'begin; select pg_current_xact_id()::text as xid',
  )) as unknown as pg.QueryResult[];
  return (results[1]!.rows[0] as { xid: string }).xid;
}
