import { Readable, Writable } from 'node:stream';
import type { CommandIo } from '../../apps/cli/src/client/command-io.js';
import { runCli } from '../../apps/cli/src/client/run-cli.js';

/** What became of a command. */
export interface Finished {
  code: number;
  out: string;
  err: string;
}

/** A command that runs. */
export interface Running {
  out(): string;
  err(): string;
  /** Presses Ctrl-C. */
  interrupt(): void;
  finished: Promise<Finished>;
}

export interface CommandOptions {
  env?: Record<string, string>;
  stdin?: string | Readable;
  /** Columns of the terminal in front of it; none when left out. */
  terminal?: number;
}

/** Runs commands that ask a server within the tests: a process of its own takes a second to load. */
export class CommandLine {
  /** @param usual variables of every command. */
  constructor(private readonly usual: Record<string, string> = {}) {}

  /** Runs a command to its end. */
  run = (argv: readonly string[], options: CommandOptions = {}): Promise<Finished> =>
    this.start(argv, options).finished;

  /** Runs a command with `--json`. @returns its document; throws when it did not end with 0. */
  async json<Document>(argv: readonly string[], options: CommandOptions = {}): Promise<Document> {
    const { code, out, err } = await this.run([...argv, '--json'], options);
    if (code !== 0) throw new Error(`spandrel ${argv.join(' ')}: ${code}\n${err}`);
    return JSON.parse(out) as Document;
  }

  start(argv: readonly string[], { env = {}, stdin = '', terminal }: CommandOptions = {}): Running {
    const stdout = new Written(terminal);
    const stderr = new Written(terminal);
    const interrupted = new AbortController();
    const io: CommandIo = {
      stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
      stdout,
      stderr,
      env: { ...this.usual, ...env },
      signal: interrupted.signal,
    };
    return {
      out: () => stdout.text,
      err: () => stderr.text,
      interrupt: () => interrupted.abort(new Error('interrupted')),
      finished: runCli(argv, io).then((code) => ({ code, out: stdout.text, err: stderr.text })),
    };
  }
}

/** Keeps what is written to it; may pretend to be a terminal. */
class Written extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(terminal: number | undefined) {
    super({ decodeStrings: false });
    this.isTTY = terminal !== undefined;
    this.columns = terminal;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('utf8');
    done();
  }
}
