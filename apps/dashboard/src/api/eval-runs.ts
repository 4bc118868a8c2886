import type { EvalRunSummary } from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** `GET /api/eval`: a page of runs, the newest first. @param cursor `null` for the first page. */
export async function listEvalRuns(
  filters: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<EvalRunSummary>> {
  const answer = await call<{ runs: EvalRunSummary[]; next_cursor: string | null }>('/api/eval', {
    query: { ...filters, limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.runs, next: answer.next_cursor };
}
