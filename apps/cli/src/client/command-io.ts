import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { CommandFailure } from './exit-codes.js';

/** A stream that a command writes to; a terminal says so, and how wide it is. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number | undefined };

/** What a command reads, writes and is ended by: those of the process, or a test's. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the command is interrupted, or with {@link OutputClosed} when nobody reads what it writes any more. */
  readonly signal: AbortSignal;
}

/** Anyone who read the output has seen enough (`| head`): the command ends, and has nothing to complain about. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** What was written did not get to where it should: a disk is full. */
class OutputFailed extends CommandFailure {
  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`standard output cannot be written (${code ?? message})`);
  }
}

/** A signal that ends at once comes this much later than the first: a shell and npm send the same one twice. */
const IMPATIENCE_MS = 1_000;

/** Waits until all of the output is written, or cannot be: what fails then is the reason of the signal. */
export async function written({ stdout }: CommandIo): Promise<void> {
  await new Promise<void>((done) => {
    stdout.write('', () => setImmediate(done));
  });
}

/** @returns those of this process: Ctrl-C and SIGTERM abort it, a second one a while later ends the process at once. */
export function processIo(): CommandIo {
  const ending = new AbortController();
  let firstAt: number | undefined;
  const interrupt = (): void => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > IMPATIENCE_MS) process.exit(130);
    ending.abort(new Error('interrupted'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    ending.abort(error.code === 'EPIPE' ? new OutputClosed() : new OutputFailed(error));
  });
  // Where nobody reads what went wrong, nothing can be done about it.
  process.stderr.on('error', () => {});
  return {
    // Looked at only by a command that reads it: an open stdin keeps a process alive.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: ending.signal,
  };
}

/** Writes text or bytes, waiting while the reader is slow. @throws the reason of {@link CommandIo.signal} once that is aborted. */
export async function write(stream: Writable, chunk: string | Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (stream.write(chunk)) return;
  await once(stream, 'drain', { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** The text of a body, as it comes; a character that two pieces share comes whole. */
export async function* decodeText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
