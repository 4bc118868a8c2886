/** What the walk needs of a span that is stored. */
export interface CoverNode {
  readonly parentId: string | null;
  /** Whether something below it has usage, as far as is known. */
  readonly below: boolean;
}

/** The spans of one trace, as the walk sees and changes them. */
export interface CoverTree {
  /** @returns `null` for a span that is not there. */
  find(id: string): CoverNode | null;
  /** Notes that something below a span has usage. */
  setBelow(id: string): void;
  /** Notes the same for a span that is not there, for when it comes. */
  mark(id: string): void;
}

/** Ancestors that one walk visits; as many levels are loaded for a batch. */
export const ANCESTORS_MAX = 1_000;

/**
 * Notes at all ancestors of a span that something below them has usage, up to one that is known to have; the first that is
 * not there yet is marked (docs/adr/0024-otlp-usage-counts-once.md). Call it for a span that has usage itself, or has
 * something below that has: when it comes, when that begins to be so, and when its parent changes.
 * Parents in a circle end the walk, as each is visited once.
 */
export function coverAncestors(tree: CoverTree, parentId: string | null): void {
  let id = parentId;
  for (let steps = 0; id !== null && steps < ANCESTORS_MAX; steps++) {
    const node = tree.find(id);
    if (!node) {
      tree.mark(id);
      return;
    }
    if (node.below) return;
    tree.setBelow(id);
    id = node.parentId;
  }
}
