import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TraceSearch } from './trace-search.js';

const route = getRouteApi('/traces/$id');

/** Keys run through rows faster than a browser takes new addresses. */
const SETTLE_MS = 250;

/** What the address of the trace says, and how to change it. */
export function useTraceAddress() {
  const { id } = route.useParams();
  const search: TraceSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (changes: Partial<Record<keyof TraceSearch, string | undefined>>, replace: boolean) =>
      void navigate({ search: (before) => ({ ...before, ...changes }) as TraceSearch, replace }),
    [navigate],
  );
  return { id, search, change };
}

/**
 * The selected span. The address has it a moment later than the screen, as one entry of the history however many rows
 * were passed by keys; a press makes an entry of its own.
 */
export function useSpanSelection(span: string | undefined, change: ReturnType<typeof useTraceAddress>['change']) {
  // What was selected since the address said `base`; another address wins.
  const [chosen, setChosen] = useState<{ id: string; base: string | undefined } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address has it now: going back from here is to what it said before.
  const isSettled = chosen !== null && chosen.id === span;
  useEffect(() => {
    if (isSettled) setChosen(null);
  }, [isSettled]);
  const select = useCallback(
    (id: string, by: 'key' | 'press') => {
      clearTimeout(timer.current);
      setChosen({ id, base: span });
      if (by === 'press') change({ span: id }, false);
      else timer.current = setTimeout(() => change({ span: id }, true), SETTLE_MS);
    },
    [span, change],
  );
  const selected = chosen !== null && chosen.base === span ? chosen.id : span;
  return { selected, select };
}
