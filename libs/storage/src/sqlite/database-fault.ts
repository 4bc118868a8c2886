import { closeSync, openSync } from 'node:fs';
import { pathFault } from '@spandrel/kernel';

/** What SQLite's codes stand for where the system says it in a word of its own. */
const SYSTEM_CODES: readonly [string, string][] = [
  ['SQLITE_FULL', 'ENOSPC'],
  ['SQLITE_READONLY', 'EACCES'],
  ['SQLITE_PERM', 'EACCES'],
  ['SQLITE_IOERR', 'EIO'],
];

/**
 * Why a database's file cannot be used, in words that name it. SQLite itself says "unable to open database file", so that
 * the system is asked.
 * @param error what SQLite threw.
 */
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

/** What the system says to the file; `undefined` when it has nothing against it. */
function systemError(file: string): unknown {
  try {
    closeSync(openSync(file, 'r+'));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : error;
  }
}
