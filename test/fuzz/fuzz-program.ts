import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempDir, until, type StartOptions } from '../support/spandrel.ts';
import type { Place, Program } from '../support/places.ts';

/** What the program holds, after a collection; bytes and pieces. */
export interface Held {
  /** Heap in use and buffers outside of it. */
  live: number;
  rss: number;
  sockets: number;
  descriptors: number;
}

/** Collects, and says what is left, when a file asks for it: every thread by itself, since API and gateway have one each. */
const PRELOAD = `
  import { readFileSync, renameSync, writeFileSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { threadId } from 'node:worker_threads';
  const file = process.env.FUZZ_MEMORY_FILE;
  let answered = '0';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const timer = setInterval(() => {
    const asked = readFileSync(file, 'utf8');
    if (asked === answered || asked === '') return;
    answered = asked;
    collect();
    // Buffers are freed after the collection that finds them.
    setTimeout(() => {
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      const mine = file + '.' + asked + '.' + threadId;
      writeFileSync(mine + '.new', JSON.stringify({ live: heapUsed + external, rss }));
      renameSync(mine + '.new', mine);
    }, 300).unref();
  }, 200);
  timer.unref();`;

/** How long threads have that are busy when they are asked. */
const THREADS_MS = 3_000;

/** Lines that a program writes when something that nobody handles has happened to it. */
const UNHANDLED = /uncaught ?exception|unhandled ?rejection|unhandled '?error|MaxListenersExceeded/i;

/** The program under fuzz, which is started again when it ends. */
export class FuzzProgram {
  /** Times that the program ended by itself. */
  ends = 0;
  program: Program = undefined as never;
  private readonly place: Place;
  private readonly options: StartOptions;
  private readonly file = join(tempDir(), 'memory');
  private read = 0;
  private asked = 0;

  constructor(place: Place, options: StartOptions) {
    const preload = join(tempDir(), 'memory.mjs');
    writeFileSync(preload, PRELOAD);
    writeFileSync(this.file, '0');
    this.place = place;
    const env = { ...options.env, NODE_OPTIONS: `--import=${preload}`, FUZZ_MEMORY_FILE: this.file };
    this.options = { ...options, env };
  }

  /** Starts it, once a former one is gone. */
  async start(): Promise<void> {
    writeFileSync(this.file, '0');
    if (this.program !== undefined) await this.program.stop('SIGKILL');
    this.program = await this.place.start(this.options);
    this.read = 0;
  }

  /** Whether it has ended, or is about to: calls under way may end before a program that has met a fatal fault does. */
  hasEnded(): boolean {
    if (this.program.output().includes('"level":"fatal"')) return true;
    // A process that has ended and is not waited for yet is a zombie, which has no descriptors.
    try {
      return /^State:\s+Z/m.test(readFileSync(`/proc/${this.program.pid}/status`, 'utf8'));
    } catch {
      return true;
    }
  }

  /** The end of what it wrote. */
  lastLines(): string {
    return this.program.output().slice(-6_000);
  }

  /** Lines since the last call that report what nobody handled. */
  takeUnhandled(): string[] {
    const fresh = this.program.output().slice(this.read);
    const end = fresh.lastIndexOf('\n') + 1;
    this.read += end;
    return fresh
      .slice(0, end)
      .split('\n')
      .filter((line) => UNHANDLED.test(line));
  }

  /** What it holds now. @throws when the program has ended. */
  async held(): Promise<Held> {
    const name = `${basename(this.file)}.${++this.asked}.`;
    writeFileSync(this.file, String(this.asked));
    const answers = (): string[] =>
      readdirSync(dirname(this.file)).filter((entry) => entry.startsWith(name) && !entry.endsWith('.new'));
    await until(
      () => answers().includes(`${name}0`),
      60_000,
      () => 'the program does not say what it holds',
      () => this.hasEnded(),
    );
    await sleep(THREADS_MS);
    const threads = answers().map(
      (entry) => JSON.parse(readFileSync(join(dirname(this.file), entry), 'utf8')) as { live: number; rss: number },
    );
    const live = threads.reduce((sum, thread) => sum + thread.live, 0);
    return { live, rss: Math.max(...threads.map(({ rss }) => rss)), ...this.opened() };
  }

  /** Sockets and descriptors that it has open. */
  opened(): Pick<Held, 'sockets' | 'descriptors'> {
    const folder = `/proc/${this.program.pid}/fd`;
    if (!existsSync(folder)) return { sockets: 0, descriptors: 0 };
    const links = readdirSync(folder).map((name) => {
      try {
        return readlinkSync(join(folder, name));
      } catch {
        return '';
      }
    });
    return { sockets: links.filter((link) => link.startsWith('socket:')).length, descriptors: links.length };
  }
}
