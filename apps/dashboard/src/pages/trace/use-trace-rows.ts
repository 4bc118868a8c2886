import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { filterSpans, type FilteredSpans } from './trace-filter.js';
import type { TraceModel } from './trace-model.js';
import { readOnly, type Only } from './trace-search.js';
import { visiblePlaces } from './tree-rows.js';

const NONE: ReadonlySet<string> = new Set();

export interface TraceRows {
  rows: Int32Array;
  filtered: FilteredSpans | null;
  folded: ReadonlySet<string>;
  toggle(place: number): void;
  /** Opens what hides a span. */
  open(place: number): void;
}

/** The rows that filters and folds leave. A filter begins with everything open, so that every match is seen. */
export function useTraceRows(
  model: TraceModel,
  find: string,
  only: readonly Only[],
  foundInTexts: ReadonlySet<string>,
): TraceRows {
  const { tree } = model;
  const quickFind = useDeferredValue(find);
  const onlyKey = only.join();
  const filtered = useMemo(
    () => filterSpans(tree, { find: quickFind, only: readOnly(onlyKey), foundInTexts }),
    [tree, quickFind, onlyKey, foundInTexts],
  );
  const filterKey = filtered === null ? '' : `${onlyKey} ${quickFind}`;
  const [folds, setFolds] = useState<{ key: string; ids: ReadonlySet<string> }>({ key: '', ids: NONE });
  const [plainFolds, setPlainFolds] = useState(NONE);
  const filterFolds = folds.key === filterKey ? folds.ids : NONE;
  const folded = filterKey === '' ? plainFolds : filterFolds;
  const change = useCallback(
    (changed: (before: Set<string>) => void) => {
      const next = new Set(folded);
      changed(next);
      if (filterKey === '') setPlainFolds(next);
      else setFolds({ key: filterKey, ids: next });
    },
    [folded, filterKey],
  );
  const toggle = useCallback(
    (place: number) =>
      change((ids) => {
        const { id } = tree.spans[place]!;
        if (!ids.delete(id)) ids.add(id);
      }),
    [change, tree],
  );
  const open = useCallback(
    (place: number) => {
      const hiding: string[] = [];
      for (let above = tree.parent[place]!; above !== -1; above = tree.parent[above]!) {
        if (folded.has(tree.spans[above]!.id)) hiding.push(tree.spans[above]!.id);
      }
      if (hiding.length > 0) change((ids) => hiding.forEach((id) => ids.delete(id)));
    },
    [change, folded, tree],
  );
  const rows = useMemo(() => visiblePlaces(tree, folded, filtered?.kept ?? null), [tree, folded, filtered]);
  return { rows, filtered, folded, toggle, open };
}
