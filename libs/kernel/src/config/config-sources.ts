import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { dottedPath } from '@spandrel/contract';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import { pathFault, readSettingsFile } from '../files/path-fault.js';
import { type ConfigSource, putAt, type ConfigTree, isTree, PLUGINS_KEY } from './check-config.js';
import { nearestName } from '../nearest-name.js';
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

/** A secret is also read from the file that its variable with this ending names. */
const FILE_SUFFIX = '_FILE';

const PREFIX = 'SPANDREL_';

/** Variables that are no settings: of the config file, of a command, of clients as the documents show them, of the tests. */
const OTHERS = [
  'SPANDREL_CONFIG',
  'SPANDREL_NEW_SECRET_KEY',
  'SPANDREL_NEW_SECRET_KEY_FILE',
  'SPANDREL_KEY',
  'SPANDREL_CHECK_ROWS',
  'SPANDREL_ANSWERED_QUERIES',
  'SPANDREL_REQUIRE_SERVICES',
];
const OF_TESTS = /^SPANDREL_TEST_/;

/** What Kubernetes and Docker's links put into the environment beside a service that is called spandrel. */
const OF_SERVICES = /_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_|$)/;

/** The variables of every program's settings, which config/default.yaml names beside them. */
export function knownVariables(defaultFile: string): Set<string> {
  const names = readFileSync(defaultFile, 'utf8').match(/\b[A-Z]+(?:_[A-Z0-9]+)+\b/g) ?? [];
  return new Set([...OTHERS, ...names]);
}

/** A line for each variable of ours that nothing reads, with the one that was probably meant. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !OF_TESTS.test(name) && !OF_SERVICES.test(name))
    .toSorted()
    .map((name) => `${name}: there is no such variable, it has no effect${meant(name, known)}`);
}

function meant(name: string, known: ReadonlySet<string>): string {
  const withoutFile = name.slice(0, -FILE_SUFFIX.length);
  if (name.endsWith(FILE_SUFFIX) && known.has(withoutFile)) return `; ${withoutFile} is not read from a file, set it`;
  // Compared without the prefix, which some have and some have not.
  const byStem = new Map([...known].map((each) => [stem(each), each]));
  const nearest = nearestName(stem(name), byStem.keys());
  return nearest === undefined ? '' : `; did you mean ${byStem.get(nearest)}?`;
}

const stem = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);

const NOTHING: ConfigSource = { tree: {}, placeOf: () => undefined };

/** Reads one file. @param setting how the user knows the setting that names it, put before a fault of it. */
export function readConfigFile(path: string, faults: string[], setting?: string): ConfigSource {
  const refuse = (fault: string): ConfigSource => {
    faults.push(setting === undefined ? fault : `${setting}: ${fault}`);
    return NOTHING;
  };
  let text: string;
  try {
    text = readSettingsFile(path);
  } catch (error) {
    return refuse(pathFault(path, error).message);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset: number): string => `${path}:${lines.linePos(offset).line}`;
  const [error] = document.errors;
  // The sentence without yaml's own word of the place, and without the excerpt below it.
  if (error) return refuse(`${lineOf(error.pos[0])}: is not yaml: ${error.message.replace(/ at line \d+[^]*$/, '')}`);
  let tree: unknown;
  try {
    tree = document.toJS() ?? {};
  } catch (cause) {
    return refuse(`${path}: is not yaml: ${(cause as Error).message.split('\n')[0]}`);
  }
  if (!isTree(tree)) return refuse(`${path}: must be a list of settings by name, not a single value`);
  if (Array.isArray(tree[PLUGINS_KEY]))
    tree[PLUGINS_KEY] = tree[PLUGINS_KEY].map((entry) => withAbsolutePath(entry, dirname(path)));
  return {
    tree,
    placeOf: (at) => {
      const offset = offsetOf(document, at);
      return offset === undefined ? undefined : lineOf(offset);
    },
  };
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  let node: ParsedNode | null = document.contents;
  let offset: number | undefined;
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
      if (!pair) return undefined;
      offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node)) {
      node = (node.items[Number(name)] as ParsedNode | undefined) ?? null;
      if (node === null) return undefined;
      offset = node.range[0];
    } else return undefined;
  }
  return offset;
}

function withAbsolutePath(entry: unknown, folder: string): unknown {
  const absolute = (use: unknown) => (typeof use === 'string' && /^\.\.?\//.test(use) ? resolve(folder, use) : use);
  return isTree(entry) ? { ...entry, use: absolute(entry['use']) } : absolute(entry);
}
