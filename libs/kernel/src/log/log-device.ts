import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

export interface LogDevice {
  /** What it is given at once: for a pipe or a socket no more than it takes as a whole, so that other writers do not get between. */
  readonly chunkBytes: number;
  /** Never waits. @returns how many bytes were taken, 0 when none for now. @throws the error of the system. */
  write(bytes: Buffer): number | Promise<number>;
  /** Does the same for a process that is ending; the thread waits where a promise would be returned. */
  writeNow(bytes: Buffer): number;
}

/** POSIX's least PIPE_BUF on Linux: a shorter write is taken whole or not at all. */
const PIPE_BYTES = 4_096;
const FILE_BYTES = 65_536;

export function openLogDevice(fd: number): LogDevice {
  const own = openWithoutWaiting(fd);
  return own === undefined ? fileDevice(fd) : pipeDevice(own);
}

/** A pipe, socket or terminal that says "not now" where it would have the writer wait. */
function pipeDevice(fd: number): LogDevice {
  const writeSome = (bytes: Buffer): number => {
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
      throw error;
    }
  };
  return { chunkBytes: PIPE_BYTES, write: writeSome, writeNow: writeSome };
}

const writeInPool = promisify(write);

/** A file: its disk may be slow, so that another thread waits for it. */
function fileDevice(fd: number): LogDevice {
  return {
    chunkBytes: FILE_BYTES,
    write: async (bytes) => (await writeInPool(fd, bytes)).bytesWritten,
    writeNow: (bytes) => writeSync(fd, bytes),
  };
}

/**
 * Opens what a descriptor stands for so that writes never wait, where possible by a descriptor of our own: programs
 * that share the first one see no change.
 * @returns `undefined` where writes may wait all the same: for files, which would also be written from their beginning.
 */
function openWithoutWaiting(fd: number): number | undefined {
  try {
    const kind = fstatSync(fd);
    if (kind.isFile() || kind.isBlockDevice()) return undefined;
    if (!kind.isSocket()) return openSync(`/proc/self/fd/${fd}`, OWN_DESCRIPTOR);
  } catch {
    // No /proc, or the reader is another user's: as a socket.
  }
  try {
    // Makes the descriptor non-blocking. It closes none of the first three descriptors.
    new Socket({ fd, readable: false, writable: true }).on('error', () => undefined).unref();
    return fd;
  } catch {
    return undefined;
  }
}

const OWN_DESCRIPTOR = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
