import type { Counted, SpanOutline } from '@spandrel/contract';
import { call, callForText } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** A span with its texts, as the service wrote it: a worker reads it. @throws ApiError, 404 where there is none. */
export const readSpanText = (id: string, signal?: AbortSignal): Promise<string> =>
  callForText(`/api/spans/${encodeURIComponent(id)}`, signal && { signal });

interface SpanPage {
  spans: SpanOutline[];
  next_cursor: string | null;
}

/** `GET /api/spans?view=outline`: a page of spans without their texts. @param cursor `null` for the first page. */
export async function listSpans(
  filters: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<SpanOutline>> {
  const answer = await call<SpanPage>('/api/spans', {
    query: { ...filters, view: 'outline', limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.spans, next: answer.next_cursor };
}

/**
 * `POST /api/search`: the best of what an index finds, which is one page.
 * @param filters `text_contains` is what is searched, `mode` how; the rest must match exactly.
 * @throws ApiError, 400 for a filter that an index does not know.
 */
export async function searchSpans(
  { text_contains: text, mode, preview, tag, ...filters }: Query,
  signal?: AbortSignal,
): Promise<ListPage<SpanOutline>> {
  const [onlyTag, ...moreTags] = [tag ?? []].flat();
  const answer = await call<SpanPage>('/api/search', {
    method: 'POST',
    body: {
      ...{ query: text, mode, preview, view: 'outline', limit: PAGE_ROWS },
      filters: { ...filters, tag: moreTags.length === 0 ? onlyTag : tag },
    },
    ...(signal && { signal }),
  });
  return { rows: answer.spans, next: null };
}

/** Spans of some ids as they are now. @param ids two hundred at most. @param preview characters of their texts. */
export async function spansByIds(ids: readonly string[], preview?: number): Promise<readonly SpanOutline[]> {
  const { rows } = await listSpans({ ids, preview }, null);
  return rows;
}

/** `GET /api/count/spans`: how many spans there are, up to ten thousand. */
export function countSpans(filters: Query, signal?: AbortSignal): Promise<Counted> {
  return call('/api/count/spans', { query: filters, ...(signal && { signal }) });
}

/** Ids of the spans of a trace that have a text in their input or output, page after page as they are found. */
export async function* findSpansByText(traceId: string, text: string, signal: AbortSignal): AsyncGenerator<string[]> {
  let cursor: string | null = null;
  do {
    const query = { trace_id: traceId, text_contains: text, view: 'outline', limit: PAGE_ROWS, cursor };
    const page: SpanPage = await call('/api/spans', { query, signal });
    yield page.spans.map(({ id }) => id);
    cursor = page.next_cursor;
  } while (cursor !== null);
}
