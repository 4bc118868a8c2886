import { dirname, resolve } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import { pathFault } from '../files/path-fault.js';
import { readSettingsFile } from '../files/read-settings-file.js';
import { type ConfigSource, isTree, PLUGINS_KEY } from './config-tree.js';

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
