import type { Command } from 'commander';
import type { Api } from '@spandrel/sdk';
import { createClient, type ClientOptions } from './server.js';
import type { CommandIo } from './command-io.js';
import type { ExitCode } from './exit-codes.js';
import { Output } from './output/output.js';

export interface ClientCall<Options> {
  readonly api: Api;
  readonly out: Output;
  readonly io: CommandIo;
  readonly options: ClientOptions & Options;
}

/** Puts client commands below a program; what they end with is kept for {@link runCli}. */
export interface ClientProgram {
  readonly program: Command;
  readonly io: CommandIo;
  end(code: ExitCode): void;
}

export const addServerOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'the server; SPANDREL_API_URL, else http://127.0.0.1:3000, when left out')
    .option('--key <key>', 'API key, which cloud mode needs; SPANDREL_API_KEY when left out');

/**
 * Makes a command one that asks the server: with `--url`, `--key` and `--json`, and an action that gets a client by them.
 * It takes the command's arguments as commander gives them: texts, lists of them, `undefined` for one that was left out.
 * An action ends with the code that it returns, 0 for none, and with that of what it throws (exit-codes.ts).
 */
export function clientCommand<Options, Arguments extends unknown[] = string[]>(
  { io, end }: ClientProgram,
  command: Command,
  action: (call: ClientCall<Options>, ...args: Arguments) => Promise<ExitCode | void>,
): Command {
  return addServerOptions(command)
    .option('--json', 'answer in JSON')
    .action(async (...given: unknown[]) => {
      const args = given.slice(0, -2) as Arguments;
      const options = given.at(-2) as ClientOptions & Options;
      const out = new Output(io, options.json === true);
      const code = await action({ api: createClient(options, io), out, io, options }, ...args);
      if (code !== undefined) end(code);
    });
}
