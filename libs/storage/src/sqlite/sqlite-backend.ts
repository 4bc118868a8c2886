import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type Database from 'better-sqlite3';
import type { Backend, BackendSize, BackendState, BackendTx, LongReadOptions } from '../backend.js';
import { renderSql, sql, type Sql, type SqlValue } from '../statements/sql.js';
import { Checkpoints, ReadWorkers } from './sqlite-threads.js';
import { checkDisk, sizeOnDisk } from './open-sqlite.js';
import { checkedRows, type Query } from '../statements/row-shape.js';
import { insertText, type Table } from '../statements/table.js';
import { TransactionEnd, TransactionWatch } from '../transactions/write-tx.js';

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
    this.writes.prepare('begin immediate').run();
    try {
      const result = await turnAfter(() => work(new SqliteTx(this.writes, this.parts.makeManager)));
      await turnAfter(() => this.writes.prepare('commit').run());
      await turnAfter(() => this.checkpoints.afterCommit());
      return result;
    } catch (error) {
      if (writer.inTransaction) this.writes.prepare('rollback').run();
      throw error;
    }
  }

  async read(query: Sql): Promise<unknown[]> {
    const { text, params } = renderSql(query, 'sqlite');
    return this.reads.prepare(text).all(params);
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

/** A transaction on the one writing connection. A loop over one prepared statement is the fastest bulk write here. */
class SqliteTx implements BackendTx {
  readonly dialect = 'sqlite';
  readonly end = new TransactionEnd();
  readonly watch = new TransactionWatch();
  private manager: SqlEntityManager | undefined;

  constructor(
    private readonly statements: StatementCache,
    private readonly makeManager: () => SqlEntityManager,
  ) {}

  get em(): SqlEntityManager {
    this.watch.ask();
    return (this.manager ??= this.makeManager());
  }

  async flush(): Promise<void> {
    await this.manager?.flush();
  }

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    this.watch.ask();
    const { text, params } = renderSql(query, 'sqlite');
    return checkedRows(query, this.statements.prepare(text).all(params), 'sqlite');
  }

  async run(statement: Sql): Promise<number> {
    this.watch.ask();
    const { text, params } = renderSql(statement, 'sqlite');
    return turnAfter(() => this.statements.prepare(text).run(params).changes);
  }

  async disableStatementTimeout(): Promise<void> {}

  async insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void> {
    const text = insertText(table, table.properties, undefined, 'sqlite');
    await turnAfter(() => this.runForEach(text, rows, table.properties));
  }

  async update<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    changed: readonly (keyof Row & string)[] = table.notKey,
  ): Promise<void> {
    await turnAfter(() => this.runForEach(updateText(table, changed), rows, [...changed, ...table.key]));
  }

  private runForEach<Row>(text: string, rows: readonly Row[], parameters: readonly (keyof Row & string)[]): void {
    if (rows.length === 0) return;
    this.watch.ask();
    const statement = this.statements.prepare(text);
    for (const row of rows) statement.run(parameters.map((property) => row[property] as SqlValue));
  }
}

function updateText<Row>(table: Table<Row>, changed: readonly (keyof Row & string)[]): string {
  const equal = (property: keyof Row & string): string => `${table.column(property)}=?`;
  return `update ${table.name} set ${changed.map(equal).join(',')} where ${table.key.map(equal).join(' and ')}`;
}

/** Milliseconds of a statement that writes megabytes: a text of 10 MB takes 15 to be inserted, 20 to be committed. */
const LONG_MS = 4;

/** Runs a part of a transaction; when it took long, others have their turn before the next part. Nobody else writes. */
export async function turnAfter<Result>(part: () => Result | Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await part();
  if (performance.now() - began > LONG_MS) await nextTurn();
  return result;
}

const STATEMENTS_MAX = 200;

/** Prepared statements by their text; the least recently used go first. The ORM takes one for its database. */
export class StatementCache {
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly database: Database.Database) {}

  prepare(text: string): Database.Statement {
    let statement = this.statements.get(text);
    if (statement) {
      this.statements.delete(text);
    } else {
      statement = this.database.prepare(text);
      if (this.statements.size >= STATEMENTS_MAX) this.statements.delete(this.statements.keys().next().value!);
    }
    this.statements.set(text, statement);
    return statement;
  }

  /** Who opened the database closes it. */
  close(): void {}
}
