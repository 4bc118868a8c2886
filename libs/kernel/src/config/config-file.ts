import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { isTree, PLUGINS_KEY, type ConfigTree } from './config-tree.js';

/** Reads one file; a path of `plugins:` that starts with a dot is relative to the file. */
export function readConfigFile(path: string, faults: string[]): ConfigTree {
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
    faults.push(`${path}: must be a list of settings by name, not a single value`);
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
