import { findClientCommand } from '../commands.js';
import { processIo } from './command-io.js';
import { runCli } from './run-cli.js';

/** Runs the client command of this process's arguments and ends the process with its exit code. */
export async function runClient(argv: readonly string[]): Promise<void> {
  const io = processIo();
  const prepare = findClientCommand(argv[0])?.prepareProcess;
  await prepare?.();
  process.exitCode = await runCli(argv, io);
  // What was broken off may still hold the process: a connection, standard input.
  if (io.signal.aborted || prepare) process.exit();
}
