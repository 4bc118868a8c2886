import type { ScoreResource, TraceListItem, SpanOutline } from '@spandrel/contract';
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api, listPage, parseExactly } from '../../api/api.js';
import { useSettled, useSpaced } from '../../components/hooks.js';
import { keys } from '../../api/keys.js';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import type { LiveEvent } from '../../live/live-event.js';
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

interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
  count: number;
  scores?: ScoreResource[];
}

/** Numbers of spans are those of doubles: to keep every digit of 50,000 spans would take several times as long. */
async function readOutline(queryClient: QueryClient, id: string, signal: AbortSignal): Promise<TraceOutline> {
  const query = { view: 'outline' };
  const answer = await api.raw('GET', `/api/traces/${encodeURIComponent(id)}`, { query, signal });
  const text = await answer.text();
  const outline = JSON.parse(text) as TraceOutline;
  const trace = parseExactly(firstObjectWithin(text)) as TraceListItem;
  // A link answers no other question: the scores of its trace come with it.
  if (SHARE_TOKEN) queryClient.setQueryData(keys.scores({ trace_id: trace.id }), outline.scores ?? []);
  return { ...outline, trace };
}

function firstObjectWithin(text: string): string {
  const from = text.indexOf('{', 1);
  let isText = false;
  for (let at = from, depth = 0; at < text.length; at++) {
    const character = text[at];
    if (isText && character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (!isText && character === '{') depth++;
    else if (!isText && character === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return '{}';
}

/** Facts of a changed trace have no event: they are asked for again, once in so long. */
const FACTS_MS = 1_000;
/** Milliseconds between two changes of the screen, by span of the trace: to lay all of them out again takes that long. */
const PAUSE_PER_SPAN = 0.05;
const PAUSE_MAX = 2_000;
/** How often the ends of running spans move on. Larger traces move on when something happens. */
const TICK_MS = 1_000;
const TICK_SPANS_MAX = 2_000;

/** A trace that fills in from events while it is on screen. */
export function useTrace(id: string) {
  const queryClient = useQueryClient();
  const outline = queryOptions({
    queryKey: keys.trace(id),
    queryFn: ({ signal }: { signal: AbortSignal }) => readOutline(queryClient, id, signal),
  });
  const query = useQuery(outline);
  const [isDeleted, setIsDeleted] = useState(false);
  const spans = query.data?.spans;
  const refreshFacts = useSpaced(() => {
    readFacts(id).then(
      (trace) => {
        if (trace === undefined) return;
        queryClient.setQueryData<TraceOutline>(keys.trace(id), (known) => known && { ...known, trace });
      },
      // The next change asks again.
      () => undefined,
    );
  }, FACTS_MS);
  const changes = useRef<SpanChange[]>([]);
  useEffect(
    () => () => {
      changes.current = [];
    },
    [id],
  );
  const merge = useSpaced(
    () => {
      const known = queryClient.getQueryData<TraceOutline>(keys.trace(id));
      const merged = known && mergeSpans(known.spans, changes.current.splice(0));
      if (merged === undefined || merged === known?.spans) return;
      queryClient.setQueryData(keys.trace(id), { ...known, spans: [...merged], count: merged.length });
      refreshFacts();
    },
    Math.min(PAUSE_MAX, (spans?.length ?? 0) * PAUSE_PER_SPAN),
  );
  // A trace whose facts are the same has the same spans, unless it is running: to read all of them takes long.
  const readMissed = async (): Promise<void> => {
    const [known, trace] = await Promise.all([queryClient.ensureQueryData(outline), readFacts(id)]);
    if (known.trace.status === 'running' || JSON.stringify(trace) !== JSON.stringify(known.trace))
      await queryClient.invalidateQueries({ queryKey: keys.trace(id) });
  };
  useLiveQueries([{ queryKey: keys.trace(id), exact: true }], FACTS_MS, undefined, () =>
    readMissed().catch(() => undefined),
  );
  useLiveBatches(({ events }) => {
    if (events.some((event) => endsTrace(event, id))) setIsDeleted(true);
    changes.current.push(...changesOf(events, id));
    if (changes.current.length > 0) merge();
  });
  const now = useNow(spans !== undefined && spans.some(({ status }) => status === 'running'), spans);
  const model = useMemo((): TraceModel | null => {
    if (spans === undefined) return null;
    const tree = buildSpanTree(spans);
    const times = layOutTimes(tree, now);
    return { tree, times, path: findCriticalPath(tree, times), failed: failedPlaces(tree) };
  }, [spans, now]);
  return { query, model, trace: query.data?.trace ?? null, isDeleted };
}

const readFacts = async (id: string): Promise<TraceListItem | undefined> =>
  (await listPage<TraceListItem>('listTraces', { query: { ids: [id] } })).rows[0];

function endsTrace(event: LiveEvent, id: string): boolean {
  return event.type === 'cleared' || (event.type === 'trace_deleted' && event.trace_id === id);
}

function changesOf(events: readonly LiveEvent[], id: string): SpanChange[] {
  return events.flatMap((event): SpanChange[] => {
    if ('span' in event) return event.span.trace_id === id ? [{ span: event.span as never }] : [];
    return event.type === 'span_deleted' ? [{ deleted: event.span_id }] : [];
  });
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

const PAUSE_MS = 300;
/** A single letter is in nearly every text. */
const LENGTH_MIN = 2;

/** Ids of the spans of a trace with a text in their input or output, which grow as they are found. */
export function useFoundTexts(traceId: string, find: string): { found: ReadonlySet<string>; isSearching: boolean } {
  const sought = find.trim();
  const isAsked = sought.length >= LENGTH_MIN;
  const isSettled = useSettled(sought, PAUSE_MS) === sought;
  const { data, isError, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...keys.trace(traceId), 'found', sought],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { trace_id: traceId, text_contains: sought, view: 'outline' };
      return listPage<SpanOutline>('listSpans', { query, cursor, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: isAsked && isSettled,
    // What was found while the trace ran may not be all of it.
    gcTime: 0,
  });
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const found = useMemo(() => new Set(data?.pages.flatMap(({ rows }) => rows.map(({ id }) => id))), [data]);
  // Where it fails, what the page knows by itself is shown all the same.
  return { found, isSearching: isAsked && !isError && (data === undefined || hasNextPage) };
}
