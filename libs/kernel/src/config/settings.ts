import { join, resolve } from 'node:path';
import { StartError } from '../errors.js';
import type { LineSink } from '../log/log-destination.js';
import { CoreSettings, hostFault, pluginsWithBases } from './core-settings.js';
import { type Setting, type SettingSource, type SettingsPart, settingName, settingsOf } from './setting.js';
import { PACKAGE } from '../package-root.js';
import { checkConfig, givenBy, valueIn } from './check-config.js';
import {
  readConfigFile,
  CONFIG_FILE_SOURCE,
  readFlags,
  readVariables,
  type Environment,
  knownVariables,
  unknownVariables,
} from './config-sources.js';

export class Settings {
  /** @param warnings what is to be said of the settings once, and stops no start. */
  constructor(
    private readonly values: ReadonlyMap<SettingsPart, object>,
    readonly warnings: readonly string[] = [],
  ) {}

  get core(): CoreSettings {
    return this.of(CoreSettings);
  }

  /** The values of a part. @throws Error for one that the program did not load. */
  of<Values extends object>(part: abstract new (...args: never[]) => Values): Values {
    const values = this.values.get(part as unknown as SettingsPart);
    if (!values) throw new Error(`the settings of ${part.name} are not loaded: the program does not list them`);
    return values as Values;
  }

  providers(): { provide: SettingsPart; useValue: object }[] {
    return [...this.values].map(([provide, useValue]) => ({ provide, useValue }));
  }

  /** @throws StartError with a line for each setting that cloud mode needs and does not have. */
  requireAll(): void {
    if (this.core.mode === 'local') return;
    const faults = [...this.values].flatMap(([{ declared }, values]) =>
      Object.entries(declared).flatMap(([name, each]) => (Reflect.get(values, name) === null ? needOf(each) : [])),
    );
    if (faults.length > 0) throw new StartError(faults);
  }
}

const needOf = (setting: Setting): string[] =>
  setting.cloudNeeds === undefined ? [] : [`${settingName(setting)}: cloud mode needs ${setting.cloudNeeds}`];

export function writeWarnings(warnings: readonly string[], output: LineSink): void {
  for (const warning of warnings) output.write(`spandrel: warning: ${warning}\n`);
}

export interface SettingsInput {
  args: readonly string[];
  env: Environment;
  cwd: string;
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
  if (faults.length > 0 && mode === 'cloud') {
    // Said with the other faults, so that one start names all of them.
    const missing = settings.filter(({ path }) => sources.every(({ tree }) => (valueIn(tree, path) ?? null) === null));
    const isNamed = (setting: Setting): boolean =>
      faults.some((fault) => fault.startsWith(`${settingName(setting)}: `));
    faults.push(...missing.filter((setting) => !isNamed(setting)).flatMap(needOf));
  }
  const warnings = unknownVariables(input.env, knownVariables(join(configDir, DEFAULT_FILE)));
  const loaded = valueAt && toSettings(all, valueAt, input.cwd, warnings);
  const fault = loaded && hostFault(loaded.core);
  if (fault) faults.push(`${settingName(CoreSettings.declared.host)}: ${fault}${givenBy(sources, ['host'])}`);
  if (faults.length > 0 || !loaded) throw new StartError(faults);
  return loaded;
}

const DEFAULT_FILE = 'default.yaml';
const CONFIG_FILE = { path: 'config', source: CONFIG_FILE_SOURCE, doc: 'A yaml file laid over the defaults.' };

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

/** Every flag and variable of core and parts, that of the config file first. */
export const settingSources = (parts: readonly SettingsPart[]): SettingSource[] =>
  withSources(parts).map(({ source }) => source);

/** What `--help` says of the settings: a line for each that a flag or a variable gives. */
export const settingsHelp = (parts: readonly SettingsPart[]): string =>
  withSources(parts)
    .map(({ source: { flag, variable }, doc }) => {
      const names = [flag, flag && variable ? `(${variable})` : variable].filter(Boolean).join(' ');
      return `  ${names}  ${doc.split(/[.;]\s/, 1)[0]!.replace(/\.$/, '')}`;
    })
    .join('\n');

const withSources = (parts: readonly SettingsPart[]): { source: SettingSource; doc: string }[] => [
  CONFIG_FILE,
  ...settingsOf([CoreSettings, ...parts]).flatMap(({ source, doc }) => (source ? { source, doc } : [])),
];
