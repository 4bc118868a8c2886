import { join } from 'node:path';
import { StartError, type Settings } from '@spandrel/kernel';
import type { StorageConfig } from './open-orm.js';

/**
 * The database of the mode: SQLite in the data directory, or Postgres (docs/spec/README.md#the-two-modes).
 * @throws StartError with a line for each setting that cloud mode lacks.
 */
export function databaseOf({ mode, dataDir, database, secretKey }: Settings): StorageConfig {
  if (mode === 'local') return { dialect: 'sqlite', file: join(dataDir, 'spandrel.db') };
  const faults = [
    ...(database.url === null ? ['database.url (DATABASE_URL): cloud mode needs the URL of a Postgres database'] : []),
    ...(secretKey === null
      ? ['secret_key (SPANDREL_SECRET_KEY): cloud mode needs a key of 32 bytes, as base64 or hex']
      : []),
  ];
  if (faults.length > 0) throw new StartError(faults);
  const { url, poolMax, statementTimeoutMs } = database;
  return { dialect: 'postgres', url: url!, poolMax, statementTimeoutMs };
}
