import { Command, CommanderError } from 'commander';
import { findClientCommand } from '../commands.js';
import { OutputClosed, processIo, written, type CommandIo } from './command-io.js';
import { CommandFailure, ExitCode, fail, UsageFault } from './exit-codes.js';
import { oneLine } from './output/text.js';
import { paintFor } from './output/table.js';

/** @param argv the words behind `spandrel`; the first names the command. @returns the exit code; errors are reported. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  let ended: ExitCode = ExitCode.done;
  try {
    const entry = findClientCommand(argv[0]);
    if (entry === undefined) throw new UsageFault(`${argv[0] ?? ''}: is no command that asks a server`);
    const program = programFor(io);
    const add = await entry.load();
    add({ program, io, end: (code) => (ended = code) }, entry.description);
    await program.parseAsync(argv, { from: 'user' });
    await written(io);
    return io.signal.aborted ? endOf(io.signal.reason) : ended;
  } catch (error) {
    return endOf(io.signal.aborted ? io.signal.reason : error);
  }

  function endOf(error: unknown): ExitCode {
    if (error instanceof OutputClosed) return ExitCode.done;
    if (io.signal.aborted && !(error instanceof CommandFailure)) return ExitCode.interrupted;
    // What commander refuses it has reported already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    const { exitCode, lines } = fail(error);
    const paint = paintFor(io.stderr, io.env);
    io.stderr.write(lines.map((line) => `${paint('spandrel:', 'red')} ${oneLine(line)}\n`).join(''));
    return exitCode;
  }
}

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

/** Runs the client command of this process's arguments and ends the process with its exit code. */
export async function runClient(argv: readonly string[]): Promise<void> {
  const io = processIo();
  process.exitCode = await runCli(argv, io);
  // What was broken off may still hold the process: a connection, standard input.
  if (io.signal.aborted) process.exit();
}
