import { statSync, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
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

/** Config and secrets are small; what is larger, or never ends, is something else. */
const BYTES_MAX = 4 * 1024 * 1024;
/** How long somebody who holds the other end of a pipe may take, and how long nobody is waited for. */
const WRITER_MS_MAX = 5_000;
const NOBODY_MS_MAX = 500;
const POLL_MS = 5;
/** Nobody wakes who waits for it. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** The text of a file or a pipe; waits for no pipe without a writer, and reads no `/dev/zero`. @throws PathFault */
export function readSettingsFile(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const kind = fstatSync(file);
    if (kind.isDirectory()) throw new PathFault(path, 'is a directory, not a file');
    return readAll(path, file, kind.isFIFO());
  } catch (error) {
    throw pathFault(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readAll(path: string, file: number, isPipe: boolean): string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const began = performance.now();
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSome(file, chunk);
    const isWaited = count === 'later' || (count === 0 && isPipe && bytes === 0);
    if (!isWaited && count === 0) return Buffer.concat(chunks).toString('utf8');
    if (!isWaited) {
      bytes += count;
      chunks.push(chunk.subarray(0, count));
      if (bytes > BYTES_MAX) throw new PathFault(path, `has more than ${BYTES_MAX} bytes`);
      continue;
    }
    if (performance.now() - began > (count === 'later' ? WRITER_MS_MAX : NOBODY_MS_MAX)) {
      throw new PathFault(path, 'is a pipe that nothing comes from');
    }
    Atomics.wait(NEVER, 0, 0, POLL_MS);
  }
}

function readSome(file: number, chunk: Buffer): number | 'later' {
  try {
    return readSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'later';
    throw error;
  }
}
