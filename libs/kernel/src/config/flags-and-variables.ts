import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { dottedPath } from '@spandrel/contract';
import { pathFault } from '../files/path-fault.js';
import { readSettingsFile } from '../files/read-settings-file.js';
import { type ConfigSource, putAt, type ConfigTree } from './config-tree.js';
import { nearestName } from '../nearest-name.js';
import { FILE_SUFFIX } from './known-variables.js';
import type { Setting } from './setting.js';

/** The flag and variable of the config file itself. */
export const CONFIG_FILE_SOURCE = { flag: '--config', variable: 'SPANDREL_CONFIG' } as const;

export type Environment = Readonly<Record<string, string | undefined>>;

class NamedValues implements ConfigSource {
  readonly tree: ConfigTree = {};
  private readonly names = new Map<string, string>();

  put({ path }: Setting, value: unknown, name: string): void {
    putAt(this.tree, path, value);
    this.names.set(path, name);
  }

  placeOf(path: readonly PropertyKey[]): string | undefined {
    return this.names.get(dottedPath(path));
  }
}

/** What the flags say: settings, and the file that `--config` names. */
export function readFlags(
  settings: readonly Setting[],
  args: readonly string[],
  faults: string[],
): { source: ConfigSource; configFile: string | undefined } {
  const options: ParseArgsOptionsConfig = { [CONFIG_FILE_SOURCE.flag.slice(2)]: { type: 'string' } };
  for (const { source } of settings) {
    if (source?.flag) options[source.flag.slice(2)] = { type: takesValue(source.kind) ? 'string' : 'boolean' };
  }
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const source = new NamedValues();
  let configFile: string | undefined;
  for (const token of tokens ?? []) {
    if (token.kind === 'positional') faults.push(`${token.value}: unexpected argument`);
    if (token.kind !== 'option') continue;
    const { rawName: flag, value } = token;
    const setting = settings.find((each) => each.source?.flag === flag) ?? switchedOff(settings, flag);
    const kind = setting?.source?.kind;
    if (flag === CONFIG_FILE_SOURCE.flag && value !== undefined) configFile = value;
    else if (!setting)
      faults.push(flag === CONFIG_FILE_SOURCE.flag ? `${flag}: needs a value` : unknownFlag(flag, settings));
    else if (!takesValue(kind) && value === undefined) source.put(setting, !flag.startsWith('--no-'), flag);
    else if (value === undefined) faults.push(`${flag}: needs a value`);
    else source.put(setting, readValue(setting, value, flag, faults), flag);
  }
  return { source, configFile };
}

function unknownFlag(flag: string, settings: readonly Setting[]): string {
  const name = flag.replace(/^-+/, '');
  const variable = `SPANDREL_${name.toUpperCase().replaceAll('-', '_')}`;
  if (settings.some(({ source }) => source?.variable === variable)) return `${flag}: is no flag; set ${variable}`;
  const names = settings.flatMap(({ source }) => source?.flag?.slice(2) ?? []);
  const nearest = nearestName(name, [...names, CONFIG_FILE_SOURCE.flag.slice(2)]);
  return `${flag}: unknown flag${nearest === undefined ? '' : `; did you mean --${nearest}?`}`;
}

/** `--no-access-log` for `--access-log`. */
const switchedOff = (settings: readonly Setting[], flag: string): Setting | undefined =>
  settings.find(({ source }) => source?.kind === 'boolean' && flag === source.flag?.replace(/^--/, '--no-'));

const takesValue = (kind: string | undefined): boolean => kind !== 'switch' && kind !== 'boolean';

/** What the environment says; an empty variable says nothing. */
export function readVariables(settings: readonly Setting[], env: Environment, faults: string[]): ConfigSource {
  const source = new NamedValues();
  for (const setting of settings) {
    const { variable, secret } = setting.source ?? {};
    if (!variable) continue;
    const given = env[variable];
    if (given) source.put(setting, readValue(setting, given, variable, faults), variable);
    else if (secret) {
      const name = variable + FILE_SUFFIX;
      const text = readSecretFile(env, name, faults);
      if (text) source.put(setting, readValue(setting, text, name, faults), name);
    }
  }
  return source;
}

/** The secret in the file that a variable names; `undefined` when there is none, or it cannot be read (a fault). */
export function readSecretFile(env: Environment, name: string, faults: string[]): string | undefined {
  const path = env[name];
  if (!path) return undefined;
  try {
    const text = readSettingsFile(path).trim();
    if (text === '') faults.push(`${name}: ${path} is empty`);
    return text;
  } catch (error) {
    // Who confuses the two variables has given the secret itself.
    const shown = /^\.{0,2}\//.test(path) ? path : 'what it holds';
    faults.push(`${name}: ${shown} ${pathFault(path, error).reason}; it must be the path of a file`);
    return undefined;
  }
}

function readValue({ source }: Setting, text: string, name: string, faults: string[]): unknown {
  if (source?.kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    faults.push(`${name}: must be true or false`);
    return undefined;
  }
  if (source?.kind === 'list') return text.split(',').map((entry) => entry.trim());
  if (source?.kind !== 'integer') return text;
  if (/^\d+$/.test(text)) return Number(text);
  faults.push(`${name}: must be a whole number`);
  return undefined;
}
