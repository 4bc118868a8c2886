/** Config as yaml has it: groups of settings by name. */
export type ConfigTree = { [key: string]: unknown };

export const PLUGINS_KEY = 'plugins';

export const isTree = (value: unknown): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function putAt(tree: ConfigTree, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  const parent = names.reduce<ConfigTree>((node, name) => (node[name] ??= {}) as ConfigTree, tree);
  parent[last] = value;
}

export const valueAt = (tree: ConfigTree, path: string): unknown =>
  path.split('.').reduce<unknown>((node, name) => (isTree(node) ? node[name] : undefined), tree);

/** The dotted paths of all settings in a tree; an empty object is a setting. */
export function leafPaths(tree: ConfigTree, above = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? leafPaths(value, `${above}${name}.`) : [above + name],
  );
}

/** Lays `upper` over `lower`: members of objects one by one, plugins as a list, everything else whole. */
export function overlay(lower: ConfigTree, upper: ConfigTree): ConfigTree {
  const result: ConfigTree = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = result[key];
    if (value !== undefined) result[key] = isTree(value) && isTree(below) ? overlay(below, value) : value;
    if (key === PLUGINS_KEY && Array.isArray(value) && Array.isArray(below)) {
      // Plugins listed above come first; those below stay, unless an entry above names them.
      const named = new Set(value.map(pluginUsed));
      result[key] = [...value, ...below.filter((entry) => !named.has(pluginUsed(entry)))];
    }
  }
  return result;
}

const pluginUsed = (entry: unknown): unknown => (isTree(entry) ? entry['use'] : entry);

/** Settings from one place: a file, the flags, or the environment. */
export interface ConfigSource {
  tree: ConfigTree;
  /** Where the value at a path was given, as `/etc/own.yaml:3` or `--port`; `undefined` where this source has none. */
  placeOf(path: readonly PropertyKey[]): string | undefined;
}

/**
 * Where a value was given, as the end of a fault: ` (from --port)`; by the first source that has it, or else the nearest
 * group around it. Nothing where nobody gave it.
 */
export function givenBy(sources: readonly ConfigSource[], path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length--) {
    for (const source of sources) {
      const place = source.placeOf(path.slice(0, length));
      if (place !== undefined) return ` (from ${place})`;
    }
  }
  return '';
}
