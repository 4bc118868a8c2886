import type { Command } from 'commander';
import { clientCommand, type ClientProgram } from '../client-command.js';
import { addParameterFlags } from '../parameter-flags.js';
import { listItems, type ShownList } from './list-items.js';

/** Puts a command below another that shows a list, with a flag for each parameter of the API. */
export function addListCommand<Item>(
  program: ClientProgram,
  parent: Command,
  description: string,
  list: ShownList<Item>,
): Command {
  const command = parent.command('list').description(description);
  addParameterFlags(command, list.schema);
  command.option('--all', 'every page, not one');
  return clientCommand<{ all?: boolean }>(program, command, (call) => listItems(call, list));
}
