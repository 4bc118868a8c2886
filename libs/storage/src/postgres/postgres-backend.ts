import { setTimeout as pause } from 'node:timers/promises';
import { type SqlEntityManager, Kysely } from '@mikro-orm/sql';
import { Unavailable } from '@spandrel/kernel';
import { PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';
import type { Backend, BackendSize, BackendState, BackendTx, LongReadOptions } from '../backend.js';
import { checkedRows, integer, shapeOf, text, type Query } from '../statements/row-shape.js';
import { renderSql, type Sql, type RenderedSql } from '../statements/sql.js';
import { isAway, isConnectionLost } from '../storage-errors.js';
import type { TransactionWatch } from '../transactions/write-tx.js';
import { type ConnectionKeeping, SERVER_LIFE, serverLifeOf } from './postgres-pool.js';
import { PostgresTx } from './postgres-tx.js';
import { ReadPermits } from '../read-permits.js';

export interface PostgresBackendParts {
  pool: pg.Pool;
  keeping: ConnectionKeeping;
  /** @param watch hears of the statements. */
  makeManager: (client: pg.PoolClient, watch: TransactionWatch) => SqlEntityManager;
  cancel: (client: pg.PoolClient) => Promise<void>;
  close: () => Promise<void>;
}

/** How often and how long the fate of a commit is asked for after its connection broke: 5 s in all. */
const FATE_ATTEMPTS = 20;
const FATE_PAUSE_MS = 250;

const READ_ONLY = shapeOf({ transaction_read_only: text() });
const BYTES = shapeOf({ bytes: integer() });

interface Committing<T> {
  xid: string;
  serverLife: string | undefined;
  result: T;
}

/** A pool of connections, shared by all; long reads take half of it at most. */
export class PostgresBackend implements Backend {
  readonly dialect = 'postgres';
  private readonly permits: ReadPermits;
  private readonly planned = new PlannedStatements();

  constructor(private readonly parts: PostgresBackendParts) {
    this.permits = new ReadPermits(Math.max(1, Math.floor(parts.pool.options.max / 2)));
  }

  async transaction<T>(work: (tx: BackendTx) => Promise<T>): Promise<T> {
    const client = await this.parts.pool.connect();
    let broken: Error | undefined;
    let committing: Committing<T> | undefined;
    let reason: unknown;
    try {
      const { makeManager, keeping } = this.parts;
      const beginning = begin(client, keeping);
      // Said of it when the work is done, which fails too when it could not begin.
      beginning.catch(() => undefined);
      const result = await work(new PostgresTx(client, makeManager, keeping.prepares));
      committing = { xid: await beginning, serverLife: serverLifeOf(client), result };
      await client.query('commit');
      return result;
    } catch (error) {
      reason = error;
      if (isAway(error)) broken = error as Error;
      else await client.query('rollback').catch((failure: Error) => (broken = failure));
    } finally {
      client.release(broken);
    }
    // Asked for on another connection, so that this one's place in the pool is to be free.
    if (committing && isConnectionLost(reason) && (await this.wasCommitted(committing, reason)))
      return committing.result;
    throw reason;
  }

  async read(query: Sql): Promise<unknown[]> {
    const { text, params } = renderSql(query, 'postgres');
    return (await this.parts.pool.query(text, params)).rows;
  }

  async readLong(
    query: Sql & Pick<Query<unknown>, 'isPlannedOnce'>,
    options: LongReadOptions = {},
  ): Promise<unknown[]> {
    const leave = await this.permits.take(options);
    let client: pg.PoolClient;
    try {
      client = await this.parts.pool.connect();
    } catch (error) {
      leave();
      throw error;
    }
    const release = (broken?: Error | boolean): void => (client.release(broken), leave());
    const rendered = renderSql(query, 'postgres');
    const isPlannedOnce = query.isPlannedOnce === true && this.parts.keeping.prepares;
    const ask = (): Promise<pg.QueryResult> =>
      isPlannedOnce ? this.planned.query(client, rendered) : client.query(rendered.text, rendered.params);
    return this.readOn(client, ask, options.signal, release);
  }

  /** A transaction of its own gets an id, which a standby has none of, and must be one that may write. */
  async check(): Promise<void> {
    await this.transaction(async (tx) => {
      const [row] = await tx.all(READ_ONLY.query`show transaction_read_only`);
      if (row!.transaction_read_only !== 'off') throw new Error('the database is read-only');
    });
  }

  state(): BackendState {
    const { totalCount, idleCount, waitingCount } = this.parts.pool;
    const pool = { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    return { longReadsWaiting: this.permits.waiting, pool };
  }

  async size(): Promise<BackendSize> {
    const query = BYTES.query`select pg_database_size(current_database()) as bytes`;
    const [row] = checkedRows(query, await this.read(query), this.dialect);
    return { parts: { database: row!.bytes } };
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  /** Runs a query on a connection and gives that back; when the signal fires, the connection goes with its query. */
  private async readOn(
    client: pg.PoolClient,
    ask: () => Promise<pg.QueryResult>,
    signal: AbortSignal | undefined,
    release: (broken?: Error | boolean) => void,
  ): Promise<unknown[]> {
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
    let abandoned = false;
    const abandon = (): void => {
      abandoned = true;
      giveUp(signal!.reason);
      void this.parts.cancel(client).finally(() => release(true));
    };
    let broken: Error | undefined;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abandon, { once: true });
      return (await Promise.race([ask(), given])).rows;
    } catch (error) {
      if (isAway(error)) broken = error as Error;
      throw error;
    } finally {
      signal?.removeEventListener('abort', abandon);
      if (!abandoned) release(broken);
    }
  }

  /**
   * Whether a transaction whose connection broke during COMMIT was committed. Only the server knows, while it has not
   * crashed or been replaced since (it may have given the id away), and no standby. @throws Unavailable when it cannot
   * be known.
   */
  private async wasCommitted({ xid, serverLife }: Committing<unknown>, reason: unknown): Promise<boolean> {
    for (let attempt = 0; attempt < FATE_ATTEMPTS; attempt++) {
      try {
        const { rows } = await this.parts.pool.query<{ status: string | null; life: string }>(
          `select case when pg_is_in_recovery() then 'in progress' else pg_xact_status($1::xid8) end as status,
            ${SERVER_LIFE} as life`,
          [xid],
        );
        const { status, life } = rows[0]!;
        if (status === 'aborted') return false;
        if (status === 'committed' && life === serverLife) return true;
        if (status !== 'in progress') break;
      } catch (error) {
        // "transaction ID … is in the future": it was lost with a crash, or with the server before.
        if ((error as { code?: unknown } | null)?.code === '22023') return false;
        if (!isAway(error)) throw error;
      }
      await pause(FATE_PAUSE_MS);
    }
    throw new Unavailable(
      'the connection to the database was lost during the commit: read whether the change is there before you send it again',
      { cause: reason },
    );
  }
}

/** Begins a transaction, on the way with its first statement. @returns its id, by which its fate can be asked for. */
async function begin(client: pg.PoolClient, keeping: ConnectionKeeping): Promise<string> {
  const results = (await client.query(
    `${keeping.begin}select pg_current_xact_id()::text as xid`,
  )) as unknown as pg.QueryResult[];
  return (results.at(-1)!.rows[0] as { xid: string }).xid;
}

/** What the ORM takes for a connection: all statements go to one client of the pool. @param watch hears of them. */
export function connectionOf(client: pg.PoolClient, watch: TransactionWatch): Kysely<unknown> {
  const taken = new Proxy(client, {
    get(target, property) {
      if (property === 'release') return () => undefined;
      if (property === 'query') {
        return (text: string, values: unknown[]) => watch.whileAnswered(() => target.query(text, values));
      }
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const pool = { connect: async () => taken, end: async () => undefined, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
}

/** Plans kept on a connection: one of a statement about 30 partitions takes 250 to 500 KB of the server. */
const PLANS_MAX = 16;

/** One plan for all values that reads indexes in their order: it is made while a partition may be empty, and kept. */
const BEGIN = `begin read only; set local plan_cache_mode = force_generic_plan; set local jit = off;
  set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local max_parallel_workers_per_gather = 0`;

/**
 * Statements that are planned once a connection: about thirty partitions planning takes 10 to 90 ms, doing it 1 to 5.
 * Plans used least recently are given up.
 */
export class PlannedStatements {
  /** Names of prepared statements by their text, the latest used last. */
  private readonly kept = new WeakMap<pg.PoolClient, Map<string, string>>();
  private made = 0;

  async query(client: pg.PoolClient, { text, params }: RenderedSql): Promise<pg.QueryResult> {
    const name = this.nameOn(client, text);
    const sent = [client.query(BEGIN), client.query({ name, text, values: params }), client.query('commit')] as const;
    const [begun, answered, ended] = await Promise.allSettled(sent);
    // What the database met first is what the others failed of.
    for (const one of [begun, answered, ended]) if (one.status === 'rejected') throw one.reason;
    return (answered as PromiseFulfilledResult<pg.QueryResult>).value;
  }

  private nameOn(client: pg.PoolClient, text: string): string {
    const names = this.kept.get(client) ?? new Map<string, string>();
    this.kept.set(client, names);
    const name = names.get(text) ?? `spandrel_list_${this.made++}`;
    names.delete(text);
    names.set(text, name);
    if (names.size > PLANS_MAX) {
      const [oldest, given] = names.entries().next().value!;
      names.delete(oldest);
      forget(client, given);
    }
    return name;
  }
}

/** Gives up a prepared statement, which there may not be: one that failed was never made. */
function forget(client: pg.PoolClient, name: string): void {
  const { connection } = client as unknown as { connection?: { parsedStatements?: Record<string, string> } };
  delete connection?.parsedStatements?.[name];
  client.query(`deallocate ${name}`).catch(() => undefined);
}
