import Database from 'better-sqlite3';
import { CoreSettings, settingName, StartError } from '@spandrel/kernel';
import { databaseFault } from './database-files.js';

/** Milliseconds a connection waits for another one's lock (a checkpoint, a shell). */
const BUSY_TIMEOUT_MS = 5_000;

/** Pages of the write-ahead log, 64 MiB, at which a commit copies them itself: `Checkpoints` could not. */
const LOG_PAGES_MAX = 4_000;

/**
 * Opens the writing connection and sees to it that commits survive a power loss.
 * Pages of 16 KiB measured 80k instead of 46k rows/s; a file keeps the page size it was made with.
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
  new StartError([`${settingName(CoreSettings.declared.dataDir)}: ${databaseFault(file, error)}`]);
