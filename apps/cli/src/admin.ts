import 'reflect-metadata';
import { accessFeature, AccessSettings, administrationOf, JwtSettings } from '@spandrel/access';
import { commandContext, DomainError, inContext, loadPlugins, StartError } from '@spandrel/kernel';
import { maskingCommands, type MaskingCommands } from '@spandrel/masking';
import { ADMIN_ACTIONS, toOption, type AdminInput, type Outcome } from './admin-actions.js';
import { withDatabase } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

export type AdminAction = keyof typeof ADMIN_ACTIONS;

/** Runs an administrative command on the database of the settings and prints what came of it; ends with 1 if it fails. */
export async function administer(action: AdminAction, input: AdminInput): Promise<void> {
  try {
    const settings = commandSettings(input.args);
    if (settings.core.mode === 'local') {
      throw new StartError(['mode: local mode has no organizations and no keys; add --mode cloud']);
    }
    await withDatabase(settings, [accessFeature], async (storage, logger) => {
      const access = administrationOf(storage, settings.of(AccessSettings), settings.of(JwtSettings));
      const masking = async (): Promise<MaskingCommands> =>
        maskingCommands(storage, access.audit.trail, (await loadPlugins(settings.core.plugins, logger)).maskers);
      const administration = { ...access, masking };
      const outcome: Outcome = await inContext(commandContext(), () => ADMIN_ACTIONS[action](administration, input));
      const { json, lines } = outcome;
      process.stdout.write(
        input.options['json'] && json !== undefined
          ? `${JSON.stringify(json)}\n`
          : lines.map((line) => `${line}\n`).join(''),
      );
      if (outcome.isRefused) process.exitCode = 1;
    });
  } catch (error) {
    printFailure(error instanceof DomainError ? new StartError(listFaults(error)) : error, 'admin: ');
  }
}

const listFaults = ({ message, errors }: DomainError): string[] =>
  errors ? errors.map(({ path, message: fault }) => `${toOption(path)}: ${fault}`) : [message];
