import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from './ports.ts';
import { spawnSpandrel, tempDir, until } from './spandrel.ts';

/** What one read takes at most, as much as a pipe holds. One for all pipes: they are read again and again. */
const piece = Buffer.alloc(64 * 1024);

/** A named pipe between a program and its test: its reader may stop, go on, or go away. */
export class TestPipe {
  readonly writeFd: number;
  /** All that was read. */
  text = '';
  private readonly path = join(tempDir(), 'pipe');
  private readFd: number | undefined;

  constructor() {
    execFileSync('mkfifo', [this.path]);
    this.openReader();
    this.writeFd = openSync(this.path, constants.O_WRONLY);
  }

  /** The whole lines that were read. */
  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }

  /** Reads what is in the pipe. @returns false once nobody can write to it any more. */
  read(): boolean {
    for (;;) {
      try {
        const count = readSync(this.readFd!, piece);
        if (count === 0) return false;
        this.text += piece.toString('latin1', 0, count);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return true;
        throw error;
      }
    }
  }

  /** Reads until nobody can write any more. */
  async readToEnd(): Promise<void> {
    while (this.read()) await pause(5);
  }

  /** The test itself could write no more: the pipe ends when the program does. */
  closeWriter(): void {
    closeSync(this.writeFd);
  }

  /** A reader is there, which reads only when it is asked to. */
  openReader(): void {
    this.readFd = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /** The reader goes away. */
  closeReader(): void {
    if (this.readFd !== undefined) closeSync(this.readFd);
    this.readFd = undefined;
  }
}

export type AppCommand = 'server' | 'gateway' | 'serve';

/** A program whose standard output and error the test has chosen. */
export interface PipedProgram {
  /** Addresses of what the command runs: the API, the gateway, or both. */
  urls: string[];
  pid: number;
  /** What the program ended with. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): PipedProgram['exited'];
}

export interface PipedOptions {
  out?: number | 'ignore' | 'closed';
  err?: number | 'ignore' | 'closed';
  env?: Record<string, string>;
  args?: string[];
}

/** Starts the built program with a line a request, and waits until it serves: nothing it says is needed for that. */
export async function startPiped(command: AppCommand, options: PipedOptions = {}): Promise<PipedProgram> {
  const { out = 'ignore', err = 'ignore', env = {}, args = [] } = options;
  const [port, gatewayPort] = (await freePorts(2)) as [number, number];
  const flags = ['--port', String(port), '--gateway-port', String(gatewayPort), '--data-dir', tempDir(), ...args];
  const fd = (given: number | 'ignore' | 'closed'): number | 'ignore' => (given === 'closed' ? 'ignore' : given);
  const closed = `${out === 'closed' ? ' >&-' : ''}${err === 'closed' ? ' 2>&-' : ''}`;
  const child = spawnSpandrel(
    [command, ...flags],
    { SPANDREL_ACCESS_LOG: 'true', ...env },
    ['ignore', fd(out), fd(err)],
    ['sh', '-c', `exec "$@"${closed}`, 'sh'],
  );
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const urls = [
    ...(command === 'gateway' ? [] : [`http://127.0.0.1:${port}`]),
    ...(command === 'server' ? [] : [`http://127.0.0.1:${gatewayPort}`]),
  ];
  for (const url of urls)
    await until(
      () => answers(url),
      20_000,
      undefined,
      () => child.exitCode !== null,
    );
  const stop = (): PipedProgram['exited'] => {
    child.kill('SIGTERM');
    return exited;
  };
  return { urls, pid: child.pid!, exited, stop };
}

/** Whether a program listens there. */
export const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
