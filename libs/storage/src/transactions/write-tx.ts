import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Query } from '../statements/row-shape.js';
import type { Dialect, Sql } from '../statements/sql.js';
import type { Table } from '../statements/table.js';
import type { TransactionEnd } from './transaction-end.js';

/** An open transaction. It ends when the function it was handed to returns or throws; it must not be kept. */
export interface WriteTx {
  readonly dialect: Dialect;

  /** Rows of a query; integers are numbers. Sees what this transaction has written, as far as `em` is flushed. */
  all<Row>(query: Query<Row>): Promise<Row[]>;

  run(statement: Sql): Promise<number>;

  insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;

  /** Writes rows that exist, whole rows given. @param changed what is written, the key excluded; all when left out. */
  update<Row>(table: Table<Row>, rows: readonly Row[], changed?: readonly (keyof Row & string)[]): Promise<void>;

  /** From here on statements of this transaction may take as long as they need: for those that touch any number of rows. */
  disableStatementTimeout(): Promise<void>;

  /**
   * An entity manager of this transaction, flushed before its end hooks; earlier by hand where a statement needs it.
   */
  readonly em: SqlEntityManager;

  readonly end: TransactionEnd;
}
