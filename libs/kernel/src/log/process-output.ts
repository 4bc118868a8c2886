import { Writable } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { LogDestination, type LineSink } from './log-destination.js';

export interface LogOutput {
  readonly err: { readonly bulk: LineSink };
  /** Lines on standard output and error that did not fit, or that nobody could take. */
  readonly droppedLines: number;
}

export interface ProcessOutput extends LogOutput {
  readonly out: LogDestination;
  readonly err: LogDestination;
  end(limitMs: number): Promise<boolean>;
}

/** Puts bounded destinations in place of this thread's `process.stdout` and `stderr`, which keep all that nobody reads. */
export function takeProcessOutput(): ProcessOutput {
  const out = LogDestination.ofDescriptor(1);
  const err = LogDestination.ofDescriptor(2);
  redirect('stdout', out);
  redirect('stderr', err);
  return {
    out,
    err,
    get droppedLines() {
      return out.droppedLines + err.droppedLines;
    },
    end: async (limitMs) => (await Promise.all([out.end(limitMs), err.end(limitMs)])).every(Boolean),
  };
}

/** Has warnings of Node.js printed by `report`: Node's own way waits for standard error. Not where they are off. */
export function takeWarnings(report: (warning: Error) => void): void {
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', report);
}

function redirect(name: 'stdout' | 'stderr', destination: LogDestination): void {
  // Node's own stream of the main thread must not even be opened: it changes what a pipe does for all who share it.
  // The streams of other threads send messages to the main one; Node counts on the very object.
  const stream = isMainThread ? new Writable({ decodeStrings: false }) : process[name];
  const write: Writable['_write'] = (chunk: string | Buffer, _encoding, done) => {
    destination.write(String(chunk));
    done();
  };
  Object.assign(stream, { _write: write, _writev: undefined });
  Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true, writable: true });
}
