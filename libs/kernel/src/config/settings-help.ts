import { CONFIG_FILE_SOURCE } from './config-sources.js';
import { CoreSettings } from './core-settings.js';
import { settingsOf, type Setting, type SettingKind, type SettingsPart } from './setting.js';

export interface SettingHelp {
  flag?: string;
  variable?: string;
  secret?: true;
  kind?: SettingKind;
  help: string;
}

/** Every flag and variable of core and parts, that of the config file first. */
export const settingSources = (parts: readonly SettingsPart[]): SettingHelp[] => [
  { ...CONFIG_FILE_SOURCE, help: 'a yaml file laid over the defaults' },
  ...settingsOf([CoreSettings, ...parts])
    .map(({ source }: Setting) => source)
    .filter((source) => source !== undefined),
];

/** What `--help` says of the settings: a line for each flag and variable. */
export const settingsHelp = (parts: readonly SettingsPart[]): string =>
  settingSources(parts)
    .map(
      ({ flag, variable, help }) =>
        `  ${[flag, variable && (flag ? `(${variable})` : variable)].filter(Boolean).join(' ')}  ${help}`,
    )
    .join('\n');
