import { loadSettings, writeWarnings, StartError, type Settings, type SettingsPart } from '@spandrel/kernel/launch';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { CassetteSettings } from '../../gateway/src/cassette/cassette.settings.js';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';

/** Every part of the settings that there is: those of the server, and the gateway's. */
export const ALL_SETTINGS: readonly SettingsPart[] = [...SERVER_SETTINGS, GatewayUserSettings, CassetteSettings];

/** @returns the settings; what is odd is reported on standard error. @throws StartError with a line a fault. */
export function commandSettings(args: readonly string[]): Settings {
  const settings = loadSettings(ALL_SETTINGS, { args, env: process.env, cwd: process.cwd() });
  writeWarnings(settings.warnings, process.stderr);
  return settings;
}

/** Reports why a command did not do its work, a line a fault; the program ends with 1. @param during before such an error. */
export function printFailure(error: unknown, during = ''): void {
  const faults =
    error instanceof StartError ? error.faults : [during + (error instanceof Error ? error.message : String(error))];
  process.stderr.write(faults.map((fault) => `spandrel: ${fault}\n`).join(''));
  process.exitCode = 1;
}
