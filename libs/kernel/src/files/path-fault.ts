import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A path that cannot be used, and why, in words. */
export class PathFault extends Error {
  override readonly name = 'PathFault';

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path} ${reason}`);
  }
}

/** What the system's codes mean to who chose the path; each completes a sentence whose subject is the path. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'goes through a file as if that were a directory',
  EISDIR: 'is a directory, not a file',
  EEXIST: 'exists already',
  EACCES: 'may not be used by the user that Spandrel runs as (permission denied)',
  EPERM: 'may not be changed by the user that Spandrel runs as (operation not permitted)',
  EROFS: 'is on a file system that is read-only',
  ENOSPC: 'is on a disk without any space left',
  EDQUOT: 'is on a disk whose quota is used up',
  EFBIG: 'would be larger than a file may be here',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a link that leads to itself',
  EIO: 'is on a disk that failed (input/output error)',
  EINVAL: 'has a name that the file system does not take',
  ENXIO: 'is no file that can be opened',
};

/** Why a file cannot be made or written, in words: what is amiss with its folder, or else with the file. */
export function newFileFault(file: string, error: unknown): PathFault {
  const folder = dirname(file);
  const found = isDirectory(folder);
  if (found === 'missing') return new PathFault(folder, REASONS['ENOENT']!);
  if (found === 'file') return new PathFault(folder, 'is a file, not a directory');
  const { code } = Object(error) as { code?: unknown };
  // The folder is there, and the system says that it is not: so it does in /proc.
  return code === 'ENOENT'
    ? new PathFault(folder, 'is in a place where nobody can make files')
    : pathFault(file, error);
}

function isDirectory(path: string): 'yes' | 'file' | 'missing' | 'unknown' {
  try {
    return statSync(path).isDirectory() ? 'yes' : 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown';
  }
}

/** Why the system refused a path, in words. @param path the path that the error is about, unless it names one itself. */
export function pathFault(path: string, error: unknown): PathFault {
  if (error instanceof PathFault) return error;
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  // Node refuses a path with a NUL in it by itself.
  if (code === 'ERR_INVALID_ARG_VALUE') return new PathFault(path, REASONS['EINVAL']!);
  return new PathFault(path, REASONS[String(code)] ?? `cannot be used: ${String(message ?? error).split('\n')[0]}`);
}
