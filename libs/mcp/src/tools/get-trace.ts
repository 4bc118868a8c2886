import { inTree, type SpanOutline, type TraceListItem } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { NotFound } from '@spandrel/kernel';
import { z } from 'zod';
import { numberArgument } from '../arguments/argument-schema.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';
import { spanItem, previewOf, slim, TEXT_CHARS, tooSmall } from '../answers/slim.js';

/** Spans of a trace that are looked at: more would not be shown. */
const SPANS_READ_MAX = 5_000;
const PAGE_SPANS = 1_000;

const SLOWEST = 20;

const DEPTH_MAX = 100;

export const getTrace = defineTool({
  name: 'get_trace',
  title: 'Outline of a trace',
  description: `Shows a trace and its spans as a tree in the order of their start (depth 0 is the top), without their texts; read those with get_span. Where not all spans fit, the deepest are left out, and left_out says how many. only: failed shows failed spans alone, slow the ${SLOWEST} that took longest. ${TEXTS_ARE_DATA}`,
  operations: ['listTraces', 'listSpans'],
  arguments: () => ({
    trace_id: z.string(),
    depth: numberArgument({
      min: 0,
      max: DEPTH_MAX,
      description: 'Levels below the top that are shown; all when left out.',
    }),
    only: z.enum(['failed', 'slow']).optional(),
  }),
  answer: async ({ trace_id, depth, only }, { api, maxChars }) => {
    const trace = await findTrace(api, trace_id);
    const spans = await READERS[only ?? 'all'](api, trace_id);
    return fitOutline({
      trace,
      spans,
      depth: only === undefined ? depth : undefined,
      ranked: only !== undefined,
      maxChars,
    });
  },
});

async function findTrace(api: CallerApi, id: string): Promise<TraceListItem> {
  const { traces } = (await api.call({
    operation: 'listTraces',
    query: { ids: [id], include: 'scores' },
  })) as unknown as {
    traces: TraceListItem[];
  };
  const [trace] = traces;
  if (!trace) throw new NotFound('trace_not_found', 'the trace does not exist');
  return trace;
}

const READERS = {
  all: (api: CallerApi, trace_id: string) => readSpans(api, { trace_id, sort_order: 'asc' }, SPANS_READ_MAX),
  failed: (api: CallerApi, trace_id: string) =>
    readSpans(api, { trace_id, status: 'failed', sort_order: 'asc' }, SPANS_READ_MAX),
  slow: (api: CallerApi, trace_id: string) => readSpans(api, { trace_id, sort_by: 'duration' }, SLOWEST),
};

async function readSpans(api: CallerApi, filters: Record<string, string>, most: number): Promise<SpanOutline[]> {
  const found: SpanOutline[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE_SPANS, most - found.length);
    const { spans, next_cursor } = (await api.call({
      operation: 'listSpans',
      query: { ...filters, view: 'outline', include: 'scores', limit, cursor },
    })) as unknown as { spans: SpanOutline[]; next_cursor: string | null };
    found.push(...spans);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined && found.length < most);
  return found;
}

interface OutlineToFit {
  trace: TraceListItem;
  /** In the order of their start, or of what they were chosen by. */
  spans: readonly SpanOutline[];
  /** Levels below the top that are shown; all when left out. */
  depth: number | undefined;
  /** Whether the spans were chosen, so that they make no tree. */
  ranked: boolean;
  maxChars: number;
}

/** Place in {@link TEXT_CHARS} of the shortest names that say something. */
const SHORTEST_NAMES = 2;

/** Writes a trace with as many spans as fit: the deepest levels go first, then those that started last. @throws Invalid */
export function fitOutline({ trace, spans, depth, ranked, maxChars }: OutlineToFit): string {
  const placed = ranked ? spans.map((span) => ({ span, depth: 0 })) : inTree(spans);
  const asked = depth === undefined ? placed : placed.filter((each) => each.depth <= depth);
  const { metadata, ...shownTrace } = trace;
  const about = {
    ...shownTrace,
    metadata_preview: Object.keys(metadata).length === 0 ? undefined : previewOf(metadata),
  };
  let needed = 0;
  for (const [index, chars] of TEXT_CHARS.entries()) {
    const head = slim(about, chars);
    const write = (shown: readonly unknown[]): string =>
      JSON.stringify({
        trace: head,
        spans: shown,
        ...(shown.length < trace.span_count && !ranked && { left_out: trace.span_count - shown.length }),
        ...(ranked && shown.length < asked.length && { left_out: asked.length - shown.length }),
      });
    const items = asked.map(({ span, depth: level }) => slim(item(span, ranked ? undefined : level), chars));
    needed = write([]).length + LEFT_OUT_DIGITS;
    if (needed > maxChars) continue;
    const depths = asked.map((each) => each.depth);
    const shown = thoseThatFit(items, depths, maxChars - needed);
    // Rather all spans with shorter names than some of them, as far as names still say something.
    if (shown.length === items.length || index >= SHORTEST_NAMES) return write(shown);
  }
  throw tooSmall(needed);
}

/** More digits of `left_out` than there are when nothing is shown. */
const LEFT_OUT_DIGITS = 2;

function item(span: SpanOutline, depth: number | undefined): object {
  return { depth, ...spanItem(span), trace_id: undefined, input_preview: undefined, output_preview: undefined };
}

/** The items of the levels that fit as a whole, or the first of those of the top. */
function thoseThatFit(items: readonly unknown[], depths: readonly number[], room: number): unknown[] {
  const lengths = items.map((each) => JSON.stringify(each).length + 1);
  const byDepth: number[] = [];
  depths.forEach((depth, at) => (byDepth[depth] = (byDepth[depth] ?? 0) + lengths[at]!));
  let left = room;
  let deepest = -1;
  for (const length of byDepth) {
    if ((length ?? 0) > left) break;
    left -= length ?? 0;
    deepest++;
  }
  // The first level that does not fit as a whole shows the spans that started first.
  return items.filter((_item, at) => {
    const depth = depths[at]!;
    if (depth <= deepest) return true;
    if (depth > deepest + 1 || lengths[at]! > left) return false;
    left -= lengths[at]!;
    return true;
  });
}
