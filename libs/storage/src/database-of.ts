import { join } from 'node:path';
import type { Settings } from '@spandrel/kernel';
import type { StorageConfig } from './open-orm.js';
import { DatabaseSettings } from './storage.settings.js';

/**
 * The database of the mode: SQLite in the data directory, or Postgres (docs/spec/README.md#the-two-modes).
 * @throws StartError with a line for each setting that cloud mode lacks.
 */
export function databaseOf(settings: Settings): StorageConfig {
  const { mode, dataDir } = settings.core;
  if (mode === 'local') return { dialect: 'sqlite', file: join(dataDir, 'spandrel.db') };
  settings.requireAll();
  const { url, ...others } = settings.of(DatabaseSettings);
  const { poolMax, statementTimeoutMs, transactionPooling } = others;
  return { dialect: 'postgres', url: url!, poolMax, statementTimeoutMs, transactionPooling };
}
