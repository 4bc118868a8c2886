import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { describe } from '@jest/globals';
import { atEnd } from './at-end.ts';
import { freePort } from './ports.ts';
import { tempDir, until } from './spandrel.ts';

/** A Redis server for the life of a test. */
export interface TestRedis {
  url: string;
  /** Ends it at once, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Lets it hang, and go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const running = new Set<ChildProcess>();
atEnd(() => running.forEach((child) => child.kill('SIGKILL')));

/** Makes a Redis that keeps nothing on disk, on a free port of this machine; it is not started yet. */
export async function makeRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      tempDir(),
    ];
    const started = spawn('redis-server', args, { stdio: 'ignore' });
    started.unref();
    running.add(started);
    started.once('close', () => running.delete(started));
    child = started;
    await until(
      () => listens(port),
      10_000,
      () => 'redis-server did not start',
    );
  };
  const crash = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child!.once('close', done));
    child.kill('SIGKILL');
    await ended;
  };
  return { url: `redis://127.0.0.1:${port}`, start, crash, signal: (signal) => void child?.kill(signal) };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), done(true)));
    socket.on('error', () => done(false));
  });

/**
 * `describe` for suites that start a program. Without it on the PATH they are shown as skipped, with the reason; when
 * SPANDREL_REQUIRE_SERVICES is 1 they run, and fail.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  const isThere = spawnSync('which', [program]).status === 0;
  const isWanted = isThere || process.env['SPANDREL_REQUIRE_SERVICES'] === '1';
  const title = isWanted ? name : `${name} (skipped: ${program} is not on the PATH)`;
  (isWanted ? describe : describe.skip)(title, () => suite());
}
