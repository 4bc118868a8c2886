import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { PathFault, pathFault } from './path-fault.js';

/** Config and secrets are small; what is larger, or never ends, is something else. */
const BYTES_MAX = 4 * 1024 * 1024;
/** How long somebody who holds the other end of a pipe may take, and how long nobody is waited for. */
const WRITER_MS_MAX = 5_000;
const NOBODY_MS_MAX = 500;
const POLL_MS = 5;
/** Nobody wakes who waits for it. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/**
 * The text of a file or a pipe; waits neither for ever for a pipe nor reads `/dev/zero` without end. @throws PathFault
 */
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
