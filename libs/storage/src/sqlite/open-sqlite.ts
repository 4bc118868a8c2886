import Database from 'better-sqlite3';
import { CoreSettings, settingName, StartError, useDirectory, type Logger } from '@spandrel/kernel';
import { databaseFault, closeDatabase } from './database-files.js';
import { join } from 'node:path';

/** Milliseconds a connection waits for another one's lock (a checkpoint, a shell). */
const BUSY_TIMEOUT_MS = 5_000;

/** Pages of the write-ahead log, 64 MiB, at which a commit copies them itself: `Checkpoints` could not. */
const LOG_PAGES_MAX = 4_000;

/**
 * Opens the writing connection; its commits survive a power loss. Pages of 16 KiB: 80k instead of 46k rows/s.
 * @throws StartError when the file is not a database, cannot be written or does not take the settings.
 */
export function openWriter(file: string): Database.Database {
  try {
    const writer = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    writer.exec(`
      pragma page_size = 16384;
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma wal_autocheckpoint = ${LOG_PAGES_MAX};
      pragma journal_size_limit = 67108864;
      pragma cache_size = -32768;
      pragma temp_store = memory;
    `);
    assertSetting(writer, 'journal_mode', 'wal');
    assertSetting(writer, 'synchronous', 2);
    return writer;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw unusable(file, error);
  }
}

/** Opens a connection that reads committed rows only. @throws StartError when the file cannot be read. */
export function openReader(file: string): Database.Database {
  try {
    const reader = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    reader.exec('pragma query_only = on; pragma cache_size = -16384; pragma temp_store = memory');
    return reader;
  } catch (error) {
    throw unusable(file, error);
  }
}

function assertSetting(database: Database.Database, name: string, wanted: string | number): void {
  const found = database.pragma(name, { simple: true });
  if (found !== wanted) throw new StartError([`SQLite does not take ${name} = ${wanted} (it is ${String(found)})`]);
}

const unusable = (file: string, error: unknown): StartError =>
  new StartError([`${SETTING}: ${databaseFault(file, error)}`]);

const SETTING = settingName(CoreSettings.declared.dataDir);

/**
 * Takes a data directory for this process alone (docs/spec/configuration.md#one-process-a-data-directory), by an
 * exclusive transaction on `spandrel.lock`: it vanishes with the process, however that ends.
 * @returns releases the directory. @throws StartError when it is in use or cannot be written.
 */
export function lockDirectory(directory: string, logger?: Pick<Logger, 'warn'>): () => void {
  useDirectory(SETTING, directory, logger);
  const file = join(directory, 'spandrel.lock');
  closeDatabase(file, logger);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { timeout: 0 });
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock?.close();
    if (!String((Object(error) as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw unusable(file, error);
    throw new StartError([
      `data directory ${directory} is in use by another Spandrel process; stop it or choose another --data-dir`,
    ]);
  }
  const held = lock;
  return () => held.close();
}
