import { chmodSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import type { Logger } from '../log/logger.js';

/** Modes of what Spandrel keeps: for the user that it runs as, alone (docs/operations.md#files-and-their-modes). */
export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;

const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;
/** On a directory: what is made in it belongs to its group. */
const SETGID = 0o2000;
/** On a directory: all users make files in it, as in `/tmp`. */
const STICKY = 0o1000;

type WarningLogger = Pick<Logger, 'warn'>;

/**
 * Takes the rights of other users from a directory of Spandrel. The group keeps its rights where the setgid bit says so
 * (Kubernetes' `fsGroup`). One of another owner, or used for other things too, is left as it is, with a warning.
 * @returns whether its group is meant to have access.
 */
export function closeDirectory(directory: string, logger?: WarningLogger): boolean {
  // Windows has no such modes; it reports everything as open to all.
  if (process.platform === 'win32') return false;
  const found = statSync(directory);
  const isForGroup = (found.mode & SETGID) !== 0;
  const open = openTo(found, isForGroup);
  if (open === 0) return isForGroup;
  const fields = { directory, mode: octal(found.mode) };
  const reason = whyKept(directory, found) ?? failureOf(() => chmodSync(directory, found.mode & 0o7777 & ~open));
  if (reason === undefined) {
    logger?.warn(
      fields,
      `other users of this machine had rights in a directory of Spandrel; its mode is now ${octal(found.mode & ~open)}`,
    );
  } else {
    logger?.warn({ ...fields, reason }, 'other users of this machine have rights in a directory of Spandrel');
  }
  return isForGroup;
}

/**
 * Takes the rights of other users from the files that exist, with a warning for those that cannot be changed.
 * @param isForGroup what {@link closeDirectory} said of their directory: the group then keeps its rights.
 */
export function closeFiles(files: readonly string[], isForGroup: boolean, logger?: WarningLogger): void {
  if (process.platform === 'win32') return;
  const [closed, left]: [string[], string[]] = [[], []];
  for (const file of files) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    const open = openTo(found, isForGroup);
    if (open === 0) continue;
    const isClosed = isOwn(found) && failureOf(() => chmodSync(file, found.mode & 0o7777 & ~open)) === undefined;
    (isClosed ? closed : left).push(file);
  }
  if (closed.length > 0) {
    logger?.warn(
      named(closed),
      'other users of this machine could use files of Spandrel; their modes are closed to them now',
    );
  }
  if (left.length > 0) logger?.warn(named(left), 'other users of this machine can use files of Spandrel');
}

const openTo = ({ mode }: Stats, isForGroup: boolean): number => mode & (isForGroup ? OTHERS : GROUP_AND_OTHERS);

const isOwn = ({ uid }: Stats): boolean => uid === process.getuid?.();

function whyKept(directory: string, found: Stats): string | undefined {
  if (!isOwn(found)) return `it belongs to another user (uid ${found.uid})`;
  const path = resolve(directory);
  const isShared =
    (found.mode & STICKY) !== 0 || path === homedir() || `${process.cwd()}${sep}`.startsWith(withEnd(path));
  return isShared ? 'it is used for other things as well; name a directory in it instead' : undefined;
}

const withEnd = (path: string): string => (path.endsWith(sep) ? path : path + sep);

function failureOf(change: () => void): string | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

const named = (files: readonly string[]) => ({ files: files.slice(0, 10), count: files.length });

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');
