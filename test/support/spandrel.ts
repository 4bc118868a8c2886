import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { atEnd } from './at-end.ts';
import { freePort } from './ports.ts';

const CLI = resolve('dist/apps/cli/src/main.js');
/** A program that lives for seconds need not find out how much it allots: a start takes four fifths of the CPU. */
const ROOM_FOR_THE_YOUNG = '--min-semi-space-size=32';
const START_MS_MAX = 20_000;
/** Shared by all tests: a program starts in four fifths of the time. */
export const COMPILE_CACHE = join(tmpdir(), 'spandrel-compile-cache');

export interface StartOptions {
  /** The built program; this tree's when left out. */
  program?: string;
  command?: 'serve' | 'server' | 'gateway';
  /** Further flags. */
  args?: string[];
  env?: Record<string, string>;
  dataDir?: string;
  port?: number;
  gatewayPort?: number;
}

/** A started Spandrel. */
export interface Spandrel {
  apiUrl: string;
  gatewayUrl: string;
  dataDir: string;
  pid: number;
  output(): string;
  /** Sends a signal and waits for the end. @returns the exit code, `null` when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the built program as a user would and waits until it says that it runs. */
export async function startSpandrel(options: StartOptions = {}): Promise<Spandrel> {
  const port = options.port ?? (await freePort());
  const gatewayPort = options.gatewayPort ?? (await freePort());
  const dataDir = options.dataDir ?? tempDir();
  const { child, output, exited } = launch(
    [
      options.command ?? 'serve',
      ...['--port', String(port), '--gateway-port', String(gatewayPort), '--data-dir', dataDir],
      ...(options.args ?? []),
    ],
    options.env,
    options.program,
  );
  await until(
    () => /Spandrel (runs|API on|gateway on)/.test(output()),
    START_MS_MAX,
    () => `Spandrel did not start:\n${output()}`,
    () => child.exitCode !== null,
  );
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
    dataDir,
    pid: child.pid!,
    output,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the command to its end, for starts that are refused. */
export async function runSpandrel(args: string[], env: Record<string, string> = {}) {
  const { output, exited } = launch(args, env);
  return { code: await exited, output: output() };
}

/** What starts the built program, for those that start it themselves. */
export const commandLine = (args: readonly string[], program = CLI): string[] => [
  ...[process.execPath, ROOM_FOR_THE_YOUNG, program],
  ...args,
];

/**
 * Starts the built program, which ends with the tests at the latest.
 * @param by what starts it in place of the test itself: a shell with its arguments.
 */
export function spawnSpandrel(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdio: StdioOptions,
  by: readonly string[] = [],
  program = CLI,
): ChildProcess {
  const [file, ...words] = [...by, ...commandLine(args, program)];
  const child = spawn(file!, words, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio,
  });
  // A test that fails must not hang on what it started; the exit handler ends it.
  child.unref();
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

function launch(args: string[], env: Record<string, string> = {}, program = CLI) {
  const child = spawnSpandrel(args, env, ['ignore', 'pipe', 'pipe'], [], program);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
    (stream as Socket).unref();
  }
  const exited = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  return { child, output: () => output, exited };
}

const folders: string[] = [];
const children = new Set<ChildProcess>();
atEnd(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder outside the repository, gone when the tests end. */
export function tempDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-test-'));
  folders.push(folder);
  return folder;
}

/** Whatever takes a second on a quiet machine takes some on one that others use too. */
const SLOWEST = 6;
const PATIENCE_MS_MAX = 150_000;
/** The longest pause between two questions. */
const PAUSE_MS_MAX = 250;

/**
 * Waits until a condition holds, asking often at first: what takes seconds anyway is seen a twentieth later, and a program
 * that is asked sixty times a second has less time for what is waited for.
 * @param timeoutMs on a quiet machine. It is there for what never comes, and says nothing about how quick something is.
 * @throws with `describe()` when the time is over, or when `givenUp()`.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
  describe: () => string = () => 'the condition did not come true in time',
  givenUp: () => boolean = () => false,
): Promise<void> {
  const started = Date.now();
  const deadline = started + Math.min(timeoutMs * SLOWEST, PATIENCE_MS_MAX);
  while (!(await holds())) {
    const now = Date.now();
    if (now > deadline || givenUp()) throw new Error(describe());
    await new Promise((done) => setTimeout(done, Math.min(15 + (now - started) / 20, PAUSE_MS_MAX)));
  }
}
