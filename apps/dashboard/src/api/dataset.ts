import type { DatasetResource } from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

const pathOf = (id: string): string => `/api/datasets/${encodeURIComponent(id)}`;

/** `GET /api/datasets`: a page of datasets. @param cursor `null` for the first page. */
export async function listDatasetPage(
  query: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<DatasetResource>> {
  const answer = await call<{ datasets: DatasetResource[]; next_cursor: string | null }>('/api/datasets', {
    query: { ...query, limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.datasets, next: answer.next_cursor };
}

/** `GET /api/datasets/:id`. @throws ApiError, 404 where there is none. */
export const readDataset = (id: string, signal?: AbortSignal): Promise<DatasetResource> =>
  call(pathOf(id), signal && { signal });

/** What people write of a dataset; without a description it has none. */
export interface DatasetText {
  name: string;
  description: string | null;
}

/** `POST /api/datasets`. */
export const createDescribedDataset = (text: DatasetText): Promise<DatasetResource> =>
  call('/api/datasets', { method: 'POST', body: text });

/** `PUT /api/datasets/:id`. */
export const updateDataset = (id: string, text: DatasetText): Promise<DatasetResource> =>
  call(pathOf(id), { method: 'PUT', body: text });

/** `DELETE /api/datasets/:id`, with all that belongs to it. */
export const deleteDataset = (id: string): Promise<unknown> => call(pathOf(id), { method: 'DELETE' });

/** Address of all datapoints as a file. */
export const exportAddress = (id: string, format: 'jsonl' | 'json' | 'csv'): string =>
  `${pathOf(id)}/export?format=${format}`;
