/** What a tree needs to know of a span. */
export interface TreeSpan {
  id: string;
  parent_id: string | null;
}

/** A span where it stands in the tree. */
export interface TreeRow<Span> {
  span: Span;
  /** 0 for those without a parent. */
  level: number;
  /** Lines in front of its name: `│  ├─ `. */
  branch: string;
  /** Lines in front of what stands below it: `│  │  `. */
  below: string;
  /** Spans below it that are not shown, since they are deeper than was asked for. */
  hidden: number;
}

/** A chain of a thousand calls is not drawn a thousand branches wide. */
const LEVELS_DRAWN = 24;

/**
 * Puts spans below their parents, each list in the order that they came in. A span whose parent is not there has none; of
 * spans that are each other's parents the first that came has none.
 * @param depth levels that are shown.
 */
export function spanTree<Span extends TreeSpan>(spans: readonly Span[], depth = Infinity): TreeRow<Span>[] {
  const known = new Set(spans.map(({ id }) => id));
  const children = Map.groupBy(spans, ({ parent_id: parent }) =>
    parent !== null && known.has(parent) ? parent : undefined,
  );
  const rows: TreeRow<Span>[] = [];
  const seen = new Set<string>();
  const grow = (roots: readonly Span[]): void => {
    const open = placed(roots, 0, '').toReversed();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { span, level, below } = at;
      if (seen.has(span.id)) continue;
      seen.add(span.id);
      const under = (children.get(span.id) ?? []).filter(({ id }) => !seen.has(id));
      if (level + 1 < depth) {
        rows.push({ ...at, hidden: 0 });
        open.push(...placed(under, level + 1, below).toReversed());
      } else {
        rows.push({ ...at, hidden: mark(under) });
      }
    }
  };
  grow(children.get(undefined) ?? []);
  for (const span of spans) if (!seen.has(span.id)) grow([span]);
  return rows;

  /** Marks spans and all below them as seen. @returns how many they are. */
  function mark(roots: readonly Span[]): number {
    const open = [...roots];
    let count = 0;
    for (let span = open.pop(); span !== undefined; span = open.pop()) {
      if (seen.has(span.id)) continue;
      seen.add(span.id);
      count++;
      open.push(...(children.get(span.id) ?? []));
    }
    return count;
  }
}

type Placed<Span> = Omit<TreeRow<Span>, 'hidden'>;

function placed<Span>(spans: readonly Span[], level: number, before: string): Placed<Span>[] {
  return spans.map((span, index) => {
    if (level === 0) return { span, level, branch: '', below: '' };
    if (level > LEVELS_DRAWN) return { span, level, branch: `${before}… `, below: before };
    const isLast = index === spans.length - 1;
    return { span, level, branch: `${before}${isLast ? '└─ ' : '├─ '}`, below: `${before}${isLast ? '   ' : '│  '}` };
  });
}
