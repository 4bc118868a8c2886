import { join, dirname } from 'node:path';
import { closeSync, openSync } from 'node:fs';
import { open, stat, statfs, unlink } from 'node:fs/promises';
import Database from 'better-sqlite3';
import {
  CoreSettings,
  settingName,
  StartError,
  useDirectory,
  type Logger,
  closeDirectory,
  closeFiles,
  PRIVATE_FILE,
  pathFault,
} from '@spandrel/kernel';
import { textsDigest, type ReadStoreTexts } from '@spandrel/plugin-api';
import type { BackendSize } from '../backend.js';

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
    // The threads that read have the same, and import nothing of ours.
    writer.function('texts_digest', { deterministic: true }, (id, input, output) =>
      textsDigest({ id, input, output } as ReadStoreTexts),
    );
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

/** Pages copied between two turns of the event loop: 16 MiB. */
const PAGES_AT_ONCE = 1_024;

/**
 * Copies a SQLite database as it is at one moment, while programs write to it; its write-ahead log grows meanwhile.
 * @param target an empty file. @param onProgress called with the part done, 0 to 1.
 */
export async function backupDatabase(file: string, target: string, onProgress: (part: number) => void): Promise<void> {
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // A copy whose source changes begins again; with a transaction open, the source is as it was for as long as it takes.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages);
        return PAGES_AT_ONCE;
      },
    });
    source.exec('commit');
    onProgress(1);
  } finally {
    source.close();
  }
}

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
function databaseFault(file: string, error: unknown): string {
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
