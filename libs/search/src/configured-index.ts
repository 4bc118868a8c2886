import { StartError, type CoreSettings, type PluginRegistry } from '@spandrel/kernel';
import type { SearchSettings } from './search.settings.js';
import type { SearchIndex } from '@spandrel/plugin-api';

export interface ConfiguredIndex {
  readonly name: string;
  readonly index: SearchIndex;
}

/** Injection token of the {@link ConfiguredIndex}; `null` in local mode, and where config names none. */
export const SEARCH_INDEX = Symbol('search index');

/** @throws StartError when config names an index that no plugin is. */
export function configuredIndex(
  { mode }: Pick<CoreSettings, 'mode'>,
  { index: name }: Pick<SearchSettings, 'index'>,
  plugins: Pick<PluginRegistry, 'searchIndexes'>,
): ConfiguredIndex | null {
  if (mode === 'local' || name === null) return null;
  const found = plugins.searchIndexes.find((plugin) => plugin.name === name);
  if (found) return { name, index: whole(name, found.extension) };
  const loaded = plugins.searchIndexes.map((plugin) => plugin.name).join(', ') || 'none';
  throw new StartError([
    `search.index: there is no search index plugin "${name}" (loaded: ${loaded}); list it in plugins:`,
  ]);
}

const METHODS = [
  'upsert',
  'remove',
  'removeTraces',
  'clear',
  'query',
  'close',
] as const satisfies (keyof SearchIndex)[];

/** @throws StartError when a plugin that no type checker has seen returned something else. */
function whole(name: string, index: SearchIndex): SearchIndex {
  const missing = METHODS.filter((method) => typeof index[method] !== 'function');
  if (missing.length === 0) return index;
  throw new StartError([`search.index: the index of the plugin "${name}" has no ${missing.join(', ')}`]);
}

/** Documents that one call takes out of the index: a tenth of a second's work for pgvector, which has an index of vectors. */
const DOCUMENTS_AT_ONCE = 500;

/**
 * Takes documents of a project out of the index, some at a time where the plugin can, else all at once.
 * @returns how many went (0 where the plugin does not say), and whether some may be left.
 * @throws what the index throws.
 */
export async function clearSomeOfProject(
  index: Pick<SearchIndex, 'clear' | 'clearSome'>,
  projectId: string,
): Promise<{ removed: number; isMoreLeft: boolean }> {
  if (!index.clearSome) {
    await index.clear({ projectId });
    return { removed: 0, isMoreLeft: false };
  }
  const removed = await index.clearSome({ projectId }, DOCUMENTS_AT_ONCE);
  return { removed, isMoreLeft: removed >= DOCUMENTS_AT_ONCE };
}

/**
 * Takes all documents of a project out of the index, unless it is stopped before.
 * @returns whether none is left. @throws what the index throws; what went stays gone.
 */
export async function clearProject(
  index: Pick<SearchIndex, 'clear' | 'clearSome'>,
  projectId: string,
  stopped: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const { isMoreLeft } = await clearSomeOfProject(index, projectId);
    if (!isMoreLeft || stopped.aborted) return !isMoreLeft;
  }
}
