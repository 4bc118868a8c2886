import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What waits at most for a reader; beyond it lines are dropped and counted. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** How long lines that are in no hurry wait for others to be written with. */
const GATHER_MS = 1_000;
/** Chunks written before everything else gets its turn: a reader that is as fast as we are must not hold us up. */
const CHUNKS_A_TURN = 64;
/** Pauses between asking a reader that does not read: the first, and the longest. */
const BUSY_MS = 1;
const BUSY_MS_MAX = 250;
/** Errors after which the same bytes are tried again: somebody may free the disk. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'ENOMEM', 'ENOBUFS']);
const RETRY_MS = 1_000;
/** How long a reader that takes nothing is waited for at the end. */
const STALLED_MS = 1_000;
/** How long it is waited for in a process that ends without an orderly stop, where nothing else goes on meanwhile. */
const STALLED_AT_EXIT_MS = 500;
const POLL_MS = 10;

/** Takes lines, as pino writes them. */
export interface LineSink {
  write(line: string): void;
}

/** Where a program's lines go: never waited for, and bounded whatever becomes of the reader. */
export class LogDestination implements LineSink {
  /** This destination for lines that are in no hurry: they are written in bulk, within a second. */
  readonly bulk: LineSink = { write: (line) => this.add(line, false) };
  private device: LogDevice | undefined;
  private buffer = new LineBuffer(0, 0);
  private isScheduled = false;
  private gathering: NodeJS.Timeout | undefined;
  private isWriting = false;
  /** A write is with the device, which may keep it for as long as it likes. */
  private isUnderWay = false;
  private progressAt = 0;
  private state: 'open' | 'ending' | 'over' = 'open';
  private wake = (): void => undefined;

  /** @param open opens what is written to; called with the first line. */
  constructor(private readonly open: () => LogDevice) {}

  static ofDescriptor(fd: 1 | 2): LogDestination {
    return new LogDestination(() => openLogDevice(fd));
  }

  /** Lines that did not fit, or that nobody could take. */
  get droppedLines(): number {
    return this.buffer.dropped;
  }

  /** @param text whole lines. Written before the event loop turns. */
  write(text: string): void {
    this.add(text, true);
  }

  /** Writes what waits within the limit, and drops the rest. @returns false when a write is still with the device. */
  async end(limitMs: number): Promise<boolean> {
    if (!this.device) return true;
    this.state = 'ending';
    const deadline = performance.now() + limitMs;
    this.progressAt = performance.now();
    for (;;) {
      this.wake();
      void this.pump();
      if (!this.isWriting) return true;
      await pause(POLL_MS);
      if (this.isWriting && performance.now() >= Math.min(deadline, this.progressAt + STALLED_MS)) break;
    }
    this.state = 'over';
    this.buffer.dropAll();
    return !this.isUnderWay;
  }

  private add(text: string, isUrgent: boolean): void {
    if (!this.device) this.begin();
    if (this.state === 'over') {
      this.buffer.drop(text);
      return;
    }
    this.buffer.add(text);
    if (this.isScheduled || this.isWriting) return;
    if (isUrgent || this.buffer.bytes >= this.device!.chunkBytes) {
      this.isScheduled = true;
      setImmediate(() => void this.pump());
    } else {
      this.gathering ??= setTimeout(() => void this.pump(), GATHER_MS).unref();
    }
  }

  private begin(): void {
    this.device = this.open();
    this.buffer = new LineBuffer(WAITING_BYTES_MAX, this.device.chunkBytes);
    process.once('exit', () => this.flushAtExit());
  }

  private async pump(): Promise<void> {
    this.isScheduled = false;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (this.isWriting) return;
    this.isWriting = true;
    let busyMs = BUSY_MS;
    let chunks = 0;
    for (let bytes = this.buffer.next(); bytes; bytes = this.buffer.next()) {
      const outcome = this.writeSome(bytes);
      const taken = typeof outcome === 'object' ? await outcome : outcome;
      if (this.state === 'over') return;
      if (taken === 'failed') await this.rest(RETRY_MS);
      else if (taken === 0) await this.rest(busyMs);
      busyMs = taken === 0 ? Math.min(busyMs * 2, BUSY_MS_MAX) : BUSY_MS;
      if (++chunks % CHUNKS_A_TURN === 0) await nextTurn();
    }
    this.isWriting = false;
  }

  /** @returns how many bytes were taken, or that it is worth trying the same ones again later. */
  private writeSome(bytes: Buffer): Taken | Promise<Taken> {
    try {
      const taken = this.device!.write(bytes);
      if (typeof taken === 'number') return this.took(taken);
      this.isUnderWay = true;
      return taken
        .then(
          (count) => this.took(count),
          (error: unknown) => this.failed(error),
        )
        .finally(() => (this.isUnderWay = false));
    } catch (error) {
      return this.failed(error);
    }
  }

  private took(bytes: number): number {
    if (bytes > 0 && this.state !== 'over') {
      this.buffer.took(bytes);
      this.progressAt = performance.now();
    }
    return bytes;
  }

  private failed(error: unknown): Taken {
    if (this.state === 'open' && PASSING.has((error as NodeJS.ErrnoException).code ?? '')) return 'failed';
    // Nobody is there, and nobody is expected. Later lines are tried again: a named pipe may get another reader.
    if (this.state !== 'over') this.buffer.dropAll();
    return 0;
  }

  /** Waits, without keeping the process alive, until it is woken. */
  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The process ends now: writes what its reader takes without much waiting. */
  private flushAtExit(): void {
    if (this.state === 'over') return;
    // The running write ends before the process does.
    if (this.isUnderWay) this.buffer.took(this.buffer.next()!.length);
    let waitedMs = this.state === 'ending' ? STALLED_AT_EXIT_MS : 0;
    for (let bytes = this.buffer.next(); bytes && waitedMs <= STALLED_AT_EXIT_MS; bytes = this.buffer.next()) {
      try {
        const taken = this.device!.writeNow(bytes);
        this.buffer.took(taken);
        if (taken > 0) continue;
      } catch {
        return;
      }
      Atomics.wait(NEVER, 0, 0, POLL_MS);
      waitedMs += POLL_MS;
    }
  }
}

type Taken = number | 'failed';

/** Nobody wakes who waits for it. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Lines that wait to be written, as chunks of bytes that hold whole lines; never more than it may hold. */
export class LineBuffer {
  /** How many lines were dropped: they did not fit, or nobody could take them. */
  dropped = 0;
  bytes = 0;
  private readonly sealed: Buffer[] = [];
  /** The text that the next lines join; encoded when it is as long as a chunk, or wanted. */
  private tail = '';
  private tailBytes = 0;
  /** What is left of the chunk that is being written. */
  private head: Buffer | undefined;

  /** @param chunkBytesMax the size of a chunk; a longer line is a chunk by itself. */
  constructor(
    private readonly bytesMax: number,
    private readonly chunkBytesMax: number,
  ) {}

  add(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes > this.bytesMax) {
      this.drop(text);
      return;
    }
    if (this.tailBytes > 0 && this.tailBytes + bytes > this.chunkBytesMax) this.seal();
    this.tail += text;
    this.tailBytes += bytes;
    this.bytes += bytes;
  }

  /** The bytes to write next. The same ones until they are taken. */
  next(): Buffer | undefined {
    if (this.head) return this.head;
    if (this.sealed.length === 0 && this.tailBytes > 0) this.seal();
    return (this.head = this.sealed.shift());
  }

  /** The first bytes of {@link next} are written. */
  took(bytes: number): void {
    this.bytes -= bytes;
    const rest = this.head!.subarray(bytes);
    this.head = rest.length > 0 ? rest : undefined;
  }

  drop(text: string): void {
    this.dropped += Math.max(1, text.split('\n').length - 1);
  }

  dropAll(): void {
    for (let chunk = this.next(); chunk; chunk = this.next()) {
      this.drop(chunk.toString('latin1'));
      this.took(chunk.length);
    }
  }

  private seal(): void {
    this.sealed.push(Buffer.from(this.tail));
    this.tail = '';
    this.tailBytes = 0;
  }
}

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
 * Opens what a descriptor stands for so that writes never wait, as a descriptor of our own where possible.
 * @returns `undefined` for files, where writes may wait all the same.
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
