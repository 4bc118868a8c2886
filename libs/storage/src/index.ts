export { databaseOf } from './database-of.js';
export { GroupCommit, type Applied, type GroupCommitOptions, type Outcome } from './group-commit.js';
export type { LongReadOptions } from './backend.js';
export type { StorageConfig, StorageOptions } from './open-orm.js';
export { backupDatabase } from './sqlite/backup-database.js';
export { deleteRows } from './delete-rows.js';
export type { Flat } from './flat.js';
export { decodeCursor, encodeCursor, type Position, type ValueType } from './cursor.js';
export { IdOrder, type SizedRows } from './id-order.js';
export { foldAscii, jsonContains, mayContainJson } from './json-search.js';
export { fromJsonText, objectFromJsonText, toJsonText } from './json-text.js';
export {
  behind,
  fillPage,
  orderBy,
  startOf,
  upTo,
  type Fetched,
  type Page,
  type Part,
  type Sorting,
} from './keyset.js';
export { lockTables } from './lock-tables.js';
export { openStorage } from './open-storage.js';
export { together } from './together.js';
export { DayPartitions, type DaySize } from './partitions/day-partitions.js';
export { DAY_MS, dayOf, dayStart } from './partitions/days.js';
export { atStarts, betweenStarts, emptyDay, holdDay, ofDays, onPostgres } from './partitions/made-days.js';
export {
  anyOf,
  containsText,
  forUpdate,
  forUpdateSkipLocked,
  joinedInOrder,
  joinSql,
  rawSql,
  rowsFrom,
  sql,
  unindexed,
  type Dialect,
  type Sql,
  type SqlValue,
} from './sql.js';
export { Storage } from './storage.js';
export { StorageModule } from './storage.module.js';
export { takeFitting, takeFittingIds } from './take-fitting.js';
export { Table } from './table.js';
export type { TransactionEnd } from './transaction-end.js';
export type { WriteTx } from './write-tx.js';
