import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, useDeferredValue, useMemo } from 'react';
import { readOnly, readTraceSearch, type TraceSearch, type Only } from './trace-search.js';
import { filterSpans, visiblePlaces } from './tree-rows.js';
import type { TraceModel } from './use-trace.js';
import type { Stretch } from './span-times.js';
import { fit, wholeRange, zoom } from './timeline-range.js';
import { linkTo } from '../../features/browser-session.js';
import { usePageSearch } from '../../features/use-page-search.js';

/** Keys run through rows faster than a browser takes new addresses. */
const SETTLE_MS = 250;

/** What the address of the trace says, and how to change it. */
export function useTraceAddress() {
  // The page of a link has no id in its address.
  const { id = '' } = useParams({ strict: false });
  const search = usePageSearch(readTraceSearch);
  const navigate = useNavigate();
  const change = (changes: Partial<Record<keyof TraceSearch, string | undefined>>, replace: boolean): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...changes }) as never, replace });
  return { id, search, change };
}

/** The selected span. The address has it a moment later: rows that were passed by keys are one entry of the history. */
export function useSpanSelection(span: string | undefined, change: ReturnType<typeof useTraceAddress>['change']) {
  // What was selected since the address said one of these, which may come late; another address wins.
  const [chosen, setChosen] = useState<{ id: string; since: readonly (string | undefined)[] } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address has it now: going back from here is to what it said before.
  const isSettled = chosen !== null && chosen.id === span;
  useEffect(() => {
    if (isSettled) setChosen(null);
  }, [isSettled]);
  const select = (id: string, by: 'key' | 'press'): void => {
    clearTimeout(timer.current);
    setChosen((before) => ({ id, since: [span, ...(before ? [before.id, ...before.since] : [])] }));
    if (by === 'press') change({ span: id }, false);
    else timer.current = setTimeout(() => change({ span: id }, true), SETTLE_MS);
  };
  const selected = chosen?.since.includes(span) ? chosen.id : span;
  return { selected, select };
}

/** The whole address of a trace, to be given to others. */
export const traceLink = (id: string): string => linkTo(`/traces/${encodeURIComponent(id)}`);

/** The whole address of a span within its trace. */
export const spanAddress = ({ trace_id, id }: { trace_id: string; id: string }): string =>
  `${traceLink(trace_id)}?${new URLSearchParams({ span: id }).toString()}`;

const NONE: ReadonlySet<string> = new Set();

/** The rows that filters and folds leave. A filter begins with everything open, so that every match is seen. */
export function useTraceRows(
  { tree }: TraceModel,
  find: string,
  only: readonly Only[],
  foundInTexts: ReadonlySet<string>,
) {
  const quickFind = useDeferredValue(find);
  const onlyKey = only.join();
  const filtered = useMemo(
    () => filterSpans(tree, { find: quickFind, only: readOnly(onlyKey), foundInTexts }),
    [tree, quickFind, onlyKey, foundInTexts],
  );
  const filterKey = filtered === null ? '' : `${onlyKey} ${quickFind}`;
  const [folds, setFolds] = useState<Readonly<Record<string, ReadonlySet<string>>>>({});
  const folded = folds[filterKey] ?? NONE;
  const toggle = (place: number): void => {
    const id = new Set([tree.spans[place]!.id]);
    setFolds({ ...folds, [filterKey]: folded.symmetricDifference(id) });
  };
  /** Opens what hides a span. */
  const open = (place: number): void => {
    const hiding = new Set<string>();
    for (let above = tree.parent[place]!; above !== -1; above = tree.parent[above]!) hiding.add(tree.spans[above]!.id);
    if (!folded.isDisjointFrom(hiding)) setFolds({ ...folds, [filterKey]: folded.difference(hiding) });
  };
  const rows = useMemo(() => visiblePlaces(tree, folded, filtered?.kept ?? null), [tree, folded, filtered]);
  return { rows, filtered, folded, toggle, open };
}

/** The range of time that the timeline shows. All of the trace, however long it becomes, until a part of it is chosen. */
export function useRange(total: number) {
  const [chosen, setChosen] = useState<Stretch | null>(null);
  const whole = wholeRange(total);
  const range = chosen ?? whole;
  const choose = (next: Stretch): void => {
    const isWhole = next.from <= whole.from && next.to >= whole.to;
    setChosen(isWhole ? null : next);
  };
  return {
    range,
    choose,
    zoomIn: () => choose(zoom(range, total, 'in')),
    zoomOut: () => choose(zoom(range, total, 'out')),
    showAll: () => setChosen(null),
    fitTo: (stretch: Stretch) => choose(fit(stretch, total)),
  };
}
