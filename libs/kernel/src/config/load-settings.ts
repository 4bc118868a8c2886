import { join, resolve } from 'node:path';
import { StartError } from '../errors.js';
import { PACKAGE } from '../package-root.js';
import { checkConfig } from './check-config.js';
import { readConfigFile } from './config-file.js';
import { givenBy } from './config-tree.js';
import { CoreSettings, hostFault, pluginsWithBases } from './core-settings.js';
import { settingsOf, type SettingsPart } from './define-settings.js';
import { CONFIG_FILE_SOURCE, readFlags, readVariables, type Environment } from './flags-and-variables.js';
import { knownVariables, unknownVariables } from './known-variables.js';
import { settingName } from './setting.js';
import { Settings } from './settings.js';

export interface SettingsInput {
  args: readonly string[];
  env: Environment;
  cwd: string;
  /** The folder with default.yaml and <mode>.yaml. */
  configDir?: string;
}

/**
 * Reads and checks the settings of a program (docs/spec/configuration.md#where-a-setting-comes-from). Those that
 * config/default.yaml names and the program does not declare are other programs': they are let pass, unread.
 * @throws StartError with one line a fault, naming the setting.
 */
export function loadSettings(parts: readonly SettingsPart[], input: SettingsInput): Settings {
  const all: readonly SettingsPart[] = [CoreSettings, ...parts];
  const settings = settingsOf(all);
  const faults: string[] = [];
  const configDir = input.configDir ?? join(PACKAGE.root, 'config');
  const flags = readFlags(settings, input.args, faults);
  const given = [flags.source, readVariables(settings, input.env, faults)];
  const file = flags.configFile || input.env[CONFIG_FILE_SOURCE.variable];
  if (file) given.push(readConfigFile(resolve(input.cwd, file), faults, settingName(CONFIG_FILE)));
  const defaults = readConfigFile(join(configDir, DEFAULT_FILE), faults);
  const mode = [...given, defaults].map(({ tree }) => tree['mode']).find((value) => value !== undefined);
  if (mode === 'local' || mode === 'cloud') given.push(readConfigFile(join(configDir, `${mode}.yaml`), faults));
  const sources = [...given, defaults];
  const valueAt = checkConfig(settings, defaults.tree, sources, faults);
  const warnings = unknownVariables(input.env, knownVariables(join(configDir, DEFAULT_FILE)));
  const loaded = valueAt && toSettings(all, valueAt, input.cwd, warnings);
  const fault = loaded && hostFault(loaded.core);
  if (fault) faults.push(`${settingName(CoreSettings.declared.host)}: ${fault}${givenBy(sources, ['host'])}`);
  if (faults.length > 0 || !loaded) throw new StartError(faults);
  return loaded;
}

const DEFAULT_FILE = 'default.yaml';
const CONFIG_FILE = { path: 'config', source: { ...CONFIG_FILE_SOURCE, help: '' } };

function toSettings(
  parts: readonly SettingsPart[],
  valueAt: (path: string) => unknown,
  cwd: string,
  warnings: readonly string[],
): Settings {
  const values = new Map<SettingsPart, object>();
  for (const Part of parts) {
    const own = Object.entries(Part.declared).map(([name, { path, isPath }]) => {
      const value = valueAt(path);
      return [name, isPath && typeof value === 'string' ? resolve(cwd, value) : value];
    });
    values.set(Part, new Part(Object.fromEntries(own) as never));
  }
  const settings = new Settings(values, warnings);
  settings.core.plugins = pluginsWithBases(settings.core);
  return settings;
}
