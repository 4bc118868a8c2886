import type {
  DatapointKind,
  DatapointPreview,
  DatapointResource,
  DeletedDatapoints,
  ExportedSpans,
} from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** Ids that one request may name. */
const BATCH_MAX = 1_000;
/** Characters of a text that fit into its column. */
const PREVIEWED = 160;

const pathOf = (datasetId: string, rest: string): string => `/api/datasets/${encodeURIComponent(datasetId)}/${rest}`;
const datapointPath = (datasetId: string, id: string): string =>
  pathOf(datasetId, `datapoints/${encodeURIComponent(id)}`);

/** `GET /api/datasets/:id/datapoints`: a page of the beginnings of datapoints. @param cursor `null` for the first page. */
export async function listDatapoints(
  datasetId: string,
  query: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<DatapointPreview>> {
  const answer = await call<{ datapoints: DatapointPreview[]; next_cursor: string | null }>(
    pathOf(datasetId, 'datapoints'),
    { query: { ...query, preview: PREVIEWED, limit: PAGE_ROWS, cursor }, ...(signal && { signal }) },
  );
  return { rows: answer.datapoints, next: answer.next_cursor };
}

/** `GET /api/datasets/:id/datapoints/:dp_id`. @throws ApiError, 404 where there is none. */
export const readDatapoint = (datasetId: string, id: string, signal?: AbortSignal): Promise<DatapointResource> =>
  call(datapointPath(datasetId, id), signal && { signal });

/** `POST /api/datasets/:id/datapoints`. */
export const createDatapoint = (datasetId: string, kind: DatapointKind): Promise<DatapointResource> =>
  call(pathOf(datasetId, 'datapoints'), { method: 'POST', body: { kind } });

/** `PUT /api/datasets/:id/datapoints/:dp_id`: the kind is replaced whole. */
export const updateDatapoint = (datasetId: string, id: string, kind: DatapointKind): Promise<DatapointResource> =>
  call(datapointPath(datasetId, id), { method: 'PUT', body: { kind } });

/** `POST /api/datasets/:id/datapoints/delete`, as often as it takes. @returns how many are gone. */
export async function deleteDatapoints(datasetId: string, ids: readonly string[]): Promise<number> {
  let deleted = 0;
  for (const some of inBatches(ids)) {
    const answer = await call<DeletedDatapoints>(pathOf(datasetId, 'datapoints/delete'), {
      method: 'POST',
      body: { ids: some },
    });
    deleted += answer.deleted;
  }
  return deleted;
}

/** `POST /api/datasets/:id/queue`: the datapoints wait for a review. @returns how many do. */
export async function enqueueDatapoints(datasetId: string, ids: readonly string[]): Promise<number> {
  const { count } = await call<{ count: number }>(pathOf(datasetId, 'queue'), {
    method: 'POST',
    body: { datapoint_ids: ids },
  });
  return count;
}

/** `POST /api/datasets/:id/export-spans`, as often as it takes: each span becomes a datapoint. */
export async function exportSpans(datasetId: string, spanIds: readonly string[]): Promise<ExportedSpans> {
  const all: ExportedSpans = { created: [], rejected: [] };
  for (const some of inBatches(spanIds)) {
    const { created, rejected } = await call<ExportedSpans>(pathOf(datasetId, 'export-spans'), {
      method: 'POST',
      body: { span_ids: some },
    });
    all.created.push(...created);
    all.rejected.push(...rejected);
  }
  return all;
}

function* inBatches(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += BATCH_MAX) yield ids.slice(at, at + BATCH_MAX);
}
