import Database from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@spandrel/kernel';

/**
 * Takes a data directory for this process alone (docs/spec/configuration.md#one-process-a-data-directory).
 *
 * The lock is an exclusive transaction on a database file of its own, `spandrel.lock`: an advisory lock of the
 * operating system that vanishes with the process, however it ends, and leaves readers of the data alone.
 * @returns releases the directory.
 * @throws StartError when the directory is in use or cannot be written.
 */
export function lockDirectory(directory: string): () => void {
  let lock: Database.Database | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    lock = new Database(join(directory, 'spandrel.lock'), { timeout: 0 });
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock?.close();
    throw new StartError([describe(directory, error)]);
  }
  const held = lock;
  return () => held.close();
}

function describe(directory: string, error: unknown): string {
  // Not `instanceof Error`: the driver may have been loaded in another realm (a test's).
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (String(code).startsWith('SQLITE_BUSY')) {
    return `data directory ${directory} is in use by another Spandrel process; stop it or choose another --data-dir`;
  }
  return `data directory ${directory} cannot be written: ${String(message ?? error)}`;
}
