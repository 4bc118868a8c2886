import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { dottedPath } from '@spandrel/contract';
import { parse as parseYaml } from 'yaml';
import { StartError } from '../errors/start-error.js';
import { PACKAGE } from '../package-root.js';
import { configSchema } from './config-schema.js';
import { CONFIG_FILE_SOURCE, SETTING_SOURCES, type SettingSource } from './setting-sources.js';
import { toSettings, type Settings } from './settings.js';

/** Addresses that local mode may listen on (docs/spec/access.md#local-mode-is-for-this-machine-alone). */
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

const PLUGINS_KEY = 'plugins';

type Tree = { [key: string]: unknown };

/** Where settings come from; the process's own unless a test says otherwise. */
export interface SettingsInput {
  /** Arguments after the program's name. */
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The folder with default.yaml and <mode>.yaml. */
  configDir?: string;
}

/**
 * Reads the settings: flag, environment, file given by `--config`, `config/<mode>.yaml`, `config/default.yaml`; the
 * first that has a value wins (docs/spec/configuration.md#where-a-setting-comes-from).
 * @throws StartError with one line a fault, naming the setting.
 */
export function loadSettings(input: SettingsInput): Settings {
  const faults: string[] = [];
  const configDir = input.configDir ?? join(PACKAGE.root, 'config');
  const flags = readFlags(input.args, faults);
  const given = overlay(readVariables(input.env, faults), flags.tree);
  const file = flags.configFile ?? input.env[CONFIG_FILE_SOURCE.variable];
  const own = file ? readYaml(resolve(input.cwd, file), faults) : {};
  const defaults = readYaml(join(configDir, 'default.yaml'), faults);
  const mode = [given, own, defaults].map((tree) => tree['mode']).find((value) => value !== undefined);
  const ofMode = mode === 'local' || mode === 'cloud' ? readYaml(join(configDir, `${mode}.yaml`), faults) : {};
  const parsed = configSchema.safeParse([ofMode, own, given].reduce(overlay, defaults));
  for (const issue of parsed.error?.issues ?? []) {
    const path = dottedPath(issue.path);
    faults.push(`${settingName(path)}: ${issue.message}`);
  }
  if (parsed.data?.mode === 'local' && !LOOPBACK.includes(parsed.data.host)) {
    faults.push(`${settingName('host')}: local mode has no login and listens on this machine only (127.0.0.1)`);
  }
  if (faults.length > 0 || !parsed.success) throw new StartError(faults);
  return toSettings(parsed.data, (path) => resolve(input.cwd, path));
}

function readFlags(args: readonly string[], faults: string[]): { tree: Tree; configFile: string | undefined } {
  const options: ParseArgsOptionsConfig = { [CONFIG_FILE_SOURCE.flag.slice(2)]: { type: 'string' } };
  for (const { flag, kind } of SETTING_SOURCES) {
    if (flag) options[flag.slice(2)] = { type: kind === 'switch' ? 'boolean' : 'string' };
  }
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const tree: Tree = {};
  let configFile: string | undefined;
  for (const token of tokens ?? []) {
    if (token.kind === 'positional') faults.push(`${token.value}: unexpected argument`);
    if (token.kind !== 'option') continue;
    const source = SETTING_SOURCES.find(({ flag }) => flag === token.rawName);
    if (token.rawName === CONFIG_FILE_SOURCE.flag && token.value !== undefined) configFile = token.value;
    else if (!source) faults.push(`${token.rawName}: unknown flag`);
    else if (source.kind === 'switch') put(tree, source.path, !token.rawName.startsWith('--no-'));
    else if (token.value === undefined) faults.push(`${token.rawName}: needs a value`);
    else put(tree, source.path, readValue(source, token.value, token.rawName, faults));
  }
  return { tree, configFile };
}

function readVariables(env: SettingsInput['env'], faults: string[]): Tree {
  const tree: Tree = {};
  for (const source of SETTING_SOURCES) {
    if (!source.variable) continue;
    const value = env[source.variable] ?? (source.secret ? readSecretFile(env, source.variable, faults) : undefined);
    if (value !== undefined && value !== '') put(tree, source.path, readValue(source, value, source.variable, faults));
  }
  return tree;
}

function readSecretFile(env: SettingsInput['env'], variable: string, faults: string[]): string | undefined {
  const path = env[`${variable}_FILE`];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    faults.push(`${variable}_FILE: cannot be read`);
    return undefined;
  }
}

function readValue(source: SettingSource, text: string, name: string, faults: string[]): unknown {
  if (source.kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    faults.push(`${name}: must be true or false`);
    return undefined;
  }
  if (source.kind !== 'integer') return text;
  if (/^\d+$/.test(text)) return Number(text);
  faults.push(`${name}: must be a whole number`);
  return undefined;
}

/** Reads one file; a path of `plugins:` that starts with a dot is relative to the file. */
function readYaml(path: string, faults: string[]): Tree {
  let tree: unknown;
  try {
    tree = parseYaml(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    faults.push(`${path}: ${reason.split('\n')[0]}`);
    return {};
  }
  if (!isTree(tree)) {
    faults.push(`${path}: must hold settings by name`);
    return {};
  }
  if (Array.isArray(tree[PLUGINS_KEY]))
    tree[PLUGINS_KEY] = tree[PLUGINS_KEY].map((entry) => withAbsolutePath(entry, dirname(path)));
  return tree;
}

function withAbsolutePath(entry: unknown, folder: string): unknown {
  const absolute = (use: unknown) => (typeof use === 'string' && /^\.\.?\//.test(use) ? resolve(folder, use) : use);
  return isTree(entry) ? { ...entry, use: absolute(entry['use']) } : absolute(entry);
}

/** Lays `upper` over `lower`: members of objects one by one, plugins as a list, everything else whole. */
function overlay(lower: Tree, upper: Tree): Tree {
  const result: Tree = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = result[key];
    if (value !== undefined) result[key] = isTree(value) && isTree(below) ? overlay(below, value) : value;
    if (key === PLUGINS_KEY && Array.isArray(value) && Array.isArray(below)) result[key] = overlayPlugins(below, value);
  }
  return result;
}

/** Plugins listed above come first; those below stay, unless an entry above names them. */
function overlayPlugins(lower: readonly unknown[], upper: readonly unknown[]): unknown[] {
  const named = new Set(upper.map(pluginUsed));
  return [...upper, ...lower.filter((entry) => !named.has(pluginUsed(entry)))];
}

const pluginUsed = (entry: unknown): unknown => (isTree(entry) ? entry['use'] : entry);

function put(tree: Tree, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  const parent = names.reduce<Tree>((node, name) => (node[name] ??= {}) as Tree, tree);
  parent[last] = value;
}

/** How the user knows a setting: its name in the files, and its flag and variable where it has them. */
function settingName(path: string): string {
  const source = SETTING_SOURCES.find((candidate) => candidate.path === path);
  const others = [source?.flag, source?.variable].filter((name) => name !== undefined);
  return others.length > 0 ? `${path} (${others.join(', ')})` : path || 'settings';
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
