import Database from 'better-sqlite3';
import { join } from 'node:path';
import { CoreSettings, settingName, StartError, useDirectory, type Logger } from '@spandrel/kernel';
import { closeDatabase, databaseFault } from './database-files.js';

const SETTING = settingName(CoreSettings.declared.dataDir);

/**
 * Takes a data directory for this process alone (docs/spec/configuration.md#one-process-a-data-directory).
 *
 * The lock is an exclusive transaction on a database file of its own, `spandrel.lock`: an advisory lock of the
 * operating system that vanishes with the process, however it ends, and leaves readers of the data alone.
 * @param logger hears of what was open to other users of the machine.
 * @returns releases the directory.
 * @throws StartError when the directory is in use or cannot be written.
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
    throw new StartError([isBusy(error) ? inUse(directory) : `${SETTING}: ${databaseFault(file, error)}`]);
  }
  const held = lock;
  return () => held.close();
}

const isBusy = (error: unknown): boolean =>
  String((Object(error) as { code?: unknown }).code).startsWith('SQLITE_BUSY');

const inUse = (directory: string): string =>
  `data directory ${directory} is in use by another Spandrel process; stop it or choose another --data-dir`;
