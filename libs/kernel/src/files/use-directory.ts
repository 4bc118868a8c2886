import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.js';
import type { Logger } from '../log/logger.js';
import { closeDirectory, PRIVATE_FILE } from './close-to-others.js';
import { makeDirectory } from './make-directory.js';
import { newFileFault, PathFault, pathFault } from './path-fault.js';

/** A full disk stops no start: what is there can be read and sent on, and somebody may free some space. */
const PASSING = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Makes sure that a directory of the settings is there, takes files and is closed to other users.
 * @param setting how the user knows the setting, see `settingName`.
 * @returns whether the group of the directory is meant to have access, for `closeFiles`.
 * @throws StartError of one line: setting, path and reason.
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
