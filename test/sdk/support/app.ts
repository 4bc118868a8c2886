import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { atEnd } from '../../support/at-end.ts';
import { builtSdk } from '../../support/built-sdk.ts';
import { usersPath } from '../../support/users-path.ts';

/** How it is started: `options` are the SDK's. */
export interface AppOptions {
  options?: Record<string, unknown>;
  /** With a mask that throws. */
  masks?: boolean;
  /** With `onSignals()`. */
  signals?: boolean;
}

/** What a flush says. */
interface Flushed {
  delivered: number;
  pending: number;
  dropped: number;
  rejected: number;
  lastError: string | null;
}

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** programs/app.mjs, running on the Node of the PATH. */
export interface App {
  /** @returns whether all functions did what they do without being observed. */
  record(amounts: { count: number; bytes: number; name?: string }): Promise<boolean>;
  flush(options?: { timeoutMs: number }): Promise<Flushed>;
  leaveRunning(): Promise<void>;
  /** The resident memory, in bytes. */
  rss(): Promise<number>;
  /** Lets it end by itself. */
  end(): Promise<End>;
  signal(signal: NodeJS.Signals): Promise<End>;
  /** What it wrote to stderr. */
  errors(): string;
  kill(): void;
}

const children = new Set<ChildProcess>();
atEnd(() => children.forEach((child) => child.kill('SIGKILL')));

/** @param row name and tag of its traces. */
export async function startApp(row: string, options: AppOptions): Promise<App> {
  const child = fork(resolve('test/sdk/programs/app.mjs'), [JSON.stringify({ row, ...options })], {
    // The SDK promises Node 20, which is the PATH's; the project's own is newer.
    execPath: 'node',
    execArgv: [],
    env: { PATH: usersPath(), HOME: process.env['HOME'], SPANDREL_SDK: pathToFileURL(await builtSdk()).href },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  children.add(child);
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = new Promise<End>((done) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      done({ code, signal });
    });
  });
  const answer = <Result>(): Promise<Result> =>
    Promise.race([
      new Promise<Result>((done) => child.once('message', ({ result }: { result: Result }) => done(result))),
      ended.then(({ code, signal }) =>
        Promise.reject(new Error(`the application ended (${code ?? signal}): ${errors}`)),
      ),
    ]);
  const call = <Result>(name: string, argument?: object): Promise<Result> => {
    const answered = answer<Result>();
    child.send({ call: name, argument });
    return answered;
  };
  await answer();
  return {
    record: (amounts) => call('record', amounts),
    flush: (flushOptions) => call('flush', flushOptions),
    leaveRunning: () => call('leaveRunning'),
    rss: () => call('rss'),
    end: () => {
      child.send({ call: 'end' });
      return ended;
    },
    signal: (signal) => {
      child.kill(signal);
      return ended;
    },
    errors: () => errors,
    kill: () => void child.kill('SIGKILL'),
  };
}
