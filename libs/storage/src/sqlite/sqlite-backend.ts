import type Database from 'better-sqlite3';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Backend, BackendSize, BackendState, BackendTx, LongReadOptions } from '../backend.js';
import { renderSql, sql, type Sql } from '../statements/sql.js';
import { Checkpoints } from './checkpoints.js';
import { checkDisk, sizeOnDisk } from './database-files.js';
import { ReadWorkers } from './read-workers.js';
import { SqliteTx, turnAfter, StatementCache } from './sqlite-tx.js';

export interface SqliteBackendParts {
  file: string;
  writer: Database.Database;
  reader: Database.Database;
  makeManager: () => SqlEntityManager;
  close: () => Promise<void>;
}

/** One writing connection, one reading connection for reads by key, threads for long reads. */
export class SqliteBackend implements Backend {
  readonly dialect = 'sqlite';
  private readonly writes: StatementCache;
  private readonly reads: StatementCache;
  private readonly workers: ReadWorkers;
  private readonly checkpoints: Checkpoints;

  constructor(private readonly parts: SqliteBackendParts) {
    this.writes = new StatementCache(parts.writer);
    this.reads = new StatementCache(parts.reader);
    this.workers = new ReadWorkers(parts.file);
    this.checkpoints = new Checkpoints(parts.file, parts.writer);
  }

  async transaction<T>(work: (tx: BackendTx) => Promise<T>): Promise<T> {
    const { writer } = this.parts;
    this.writes.get('begin immediate').run();
    try {
      const result = await turnAfter(() => work(new SqliteTx(this.writes, this.parts.makeManager)));
      await turnAfter(() => this.writes.get('commit').run());
      await turnAfter(() => this.checkpoints.afterCommit());
      return result;
    } catch (error) {
      if (writer.inTransaction) this.writes.get('rollback').run();
      throw error;
    }
  }

  async read(query: Sql): Promise<unknown[]> {
    const { text, params } = renderSql(query, 'sqlite');
    return this.reads.get(text).all(params);
  }

  readLong(query: Sql, options?: LongReadOptions): Promise<unknown[]> {
    return this.workers.run(renderSql(query, 'sqlite'), options);
  }

  /** The disk is tried out beside the database, whose log may have room left when the disk has none. */
  async check(): Promise<void> {
    await this.read(sql`select count(*) from sqlite_schema`);
    await checkDisk(this.parts.file);
  }

  state(): BackendState {
    return { longReadsWaiting: this.workers.waiting };
  }

  size(): Promise<BackendSize> {
    return sizeOnDisk(this.parts.file);
  }

  async close(): Promise<void> {
    await Promise.all([this.workers.close(), this.checkpoints.close()]);
    await this.parts.close();
  }
}
