import { Command } from 'commander';
import { PACKAGE } from '@spandrel/kernel/launch';
import { COMMANDS, findCommand } from './commands.js';

const words = process.argv.slice(2);
const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
const called = findCommand(argv[0]);
if (called?.asksServer) {
  const { runClient } = await import('./client/run-cli.js');
  await runClient(argv);
} else {
  const program = new Command('spandrel')
    .description('Records, evaluates and reviews what LLM applications do.')
    .version(PACKAGE.version)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'spandrel: ')) })
    // Called wrongly, as docs/cli.md has it.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const entry of COMMANDS) {
    const { name, description } = entry;
    // For help the name is enough.
    if (entry === called && !entry.asksServer) (await entry.load())({ program }, description);
    else program.command(name).description(description);
  }
  await program.parseAsync(argv, { from: 'user' });
}
