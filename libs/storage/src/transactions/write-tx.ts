import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Query } from '../statements/row-shape.js';
import type { Dialect, Sql } from '../statements/sql.js';
import type { Table } from '../statements/table.js';
import type { TransactionEnd } from './transaction-end.js';

/**
 * An open transaction on the writer. It ends when the function it was handed to returns (commit) or throws (rollback);
 * it must not be kept.
 */
export interface WriteTx {
  readonly dialect: Dialect;

  /** Rows of a query; integers are numbers. Sees what this transaction has written, as far as `em` is flushed. */
  all<Row>(query: Query<Row>): Promise<Row[]>;

  /** Runs a statement. @returns the number of rows it touched. */
  run(statement: Sql): Promise<number>;

  /** Inserts rows. @throws when a key is taken. */
  insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;

  /**
   * Writes rows that exist, whole rows given.
   * @param changed what is written, the key excluded; indexes on others are left alone. All when left out.
   */
  update<Row>(table: Table<Row>, rows: readonly Row[], changed?: readonly (keyof Row & string)[]): Promise<void>;

  /** From here on statements of this transaction may take as long as they need: for those that touch any number of rows. */
  disableStatementTimeout(): Promise<void>;

  /**
   * An entity manager of this transaction alone: its statements are part of it, and what it has to write is flushed
   * before the transaction's end hooks. Flush it earlier where a statement of this transaction must see its changes.
   */
  readonly em: SqlEntityManager;

  /** What is left for the end of this transaction. */
  readonly end: TransactionEnd;
}
