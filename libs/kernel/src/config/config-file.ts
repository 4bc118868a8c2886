import { dirname, resolve, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import { pathFault } from '../files/path-fault.js';
import { readSettingsFile } from '../files/read-settings-file.js';
import { type ConfigSource, isTree, PLUGINS_KEY } from './config-tree.js';
import { PACKAGE } from '../package-root.js';

const NOTHING: ConfigSource = { tree: {}, placeOf: () => undefined };

/**
 * Reads one file; a path of `plugins:` that starts with a dot is relative to the file.
 * @param setting how the user knows the setting that names the file, put before a fault of it.
 */
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
  let parsed: ParsedFile | undefined;
  const parseOnce = (): ParsedFile => (parsed ??= parseFile(path, text));
  let tree: unknown = preparedTree(text);
  if (tree === undefined) {
    const { document, lineOf } = parseOnce();
    const [error] = document.errors;
    // The sentence without yaml's own word of the place, and without the excerpt below it.
    if (error) return refuse(`${lineOf(error.pos[0])}: is not yaml: ${error.message.replace(/ at line \d+[^]*$/, '')}`);
    try {
      tree = document.toJS() ?? {};
    } catch (cause) {
      return refuse(`${path}: is not yaml: ${(cause as Error).message.split('\n')[0]}`);
    }
  }
  if (!isTree(tree)) return refuse(`${path}: must be a list of settings by name, not a single value`);
  if (Array.isArray(tree[PLUGINS_KEY]))
    tree[PLUGINS_KEY] = tree[PLUGINS_KEY].map((entry) => withAbsolutePath(entry, dirname(path)));
  return {
    tree,
    placeOf: (at) => {
      const { document, lineOf } = parseOnce();
      const offset = offsetOf(document, at);
      return offset === undefined ? undefined : lineOf(offset);
    },
  };
}

interface ParsedFile {
  document: Document.Parsed;
  lineOf(offset: number): string;
}

function parseFile(path: string, text: string): ParsedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return { document, lineOf: (offset) => `${path}:${lines.linePos(offset).line}` };
}

/** Where a value begins: at its name, for a member of a group. */
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

/** What the build writes (scripts/prepare-config.mjs): each file of config/ with what it says. */
const PREPARED = join(PACKAGE.root, 'dist', 'config.json');

/**
 * What a file says that the build has parsed already. A program and each of its threads read config/default.yaml when they start,
 * and yaml took 60 ms of the 950 ms of CPU that `spandrel serve` needs to start.
 * @param text the whole file: one that was edited since is not found.
 * @returns a tree of the caller's own; `undefined` for any other file, and where nothing is built.
 */
export function preparedTree(text: string): unknown {
  let prepared: { text: string; tree: unknown }[];
  try {
    prepared = JSON.parse(readFileSync(PREPARED, 'utf8')) as typeof prepared;
  } catch {
    return undefined;
  }
  return prepared.find((file) => file.text === text)?.tree;
}
