import { Command, CommanderError } from 'commander';
import { findClientCommand } from './client-commands.js';
import { OutputClosed, type CommandIo } from './command-io.js';
import { ExitCode, fail, UsageFault } from './exit-codes.js';
import { oneLine } from './output/clean-text.js';
import { paintFor } from './output/styles.js';

/**
 * Runs one command that asks a server. Errors are told on standard error.
 * @param argv the words behind `spandrel`; the first names the command.
 * @returns the exit code.
 */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  let ended: ExitCode = ExitCode.done;
  try {
    const entry = findClientCommand(argv[0]);
    if (entry === undefined) throw new UsageFault(`${argv[0] ?? ''}: is no command that asks a server`);
    const program = programFor(io);
    const add = await entry.load();
    add({ program, io, end: (code) => (ended = code) }, entry.description);
    await program.parseAsync(argv, { from: 'user' });
    return io.signal.aborted ? codeOfSignal(io.signal) : ended;
  } catch (error) {
    if (io.signal.aborted) return codeOfSignal(io.signal);
    // What commander refuses it has told already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    const { exitCode, lines } = fail(error);
    const paint = paintFor(io.stderr, io.env);
    io.stderr.write(lines.map((line) => `${paint('spandrel:', 'red')} ${oneLine(line)}\n`).join(''));
    return exitCode;
  }
}

const codeOfSignal = ({ reason }: AbortSignal): ExitCode =>
  reason instanceof OutputClosed ? ExitCode.done : ExitCode.interrupted;

/** A program whose commands write to `io`, and throw instead of ending the process. */
const programFor = (io: CommandIo): Command =>
  new Command('spandrel')
    .exitOverride()
    .showHelpAfterError('(--help shows what it takes)')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, writeErr) => writeErr(text.replace(/^error: /, 'spandrel: ')),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    });
