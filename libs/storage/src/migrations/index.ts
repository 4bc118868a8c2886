import type { MigrationObject } from '@mikro-orm/core';
import type { Dialect } from '../statements/sql.js';
import { postgresMigrations } from './postgres/index.js';
import { sqliteMigrations } from './sqlite/index.js';

/** All migrations of each database, oldest first. They always all run, whatever features are loaded. */
export const migrations: Record<Dialect, MigrationObject[]> = {
  sqlite: sqliteMigrations,
  postgres: postgresMigrations,
};
