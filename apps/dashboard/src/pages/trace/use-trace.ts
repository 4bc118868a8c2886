import type { TraceListItem, SpanOutline } from '@spandrel/contract';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, listPage, type ListPage } from '../../api/api.js';
import type { TraceSpan } from '../../features/trace-span.js';
import { keys } from '../../api/keys.js';
import type { LiveBatch, LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { findCriticalPath, layOutTimes, type CriticalPath, type SpanTimes } from './span-times.js';
import { buildSpanTree, mergeSpans, type SpanTree, type SpanChange } from './span-tree.js';
import { failedPlaces } from './tree-rows.js';

/** What the views of a trace are drawn from. Another object where anything of it has changed. */
export interface TraceModel {
  readonly tree: SpanTree;
  readonly times: SpanTimes;
  readonly path: CriticalPath;
  /** Places of failed spans, sorted. */
  readonly failed: Int32Array;
}

/** @param now the end of spans that still run, in milliseconds since the epoch. */
function buildTraceModel(spans: readonly TraceSpan[], now: number): TraceModel {
  const tree = buildSpanTree(spans);
  const times = layOutTimes(tree, now);
  return { tree, times, path: findCriticalPath(tree, times), failed: failedPlaces(tree) };
}

/** A trace with all its spans, without their texts. */
interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
  count: number;
}

/** Numbers of an outline are those of doubles: to keep every digit of 50,000 spans would take several times as long. */
async function readOutline(id: string, signal: AbortSignal): Promise<TraceOutline> {
  const query = { view: 'outline' };
  const answer = await api.raw('GET', `/api/traces/${encodeURIComponent(id)}`, { query, signal });
  return (await answer.json()) as TraceOutline;
}

/** Facts of a changed trace have no event: they are asked for again, once in so long. */
const FACTS_MS = 1_000;
/** How often the ends of running spans move on. Larger traces move on when something happens. */
const TICK_MS = 1_000;
const TICK_SPANS_MAX = 2_000;

/** A trace that fills in from events while it is on screen. */
export function useTrace(id: string) {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: keys.trace(id), queryFn: ({ signal }) => readOutline(id, signal) });
  const refreshFacts = useFactsRefresh(queryClient, id);
  const [isDeleted, setIsDeleted] = useState(false);
  const merge = useGatheredChanges(
    useCallback(
      (changes: readonly SpanChange[]) => {
        const known = queryClient.getQueryData<TraceOutline>(keys.trace(id));
        if (known === undefined) return 0;
        const spans = mergeSpans(known.spans, changes);
        if (spans === known.spans) return spans.length;
        queryClient.setQueryData(keys.trace(id), { ...known, spans: [...spans], count: spans.length });
        refreshFacts();
        return spans.length;
      },
      [queryClient, id, refreshFacts],
    ),
  );
  useLiveBatches(({ events, hasMissed }: LiveBatch) => {
    if (hasMissed) void queryClient.invalidateQueries({ queryKey: keys.trace(id) });
    if (events.some((event) => endsTrace(event, id))) setIsDeleted(true);
    merge(changesOf(events, id));
  });
  const spans = query.data?.spans;
  const now = useNow(spans !== undefined && spans.some(({ status }) => status === 'running'), spans);
  const model = useMemo<TraceModel | null>(
    () => (spans === undefined ? null : buildTraceModel(spans, now)),
    [spans, now],
  );
  return { query, model, trace: query.data?.trace ?? null, isDeleted };
}

function endsTrace(event: LiveEvent, id: string): boolean {
  return event.type === 'cleared' || (event.type === 'trace_deleted' && event.trace_id === id);
}

function changesOf(events: readonly LiveEvent[], id: string): SpanChange[] {
  return events.flatMap((event): SpanChange[] => {
    if ('span' in event) return event.span.trace_id === id ? [{ span: event.span as never }] : [];
    return event.type === 'span_deleted' ? [{ deleted: event.span_id }] : [];
  });
}

/** Milliseconds between two changes of the screen, by span of the trace: to lay all of them out again takes that long. */
const PAUSE_PER_SPAN = 0.05;
const PAUSE_MAX = 2_000;

/** Gathers changes of a large trace for a while, of a small one for no time. @param apply answers how many spans there are. */
function useGatheredChanges(apply: (changes: readonly SpanChange[]) => number) {
  const gathered = useRef<{ changes: SpanChange[]; timer: ReturnType<typeof setTimeout> | null; spans: number }>({
    changes: [],
    timer: null,
    spans: 0,
  });
  useEffect(() => {
    const state = gathered.current;
    return () => {
      if (state.timer !== null) clearTimeout(state.timer);
      Object.assign(state, { changes: [], timer: null, spans: 0 });
    };
  }, [apply]);
  return useCallback(
    (changes: readonly SpanChange[]) => {
      const state = gathered.current;
      if (changes.length === 0) return;
      state.changes.push(...changes);
      state.timer ??= setTimeout(
        () => {
          const taken = state.changes;
          Object.assign(state, { changes: [], timer: null });
          state.spans = apply(taken);
        },
        Math.min(PAUSE_MAX, state.spans * PAUSE_PER_SPAN),
      );
    },
    [apply],
  );
}

/** Asks for the facts of a trace at most once in {@link FACTS_MS}, and once more after the last change. */
function useFactsRefresh(queryClient: QueryClient, id: string): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [id],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      listPage<TraceListItem>('listTraces', { query: { ids: [id] } }).then(
        ({ rows: [trace] }) => {
          if (trace === undefined) return;
          queryClient.setQueryData<TraceOutline>(keys.trace(id), (known) => known && { ...known, trace });
        },
        // The next change asks again.
        () => undefined,
      );
    }, FACTS_MS);
  }, [queryClient, id]);
}

/** The moment that running spans have reached: that of the last change, and while few of them run the clock's. */
function useNow(isRunning: boolean, spans: readonly unknown[] | undefined): number {
  const [now, setNow] = useState(Date.now);
  const isTicking = isRunning && (spans?.length ?? 0) <= TICK_SPANS_MAX;
  useEffect(() => {
    setNow(Date.now());
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking, spans]);
  return isRunning ? now : 0;
}

/** Typing is waited for; the texts are on the server. */
const PAUSE_MS = 300;
/** A single letter is in nearly every text. */
const LENGTH_MIN = 2;

const NOTHING: ReadonlySet<string> = new Set();

/** Ids of the spans of a trace with a text in their input or output, which grow as they are found. */
export function useFoundTexts(traceId: string, find: string): { found: ReadonlySet<string>; isSearching: boolean } {
  const [state, setState] = useState({ find: '', found: NOTHING, isSearching: false });
  const sought = find.trim();
  useEffect(() => {
    if (sought.length < LENGTH_MIN) {
      setState({ find: '', found: NOTHING, isSearching: false });
      return undefined;
    }
    const controller = new AbortController();
    setState({ find: sought, found: NOTHING, isSearching: true });
    const timer = setTimeout(() => {
      void search(traceId, sought, controller.signal, (found, isSearching) =>
        setState({ find: sought, found, isSearching }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [traceId, sought]);
  return state.find === sought ? state : { found: NOTHING, isSearching: sought.length >= LENGTH_MIN };
}

async function search(
  traceId: string,
  sought: string,
  signal: AbortSignal,
  onFound: (found: ReadonlySet<string>, isSearching: boolean) => void,
): Promise<void> {
  const found = new Set<string>();
  try {
    let cursor: string | null = null;
    do {
      const query = { trace_id: traceId, text_contains: sought, view: 'outline' };
      const page: ListPage<SpanOutline> = await listPage('listSpans', { query, cursor, signal });
      for (const { id } of page.rows) found.add(id);
      onFound(new Set(found), true);
      cursor = page.next;
    } while (cursor !== null);
  } catch {
    // What the page knows by itself is shown all the same.
  }
  if (!signal.aborted) onFound(found, false);
}
