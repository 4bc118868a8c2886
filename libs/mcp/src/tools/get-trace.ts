import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { NotFound } from '@spandrel/kernel';
import { z } from 'zod';
import { fitOutline } from '../answers/fit-outline.js';
import { numberArgument } from '../arguments/argument-schema.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';

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
