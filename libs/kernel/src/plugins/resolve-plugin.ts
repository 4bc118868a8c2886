import { readdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE } from '../package-root.js';

/** The specifier of a plugin entry: a file (absolute or from the working folder), a built-in, else an npm package. */
export function resolvePlugin(use: string): string {
  if (isAbsolute(use)) return pathToFileURL(use).href;
  if (/^\.\.?\//.test(use)) return pathToFileURL(resolve(use)).href;
  return BUILT_IN.get(use) ?? use;
}

/** Built-in plugins: `plugins/<extension point>/<name>/index`. */
const BUILT_IN: ReadonlyMap<string, string> = findBuiltIns(join(PACKAGE.code, 'plugins'));

function findBuiltIns(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const group of readdirSync(folder, { withFileTypes: true })) {
    if (!group.isDirectory()) continue;
    for (const plugin of readdirSync(join(folder, group.name), { withFileTypes: true })) {
      const entry = readdirSync(join(folder, group.name, plugin.name)).find((file) => /^index\.(js|ts)$/.test(file));
      if (entry) found.set(plugin.name, pathToFileURL(join(folder, group.name, plugin.name, entry)).href);
    }
  }
  return found;
}

/** Whether a plugin entry names a plugin that comes with this program. */
export const isBuiltIn = (use: string): boolean => BUILT_IN.has(use);

export const builtInNames = (): string[] => [...BUILT_IN.keys()].sort();
