import { loadSettings, type Settings, type SettingsPart } from '@spandrel/kernel/launch';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';

/** Every part of the settings that there is: those of the server, and the gateway's. */
export const ALL_SETTINGS: readonly SettingsPart[] = [...SERVER_SETTINGS, GatewayUserSettings];

/** The settings of a command, read as the programs read them. @throws StartError with a line a fault. */
export const commandSettings = (args: readonly string[]): Settings =>
  loadSettings(ALL_SETTINGS, { args, env: process.env, cwd: process.cwd() });
