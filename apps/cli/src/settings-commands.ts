import type { Command } from 'commander';
import { settingsHelp, settingSources, StartError } from '@spandrel/kernel/launch';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { ALL_SETTINGS, printFailure } from './command-settings.js';
import { npmFlagFault } from './npm-flags.js';
import { runInPlace, serve } from './serve.js';
import { settingsCommand } from './settings-command.js';

interface Parent {
  program: Command;
}

/** A command that runs a program, unless npm kept flags for itself. */
const addProgram =
  (name: string, run: () => Promise<void>) =>
  ({ program }: Parent, description: string): void => {
    settingsCommand(program, name, { description }).action(async () => {
      const fault = npmFlagFault(process.argv.slice(3), process.env, settingSources(ALL_SETTINGS));
      if (fault === undefined) await run();
      else printFailure(new StartError([fault]));
    });
  };

export const addServe = addProgram('serve', serve);
export const addServer = addProgram('server', () => runInPlace('server'));
export const addGateway = addProgram('gateway', () => runInPlace('gateway'));

export function addBackup({ program }: Parent, description: string): void {
  settingsCommand(program, 'backup', {
    description,
    argument: ['<file>', 'where to; must not exist'],
    usage: '[--with-key]',
  })
    .option('--with-key', 'copy the secret key too, to <file>.key')
    .action(async (file: string, rest: string[], { withKey }: { withKey?: boolean }) => {
      // Loads the database, as those below do.
      const { backup } = await import('./backup.js');
      await backup(file, withKey === true, rest);
    });
}

const ROTATE_HELP = `Stop the server first, in cloud mode all of them. Without SPANDREL_SECRET_KEY the key file of the data directory gets a
new key. With it, as always in cloud mode, the new key is read from SPANDREL_NEW_SECRET_KEY or SPANDREL_NEW_SECRET_KEY_FILE (32 bytes, base64 or hex).`;

export function addSecrets({ program }: Parent, description: string): void {
  const secrets = program.command('secrets').description(description);
  const rotate = 'encrypt the keys of all provider connections and alert channels with a new secret key';
  settingsCommand(secrets, 'rotate', { description: rotate, help: ROTATE_HELP }).action(async () => {
    const { rotateSecrets } = await import('./rotate-secrets.js');
    await rotateSecrets(process.argv.slice(4));
  });
}

const REBUILD_HELP = `Stop the server first: a data directory is one process's at a time. In cloud mode servers may run; what they write waits
until it is done. A server of this version keeps the analytics itself;
they are to be counted again after the server ran without the feature "analytics", or the database was changed by hand.`;

export function addAnalytics({ program }: Parent, description: string): void {
  const analytics = program.command('analytics').description(description);
  const rebuild = 'count them again from all traces and spans';
  settingsCommand(analytics, 'rebuild', { description: rebuild, help: REBUILD_HELP }).action(async () => {
    const { rebuildAnalytics } = await import('./rebuild.js');
    await rebuildAnalytics(process.argv.slice(4));
  });
}

const STORE_HELP = `In local mode stop the server first: a data directory is one process's at a time. In cloud mode run it once all servers
have read_store.plugin, and whenever the store is to be filled again.`;

export function addReadStore({ program }: Parent, description: string): void {
  const store = program.command('read-store').description(description);
  const rebuild = 'have the servers fill it from the start';
  settingsCommand(store, 'rebuild', { description: rebuild, help: STORE_HELP }).action(async () => {
    const { rebuildStore } = await import('./rebuild.js');
    await rebuildStore(process.argv.slice(4));
  });
}

export function addRetention({ program }: Parent, description: string): void {
  const retention = program.command('retention').description(description);
  settingsCommand(retention, 'run', {
    description: 'do it at once, not at the next interval (cloud mode)',
    help: 'Servers may run meanwhile; several runs at once do each other no harm.',
  }).action(async () => {
    const { runRetention } = await import('./retention.js');
    await runRetention(process.argv.slice(4));
  });
}

const DEMO_HELP = `Spandrel must be running in local mode: npm start, in another terminal.

Settings, as for npm start:
${settingsHelp([GatewayUserSettings])}`;

export function addDemo({ program }: Parent, description: string): void {
  settingsCommand(program, 'demo', { description, usage: '[options]', settings: DEMO_HELP })
    .option('--remove', 'remove the example, and nothing else')
    .action(async (rest: string[], options: { remove?: true }) => {
      const { demo } = await import('./demo/demo.js');
      await demo(options, rest);
    });
}
