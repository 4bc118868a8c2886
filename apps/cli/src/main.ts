import { Command } from 'commander';
import { PACKAGE, settingsHelp, settingSources, StartError } from '@spandrel/kernel/launch';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { adminCommand } from './admin-command.js';
import { CLIENT_COMMANDS, findClientCommand } from './client/client-commands.js';
import { ALL_SETTINGS, printFailure } from './command-settings.js';
import type { DemoOptions } from './demo/demo-settings.js';
import { npmFlagFault } from './npm-flags.js';
import { serve, runInPlace } from './serve.js';

const program = new Command('spandrel')
  .description('Records, evaluates and reviews what LLM applications do.')
  .version(PACKAGE.version)
  .configureHelp({ showGlobalOptions: true });

const settings = settingsHelp(ALL_SETTINGS);

const ROTATE_HELP = `
Stop the server first, in cloud mode all of them. Without SPANDREL_SECRET_KEY the key file of the data directory gets a
new key. With it, as always in cloud mode, the new key is read from SPANDREL_NEW_SECRET_KEY or SPANDREL_NEW_SECRET_KEY_FILE (32 bytes, base64 or hex).

Settings:
${settings}`;

const REBUILD_HELP = `
Stop the server first: a data directory is one process's at a time. In cloud mode servers may run; what they write waits
until it is done. A server of this version keeps the analytics itself;
they are to be counted again after the server ran without the feature "analytics", or the database was changed by hand.

Settings:
${settings}`;

const DEMO_HELP = `
Spandrel must be running: npm start, in another terminal. In cloud mode SPANDREL_API_KEY holds a key with the scopes read
and write, and --model-url is needed.

Settings, as for npm start:
${settingsHelp([GatewayUserSettings])}`;

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
    .action(async () => {
      const fault = npmFlagFault(process.argv.slice(3), process.env, settingSources(ALL_SETTINGS));
      if (fault === undefined) await run();
      else printFailure(new StartError([fault]));
    });
}

program
  .command('backup')
  .description('copy the database to a file, also while the server runs')
  .argument('<file>', 'where to; must not exist')
  .argument('[settings...]')
  .option('--with-key', 'copy the secret key too, to <file>.key')
  .allowUnknownOption()
  .helpOption('-h, --help', 'show the settings')
  .usage('<file> [--with-key] [settings]')
  .addHelpText('after', `\nSettings:\n${settings}`)
  .action(async (file: string, rest: string[], { withKey }: { withKey?: boolean }) => {
    // Loads the database, as below.
    const { backup } = await import('./backup.js');
    await backup(file, withKey === true, rest);
  });

program
  .command('secrets')
  .description('look after the secret key that seals the keys of provider connections')
  .command('rotate')
  .description('encrypt the keys of all provider connections with a new secret key')
  .argument('[settings...]')
  .allowUnknownOption()
  .helpOption('-h, --help', 'show the settings')
  .usage('[settings]')
  .addHelpText('after', ROTATE_HELP)
  .action(async () => {
    // Loads database and framework, which the other commands leave to the apps they start.
    const { rotateSecrets } = await import('./rotate-secrets.js');
    await rotateSecrets(process.argv.slice(4));
  });

program
  .command('analytics')
  .description('look after the sums that summary and time series are read from')
  .command('rebuild')
  .description('count them again from all traces and spans')
  .argument('[settings...]')
  .allowUnknownOption()
  .helpOption('-h, --help', 'show the settings')
  .usage('[settings]')
  .addHelpText('after', REBUILD_HELP)
  .action(async () => {
    const { rebuildAnalytics } = await import('./rebuild-analytics.js');
    await rebuildAnalytics(process.argv.slice(4));
  });

program
  .command('retention')
  .description('delete what has been kept as long as plans say')
  .command('run')
  .description('do it at once, not at the next interval (cloud mode)')
  .argument('[settings...]')
  .allowUnknownOption()
  .helpOption('-h, --help', 'show the settings')
  .usage('[settings]')
  .addHelpText(
    'after',
    `\nServers may run meanwhile; several runs at once do each other no harm.\n\nSettings:\n${settings}`,
  )
  .action(async () => {
    const { runRetention } = await import('./retention.js');
    await runRetention(process.argv.slice(4));
  });

program
  .command('demo')
  .description('record a small example with a fake model, without any key; --remove removes it')
  .argument('[settings...]')
  .option('--remove', 'remove the example, and nothing else')
  .option('--serve', 'keep the fake model running until Ctrl-C')
  .option('--api-url <url>', "the API; this machine's at the port of the settings unless given")
  .option('--gateway-url <url>', 'the gateway; beside the API, one port above, unless given')
  .option('--model-port <port>', 'where the fake model listens on this machine; any free port unless given')
  .option('--model-url <url>', 'where gateway and server reach the fake model; at its port unless given')
  .allowUnknownOption()
  .helpOption('-h, --help', 'show options and settings')
  .usage('[options] [settings]')
  .addHelpText('after', DEMO_HELP)
  .action(async (rest: string[], options: DemoOptions) => {
    // Not among what every command loads.
    const { demo } = await import('./demo/demo.js');
    await demo(options, rest);
  });

program.addCommand(adminCommand(settings));

// For the help alone: the whole of their code is loaded when one of them is called.
for (const { name, description } of CLIENT_COMMANDS) program.command(name).description(description);

const words = process.argv.slice(2);
const called = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
if (findClientCommand(called[0])) {
  const { runClient } = await import('./client/run-client.js');
  await runClient(called);
} else {
  await program.parseAsync();
}
