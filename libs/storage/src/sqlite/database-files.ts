import { closeSync, openSync } from 'node:fs';
import { open, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closeDirectory, closeFiles, PRIVATE_FILE, type Logger, pathFault } from '@spandrel/kernel';
import type { BackendSize } from '../backend.js';

/** What one check writes: more than one page of the database. */
const PROBE = Buffer.alloc(64 * 1024, 'spandrel');

/** The size of a database's files, and what its disk still takes for this user. */
export async function sizeOnDisk(file: string): Promise<BackendSize> {
  const [database, wal, disk] = await Promise.all([stat(file), stat(`${file}-wal`), statfs(dirname(file))]);
  return { parts: { database: database.size, wal: wal.size }, diskFree: disk.bavail * disk.bsize };
}

/** Writes a small file beside the database to the disk itself, and removes it. @throws when the disk does not take it. */
export async function checkDisk(file: string): Promise<void> {
  const path = join(dirname(file), '.probe');
  const probe = await open(path, 'w', PRIVATE_FILE);
  try {
    await probe.writeFile(PROBE);
    await probe.datasync();
  } finally {
    await probe.close();
    await unlink(path);
  }
}

/** Closes the file of a database to other users before SQLite makes it by the umask; the log gets the same mode. */
export function closeDatabase(file: string, logger?: Pick<Logger, 'warn'>): void {
  try {
    // One that exists is not opened: to close it again would undo the locks that this process may hold on it.
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    // Anything else SQLite meets too, and says why.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return;
  }
  closeFiles([file, ...['-wal', '-shm', '-journal'].map((end) => file + end)], closeDirectory(dirname(file)), logger);
}

const SYSTEM_CODES: readonly [string, string][] = [
  ['SQLITE_FULL', 'ENOSPC'],
  ['SQLITE_READONLY', 'EACCES'],
  ['SQLITE_PERM', 'EACCES'],
  ['SQLITE_IOERR', 'EIO'],
];

/** Why a database's file cannot be used, in words that name it: SQLite's own do not say, so the system is asked. */
export function databaseFault(file: string, error: unknown): string {
  const refused = systemError(file);
  if (refused !== undefined) return pathFault(file, refused).message;
  // Not `instanceof Error`: the driver may have been loaded in another realm (a test's).
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const known = SYSTEM_CODES.find(([prefix]) => String(code).startsWith(prefix));
  return known
    ? pathFault(file, { code: known[1] }).message
    : `${file} cannot be used as the database: ${String(message ?? error)}`;
}

function systemError(file: string): unknown {
  try {
    closeSync(openSync(file, 'r+'));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : error;
  }
}
