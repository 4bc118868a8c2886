export { databaseOf } from './open-storage.js';
export { GroupCommit, type Applied, type GroupCommitOptions, type Outcome } from './transactions/group-commit.js';
export type { LongReadOptions } from './backend.js';
export type { StorageConfig, StorageOptions } from './open-storage.js';
export { backupDatabase } from './sqlite/open-sqlite.js';
export { deleteRows, lockedInOrder, lockTables, writeInOrder } from './statements/locked-in-order.js';
export {
  integer,
  nullable,
  number,
  plannedOnce,
  RowShape,
  shapeOf,
  text,
  type Query,
  type RowOfShape,
} from './statements/row-shape.js';
export { decodeCursor, encodeCursor, type Position, type ValueType } from './statements/keyset.js';
export {
  IdOrder,
  limitBySize,
  limitIdsBySize,
  PAGE_BYTES,
  readFitting,
  type SizedRows,
} from './statements/id-order.js';
export { PairOrder, type Pair } from './statements/pair-order.js';
export { foldAscii, jsonContains, mayContainJson, needleInJson } from './statements/json-text.js';
export {
  fromJsonText,
  fromLongJsonText,
  objectFromJsonText,
  toJsonText,
  jsonText,
  writtenAhead,
} from './statements/json-text.js';
export {
  behind,
  compareTexts,
  fillPage,
  orderBy,
  positionShape,
  startOf,
  upTo,
  type Fetched,
  type Page,
  type Part,
  type Sorting,
} from './statements/keyset.js';
export { openStorage } from './open-storage.js';
export { retryStorageWrite, type RetryOptions } from './transactions/retry-storage-write.js';
export { BeginAgain } from './transactions/write-tx.js';
export { allSettledOrThrow } from './transactions/write-tx.js';
export { DayPartitions } from './partitions/day-partitions.js';
export { DayTables } from './partitions/day-partitions.js';
export { atStarts, betweenStarts, DAY_MS, dayOf, dayStart, onPostgres, onSqlite } from './partitions/day-partitions.js';
export {
  anyOf,
  containsText,
  forUpdate,
  forUpdateInOrder,
  forUpdateSkipLocked,
  joinedInOrder,
  joinSql,
  positionIn,
  rawSql,
  renderSql,
  rowsFrom,
  sql,
  unindexed,
  type Dialect,
  type Sql,
  type SqlValue,
} from './statements/sql.js';
export { deleteSome, leafTables, ProjectProtection } from './projects/project-removers.js';
export { ProjectRemovers, type ProjectRemover } from './projects/project-removers.js';
export { ProjectRows } from './projects/project-rows.js';
export { Storage } from './storage.js';
export { StorageModule } from './storage.module.js';
export { entityOf, Selection, Table, tableOf, type RowOf } from './statements/table.js';
export type { TransactionEnd } from './transactions/write-tx.js';
export type { WriteTx } from './transactions/write-tx.js';
