import type { SpanOutline } from '@spandrel/contract';
import { call, callForText } from './call.js';

/** A span with its texts, as the service wrote it: a worker reads it. @throws ApiError, 404 where there is none. */
export const readSpanText = (id: string, signal?: AbortSignal): Promise<string> =>
  callForText(`/api/spans/${encodeURIComponent(id)}`, signal && { signal });

interface SpanPage {
  spans: SpanOutline[];
  next_cursor: string | null;
}

/** Spans of a page when they are searched. */
const PAGE = 200;

/** Ids of the spans of a trace that have a text in their input or output, page after page as they are found. */
export async function* findSpansByText(traceId: string, text: string, signal: AbortSignal): AsyncGenerator<string[]> {
  let cursor: string | null = null;
  do {
    const query = { trace_id: traceId, text_contains: text, view: 'outline', limit: PAGE, cursor };
    const page: SpanPage = await call('/api/spans', { query, signal });
    yield page.spans.map(({ id }) => id);
    cursor = page.next_cursor;
  } while (cursor !== null);
}
