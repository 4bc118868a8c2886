import { closeSync, openSync, rmSync, mkdirSync, statSync, chmodSync, type Stats } from 'node:fs';
import { join, dirname, resolve, sep } from 'node:path';
import { homedir } from 'node:os';
import { StartError } from '../errors.js';
import type { Logger } from '../log/logger.js';
import { newFileFault, PathFault, pathFault } from './path-fault.js';

/** A full disk stops no start: what is there can be read and sent on, and somebody may free some space. */
const PASSING = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Makes sure that a directory of the settings is there, takes files and is closed to other users.
 * @returns whether the group of the directory is meant to have access, for `closeFiles`. @throws StartError
 */
export function useDirectory(setting: string, directory: string, logger?: Pick<Logger, 'warn'>): boolean {
  try {
    makeDirectory(directory);
    assertTakesFiles(directory);
    return closeDirectory(directory, logger);
  } catch (error) {
    const { path, reason } = pathFault(directory, error);
    const fault = path === directory ? `${path} ${reason}` : `${directory} cannot be made: ${path} ${reason}`;
    throw new StartError([`${setting}: ${fault}`]);
  }
}

/** Permissions alone do not say it: root passes them all, and a file system may be read-only or take no files. */
function assertTakesFiles(directory: string): void {
  const probe = join(directory, `.probe-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    closeSync(openSync(probe, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (PASSING.has((error as NodeJS.ErrnoException).code ?? '')) return;
    const { path, reason } = newFileFault(probe, error);
    throw new PathFault(path === probe ? directory : path, reason);
  }
  rmSync(probe, { force: true });
}

/**
 * Makes a directory and those above it. Node's `recursive: true` tries for ever in a place such as `/proc`.
 * @throws PathFault naming the part of the path that does not allow it.
 */
export function makeDirectory(path: string, mode = PRIVATE_DIRECTORY): void {
  const code = failureOf(() => mkdirSync(path, { mode }));
  if (code === undefined) return;
  if (code === 'EEXIST') return assertDirectory(path);
  const parent = dirname(path);
  if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path) throw pathFault(path, { code });
  makeDirectory(parent, mode);
  const again = failureOf(() => mkdirSync(path, { mode }));
  if (again === undefined || again === 'EEXIST') return;
  throw again === 'ENOENT'
    ? new PathFault(path, 'is in a place where nobody can make directories')
    : pathFault(path, { code: again });
}

function assertDirectory(path: string): void {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(path).isDirectory();
  } catch (error) {
    // Something has the name, and leads nowhere.
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new PathFault(path, 'is a link to something that does not exist')
      : pathFault(path, error);
  }
  if (!isDirectory) throw new PathFault(path, 'is a file, not a directory');
}

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

/** Takes the rights of other users from files, with warnings. @param isForGroup whether their group keeps its own. */
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

/** @returns the code of the error; `undefined` where there is none. */
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
