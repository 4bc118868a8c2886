import type {
  ComparedItem,
  ComparedItemList,
  EvalItem,
  EvalRunResource,
  EvalRunSummary,
  EvalStatistics,
  Gate,
  StartEval,
} from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** A page of a comparison, with what became of all its scores. */
export interface ComparisonPage extends ListPage<ComparedItem> {
  summary: ComparedItemList['summary'];
}

const pathOf = (id: string): string => `/api/eval/${encodeURIComponent(id)}`;

/** `GET /api/eval`: a page of the runs of all datasets, newest first. @param cursor `null` for the first page. */
export async function listRuns(
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

/** `GET /api/eval`: the newest runs of a dataset. @param count how many at most. */
export async function listLatestRuns(
  datasetId: string,
  count: number,
  signal?: AbortSignal,
): Promise<readonly EvalRunSummary[]> {
  const query = { dataset_id: datasetId, limit: count };
  const { runs } = await call<{ runs: EvalRunSummary[] }>('/api/eval', { query, ...(signal && { signal }) });
  return runs;
}

/** `GET /api/eval/:run_id` without its items. @throws ApiError, 404 where there is none. */
export const readRun = (id: string, signal?: AbortSignal): Promise<EvalRunResource> =>
  call(pathOf(id), { query: { items: 'none' }, ...(signal && { signal }) });

/** `GET /api/eval/:run_id/items`: a page of the results of a run. @param filters may have a smaller `limit`. */
export async function listRunItems(
  id: string,
  filters: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<EvalItem>> {
  const answer = await call<{ items: EvalItem[]; next_cursor: string | null }>(`${pathOf(id)}/items`, {
    query: { limit: PAGE_ROWS, ...filters, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.items, next: answer.next_cursor };
}

/** `GET /api/eval/:run_id/items` of one datapoint, with its samples. @returns `null` where the run does not have it. */
export async function readRunItem(id: string, datapointId: string, signal?: AbortSignal): Promise<EvalItem | null> {
  const { rows } = await listRunItems(id, { datapoint_id: datapointId, include: 'samples' }, null, signal);
  return rows[0] ?? null;
}

/** `GET /api/eval/:run_id/statistics`. @param baseline the run that it is compared with. */
export const readStatistics = (id: string, baseline?: string, signal?: AbortSignal): Promise<EvalStatistics> =>
  call(`${pathOf(id)}/statistics`, { query: { baseline: baseline ?? null }, ...(signal && { signal }) });

/** `POST /api/eval/:run_id/gates`: they take the place of those there are. @throws ApiError with `errors` by member. */
export const setGates = (id: string, gates: readonly Gate[]): Promise<EvalRunResource> =>
  call(`${pathOf(id)}/gates`, { method: 'POST', body: { gates } });

/** `POST /api/datasets/:id/eval`. @throws ApiError with `errors` by member. */
export const startRun = (datasetId: string, body: StartEval): Promise<EvalRunResource> =>
  call(`/api/datasets/${encodeURIComponent(datasetId)}/eval`, { method: 'POST', body });

/** `POST /api/eval/:run_id/cancel`. @throws ApiError where the run has ended. */
export const cancelRun = (id: string): Promise<EvalRunResource> => call(`${pathOf(id)}/cancel`, { method: 'POST' });

/** `DELETE /api/eval/:run_id`: its results go, too. */
export const deleteRun = (id: string): Promise<unknown> => call(pathOf(id), { method: 'DELETE' });

/** `GET /api/datasets/:id/compare/items`: a page of a comparison of runs. */
export async function listComparedItems(
  datasetId: string,
  query: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ComparisonPage> {
  const { items, next_cursor, summary } = await call<ComparedItemList>(
    `/api/datasets/${encodeURIComponent(datasetId)}/compare/items`,
    { query: { ...query, limit: PAGE_ROWS, cursor }, ...(signal && { signal }) },
  );
  return { rows: items, next: next_cursor, summary };
}

/** `GET /api/datasets/:id/compare/items` of one datapoint. @returns `null` where none of the runs has it. */
export async function readComparedItem(
  datasetId: string,
  query: Query,
  datapointId: string,
  signal?: AbortSignal,
): Promise<ComparedItem | null> {
  const { rows } = await listComparedItems(datasetId, { ...query, datapoint_id: datapointId }, null, signal);
  return rows[0] ?? null;
}
