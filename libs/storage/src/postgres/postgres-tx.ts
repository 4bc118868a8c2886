import type { SqlEntityManager } from '@mikro-orm/sql';
import type pg from 'pg';
import { CHUNK_SIZES, insertText } from '../insert-text.js';
import { renderSql, type Sql, type SqlValue } from '../sql.js';
import type { Table } from '../table.js';
import { TransactionEnd } from '../transaction-end.js';
import type { WriteTx } from '../write-tx.js';

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

/** A transaction on one connection; bulk writes are multi-row statements, prepared once a connection. */
export class PostgresTx implements WriteTx {
  readonly dialect = 'postgres';
  readonly end = new TransactionEnd();
  private manager: SqlEntityManager | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly makeManager: (client: pg.PoolClient) => SqlEntityManager,
  ) {}

  get em(): SqlEntityManager {
    return (this.manager ??= this.makeManager(this.client));
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    const { text, params } = renderSql(query, 'postgres');
    return (await this.query(text, params)).rows as Row[];
  }

  async run(statement: Sql): Promise<number> {
    const { text, params } = renderSql(statement, 'postgres');
    return (await this.query(text, params)).rowCount ?? 0;
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
    let done = 0;
    while (done < rows.length) {
      const size = CHUNK_SIZES.find((chunk) => chunk <= rows.length - done)!;
      const chunk = rows.slice(done, done + size);
      const params = chunk.flatMap((row) => properties.map((property) => row[property] as SqlValue));
      await this.query(insertText(table, properties, size, changed, 'postgres'), params);
      done += size;
    }
  }

  private query(text: string, values: SqlValue[]): Promise<pg.QueryResult> {
    const name = statementName(text);
    return this.client.query(name === undefined ? { text, values } : { name, text, values });
  }
}
