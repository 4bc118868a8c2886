import type { SqlEntityManager } from '@mikro-orm/sql';
import type pg from 'pg';
import type { BackendTx } from '../backend.js';
import { checkedRows, type Query } from '../statements/row-shape.js';
import { insertText, type Table } from '../statements/table.js';
import { renderSql, sql, type Sql, type SqlValue } from '../statements/sql.js';
import { allSettledOrThrow, TransactionEnd, TransactionWatch } from '../transactions/write-tx.js';

/** Only what has nothing to plan is prepared: a kept plan, made while a table was still empty, is to read all of it. */
const STATEMENT_NAMES_MAX = 500;

/** Names of prepared statements by their text, the same on every connection. */
const statementNames = new Map<string, string>();

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined || statementNames.size >= STATEMENT_NAMES_MAX) return known;
  const name = `spandrel_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** Rows one statement writes: what a transaction writes to a table is one statement as a rule. */
const ROWS_PER_STATEMENT = 2_048;

/** SQLSTATE of a statement in a transaction that failed before. */
const IN_FAILED_TRANSACTION = '25P02';

/** What pg takes for a timeout that is never reached. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * A transaction on one connection. Bulk writes are one prepared statement a table with an array of values a column (ADR
 * 0043), in the order of keys, so that transactions that write the same rows wait for one another in one order. Who
 * asks for several statements before awaiting them saves the round trips.
 */
export class PostgresTx implements BackendTx {
  readonly dialect = 'postgres';
  readonly end = new TransactionEnd();
  readonly watch = new TransactionWatch();
  private manager: SqlEntityManager | undefined;
  private timed = true;
  private failure: unknown;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly makeManager: (client: pg.PoolClient, watch: TransactionWatch) => SqlEntityManager,
    private readonly prepares: boolean,
  ) {}

  get em(): SqlEntityManager {
    return (this.manager ??= this.makeManager(this.client, this.watch));
  }

  async flush(): Promise<void> {
    await this.manager?.flush();
  }

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    const { text, params } = renderSql(query, 'postgres');
    return checkedRows(query, (await this.query(text, params)).rows, 'postgres');
  }

  async run(statement: Sql): Promise<number> {
    const { text, params } = renderSql(statement, 'postgres');
    return (await this.query(text, params)).rowCount ?? 0;
  }

  async disableStatementTimeout(): Promise<void> {
    if (!this.timed) return;
    this.timed = false;
    await this.run(sql`set local statement_timeout = 0`);
  }

  insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void> {
    return this.write(table, rows, table.properties);
  }

  /** Inserts that all conflict: an UPDATE from a list of values would need the type of every column. */
  update<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    changed: readonly (keyof Row & string)[] = table.notKey,
  ): Promise<void> {
    return this.write(table, rows, [...new Set([...table.required, ...changed])], changed);
  }

  private async write<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    properties: readonly (keyof Row & string)[],
    changed?: readonly (keyof Row & string)[],
  ): Promise<void> {
    const ordered = sortByKey(table, rows);
    const text = insertText(table, properties, changed, 'postgres');
    const name = this.prepares ? statementName(text) : undefined;
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < ordered.length; at += ROWS_PER_STATEMENT) {
      const rows = ordered.slice(at, at + ROWS_PER_STATEMENT);
      const arrays = properties.map((property) => rows.map((row) => (row[property] ?? null) as SqlValue));
      sent.push(this.query(text, arrays, name));
    }
    await allSettledOrThrow(...sent);
  }

  private async query(text: string, values: (SqlValue | SqlValue[])[], name?: string): Promise<pg.QueryResult> {
    try {
      return await this.watch.whileAnswered(() =>
        this.client.query({
          text,
          values,
          ...(name !== undefined && { name }),
          ...(!this.timed && { query_timeout: NEVER_MS }),
        }),
      );
    } catch (error) {
      // Statements sent behind one that fails are refused: what that one met is what counts.
      if ((error as { code?: string }).code !== IN_FAILED_TRANSACTION) this.failure ??= error;
      throw this.failure ?? error;
    }
  }
}

/** Rows by their keys: any order does that is the same in all processes. */
function sortByKey<Row>({ key }: Table<Row>, rows: readonly Row[]): readonly Row[] {
  if (rows.length < 2) return rows;
  return rows.toSorted((a, b) => {
    for (const property of key) {
      if (a[property] !== b[property]) return a[property] < b[property] ? -1 : 1;
    }
    return 0;
  });
}
