import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { putAt, type ConfigTree } from './config-tree.js';
import type { Setting } from './setting.js';

/** The flag and variable of the config file itself. */
export const CONFIG_FILE_SOURCE = { flag: '--config', variable: 'SPANDREL_CONFIG' } as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** What the flags say: settings, and the file that `--config` names. */
export function readFlags(
  settings: readonly Setting[],
  args: readonly string[],
  faults: string[],
): { tree: ConfigTree; configFile: string | undefined } {
  const options: ParseArgsOptionsConfig = { [CONFIG_FILE_SOURCE.flag.slice(2)]: { type: 'string' } };
  for (const { source } of settings) {
    if (source?.flag) options[source.flag.slice(2)] = { type: source.kind === 'switch' ? 'boolean' : 'string' };
  }
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const tree: ConfigTree = {};
  let configFile: string | undefined;
  for (const token of tokens ?? []) {
    if (token.kind === 'positional') faults.push(`${token.value}: unexpected argument`);
    if (token.kind !== 'option') continue;
    const setting = settings.find(({ source }) => source?.flag === token.rawName);
    if (token.rawName === CONFIG_FILE_SOURCE.flag && token.value !== undefined) configFile = token.value;
    else if (!setting) faults.push(`${token.rawName}: unknown flag`);
    else if (setting.source?.kind === 'switch') putAt(tree, setting.path, !token.rawName.startsWith('--no-'));
    else if (token.value === undefined) faults.push(`${token.rawName}: needs a value`);
    else putAt(tree, setting.path, readValue(setting, token.value, token.rawName, faults));
  }
  return { tree, configFile };
}

/** What the environment says; an empty variable says nothing. */
export function readVariables(settings: readonly Setting[], env: Environment, faults: string[]): ConfigTree {
  const tree: ConfigTree = {};
  for (const setting of settings) {
    const { variable, secret } = setting.source ?? {};
    if (!variable) continue;
    const value = env[variable] ?? (secret ? readSecretFile(env, variable, faults) : undefined);
    if (value !== undefined && value !== '') putAt(tree, setting.path, readValue(setting, value, variable, faults));
  }
  return tree;
}

function readSecretFile(env: Environment, variable: string, faults: string[]): string | undefined {
  const path = env[`${variable}_FILE`];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    faults.push(`${variable}_FILE: cannot be read`);
    return undefined;
  }
}

function readValue({ source }: Setting, text: string, name: string, faults: string[]): unknown {
  if (source?.kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    faults.push(`${name}: must be true or false`);
    return undefined;
  }
  if (source?.kind !== 'integer') return text;
  if (/^\d+$/.test(text)) return Number(text);
  faults.push(`${name}: must be a whole number`);
  return undefined;
}
