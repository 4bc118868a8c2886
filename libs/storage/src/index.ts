export { databaseOf, openStorage, type StorageConfig, type StorageOptions } from './open-storage.js';
export { GroupCommit, type GroupCommitOptions, type Outcome } from './transactions/group-commit.js';
export type { LongReadOptions } from './backend.js';
export { backupDatabase } from './sqlite/open-sqlite.js';
export { deleteRows, lockedInOrder, lockTables, writeInOrder } from './statements/locked-in-order.js';
export {
  integer,
  nullable,
  number,
  plannedOnce,
  type Query,
  type RowOfShape,
  RowShape,
  shapeOf,
  text,
} from './statements/row-shape.js';
export {
  behind,
  compareTexts,
  decodeCursor,
  encodeCursor,
  type Fetched,
  fillPage,
  orderBy,
  type Page,
  type Part,
  type Position,
  positionShape,
  type Sorting,
  startOf,
  upTo,
  type ValueType,
} from './statements/keyset.js';
export {
  IdOrder,
  limitBySize,
  limitIdsBySize,
  PAGE_BYTES,
  PairOrder,
  readFitting,
  type SizedRows,
} from './statements/id-order.js';
export {
  foldAscii,
  fromJsonText,
  fromLongJsonText,
  jsonContains,
  jsonText,
  mayContainJson,
  needleInJson,
  objectFromJsonText,
  toJsonText,
  writtenAhead,
} from './statements/json-text.js';
export { type RetryOptions, retryStorageWrite } from './transactions/retry-storage-write.js';
export {
  allSettledOrThrow,
  BeginAgain,
  type Reader,
  type TransactionEnd,
  type WriteTx,
} from './transactions/write-tx.js';
export {
  atStarts,
  betweenStarts,
  DAY_MS,
  dayOf,
  DayPartitions,
  dayStart,
  DayTables,
  startedIn,
} from './partitions/day-partitions.js';
export {
  anyOf,
  containsText,
  type Dialect,
  forUpdate,
  forUpdateInOrder,
  forUpdateSkipLocked,
  joinSql,
  onPostgres,
  onSqlite,
  positionIn,
  rawSql,
  renderSql,
  rowsFrom,
  type Sql,
  sql,
  type SqlValue,
  unindexed,
} from './statements/sql.js';
export {
  deleteSome,
  leafTables,
  ProjectProtection,
  type ProjectRemover,
  ProjectRemovers,
} from './projects/project-removers.js';
export { ProjectRows } from './projects/project-rows.js';
export { Storage } from './storage.js';
export { StorageModule } from './storage.module.js';
export { entityOf, type RowOf, Selection, Table, tableOf } from './statements/table.js';
