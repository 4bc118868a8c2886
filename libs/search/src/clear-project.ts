import type { SearchIndex } from '@spandrel/plugin-api';

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
