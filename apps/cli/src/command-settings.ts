import { loadSettings, writeWarnings, type Settings, type SettingsPart } from '@spandrel/kernel/launch';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';

/** Every part of the settings that there is: those of the server, and the gateway's. */
export const ALL_SETTINGS: readonly SettingsPart[] = [...SERVER_SETTINGS, GatewayUserSettings];

/**
 * The settings of a command, read as the programs read them; what is odd about them is told on standard error.
 * @throws StartError with a line a fault.
 */
export function commandSettings(args: readonly string[]): Settings {
  const settings = loadSettings(ALL_SETTINGS, { args, env: process.env, cwd: process.cwd() });
  writeWarnings(settings.warnings, process.stderr);
  return settings;
}
