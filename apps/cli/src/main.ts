import { Command } from 'commander';
import { CONFIG_FILE_SOURCE, PACKAGE, SETTING_SOURCES } from '@spandrel/kernel';
import { serve } from './serve.js';
import { runInPlace } from './run-in-place.js';

const program = new Command('spandrel')
  .description('Records, evaluates and reviews what LLM applications do.')
  .version(PACKAGE.version)
  .configureHelp({ showGlobalOptions: true });

const settings = [
  `  ${CONFIG_FILE_SOURCE.flag} (${CONFIG_FILE_SOURCE.variable})  a yaml file laid over the defaults`,
  ...SETTING_SOURCES.map(
    ({ flag, variable, help }) =>
      `  ${[flag, variable && (flag ? `(${variable})` : variable)].filter(Boolean).join(' ')}  ${help}`,
  ),
].join('\n');

for (const [name, description, run] of [
  ['serve', 'run API and gateway', serve],
  ['server', 'run the API alone', () => runInPlace('server')],
  ['gateway', 'run the recording proxy alone', () => runInPlace('gateway')],
] as const) {
  program
    .command(name)
    .description(description)
    .argument('[settings...]')
    .allowUnknownOption()
    .helpOption('-h, --help', 'show the settings')
    .usage('[settings]')
    .addHelpText('after', `\nSettings:\n${settings}`)
    .action(() => run());
}

await program.parseAsync();
