import { spawn, type ChildProcess } from 'node:child_process';
import { describe } from '@jest/globals';
import { atEnd } from './at-end.ts';
import { freePort } from './ports.ts';
import { tempDir, until } from './spandrel.ts';

/** The folder in which the package chdb is installed, which `.ci/run` brings: it is too large for a dependency. */
export const CHDB_FOLDER = process.env['CHDB_FOLDER'];

/** ClickHouse for the life of a test: the engine of chdb in a process of its own, behind its HTTP protocol. */
export interface TestClickHouse {
  url: string;
  /** Ends it at once, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again on the same port and data. @param password that it wants from then on. */
  start(password?: string): Promise<void>;
  /** Has it hang, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** The folder of its data. */
  path: string;
}

const running = new Set<ChildProcess>();
atEnd(() => running.forEach((child) => child.kill('SIGKILL')));

export async function startClickHouse(): Promise<TestClickHouse> {
  const [port, path] = [await freePort(), tempDir()];
  let child: ChildProcess | undefined;
  const start = async (password = ''): Promise<void> => {
    let output = '';
    const args = ['test/support/chdb-server.mjs', CHDB_FOLDER!, path, String(port), password];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    started.stdout.on('data', (chunk) => (output += String(chunk)));
    started.stderr.on('data', (chunk) => (output += String(chunk)));
    running.add(started);
    started.once('close', (_code, signal) => {
      running.delete(started);
      // Tests end it by a signal; else what waits for it would only say that its time is over.
      if (signal === null) process.stderr.write(`the engine ended by itself: ${output}\n`);
    });
    child = started;
    await until(
      () => output.includes('listening'),
      30_000,
      () => `the engine did not start: ${output}`,
    );
  };
  const crash = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child!.once('close', done));
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return { url: `http://127.0.0.1:${port}`, start, crash, path, signal: (signal) => void child!.kill(signal) };
}

/** Describes what needs ClickHouse: skipped where chdb is not installed, unless SPANDREL_REQUIRE_SERVICES is 1: then it fails. */
export const describeWithClickHouse =
  CHDB_FOLDER !== undefined || process.env['SPANDREL_REQUIRE_SERVICES'] === '1' ? describe : describe.skip;
