import type { Command } from 'commander';
import { settingsHelp } from '@spandrel/kernel/launch';
import { ALL_SETTINGS } from './command-settings.js';

interface SettingsCommand {
  description: string;
  /** An argument before the settings, such as `<file>`, and what it is. */
  argument?: readonly [name: string, description?: string];
  /** What stands between argument and settings in its usage, such as `[options]`. */
  usage?: string;
  help?: string;
  /** What its help says of the settings, where it is not all of them. */
  settings?: string;
}

/** Puts a command below another one that takes settings as `spandrel serve` does; its caller adds options and the action. */
export function settingsCommand(
  parent: Command,
  name: string,
  {
    description,
    argument,
    usage = '',
    help = '',
    settings = `Settings:\n${settingsHelp(ALL_SETTINGS)}`,
  }: SettingsCommand,
): Command {
  const command = parent.command(name).description(description);
  if (argument) command.argument(...argument);
  return command
    .argument('[settings...]')
    .allowUnknownOption()
    .helpOption('-h, --help', usage.includes('[options]') ? 'show options and settings' : 'show the settings')
    .usage([argument?.[0], usage, '[settings]'].filter(Boolean).join(' '))
    .addHelpText('after', `\n${help === '' ? '' : `${help}\n\n`}${settings}`);
}
