import type { ConfigTree } from './config-tree.js';

/** Settings from one place: a file, the flags, or the environment. */
export interface ConfigSource {
  tree: ConfigTree;
  /** Where the value at a path was given, as `/etc/own.yaml:3` or `--port`; `undefined` where this source has none. */
  placeOf(path: readonly PropertyKey[]): string | undefined;
}

/**
 * Where a value was given: by the first source that has it, or failing that, the nearest group around it.
 * @param sources the one that wins first.
 */
function placeOf(sources: readonly ConfigSource[], path: readonly PropertyKey[]): string | undefined {
  for (let length = path.length; length > 0; length--) {
    for (const source of sources) {
      const place = source.placeOf(path.slice(0, length));
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

/** Where a value was given, as the end of a fault: ` (from --port)`; nothing where nobody gave it. */
export function givenBy(sources: readonly ConfigSource[], path: readonly PropertyKey[]): string {
  const place = placeOf(sources, path);
  return place === undefined ? '' : ` (from ${place})`;
}
