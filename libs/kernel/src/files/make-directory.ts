import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PRIVATE_DIRECTORY } from './close-to-others.js';
import { PathFault, pathFault } from './path-fault.js';

/**
 * Makes a directory and those above it. Node's `recursive: true` tries for ever in a place such as `/proc`.
 * @throws PathFault naming the part of the path that does not allow it.
 */
export function makeDirectory(path: string, mode = PRIVATE_DIRECTORY): void {
  const code = tryToMake(path, mode);
  if (code === undefined) return;
  if (code === 'EEXIST') {
    assertDirectory(path);
    return;
  }
  const parent = dirname(path);
  if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path) throw pathFault(path, { code });
  makeDirectory(parent, mode);
  const again = tryToMake(path, mode);
  if (again === undefined || again === 'EEXIST') return;
  throw again === 'ENOENT'
    ? new PathFault(path, 'is in a place where nobody can make directories')
    : pathFault(path, { code: again });
}

/** @returns the code of the error, `undefined` when the directory is made. */
function tryToMake(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
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
