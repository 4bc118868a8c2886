import type { QueueCounts, QueueItemResource } from '@spandrel/contract';
import { isNotFound } from './api-error.js';
import { call, callWhileLeaving } from './call.js';

/** How far the review of one dataset is. */
export type QueueCount = QueueCounts['datasets'][number];

const itemPath = (id: string, rest = ''): string => `/api/queue/${encodeURIComponent(id)}${rest}`;
const queuePath = (datasetId: string): string => `/api/datasets/${encodeURIComponent(datasetId)}/queue`;

/** Members of a request that name the reviewer; nobody for the caller as the server knows them. */
const claimedBy = (reviewer: string | null): { claimed_by?: string } =>
  reviewer === null ? {} : { claimed_by: reviewer };

/** `GET /api/count/queue`: every dataset that has queue items. */
export async function countQueues(signal?: AbortSignal): Promise<readonly QueueCount[]> {
  const { datasets } = await call<QueueCounts>('/api/count/queue', signal && { signal });
  return datasets;
}

/**
 * `POST /api/datasets/:id/queue/next`: claims the oldest pending item.
 * @param exclude ids of items that are left out.
 * @returns `null` where no other is pending. @throws ApiError, 404 where there is no such dataset.
 */
export async function claimNext(
  datasetId: string,
  reviewer: string | null,
  exclude: readonly string[],
): Promise<QueueItemResource | null> {
  try {
    const body = { ...claimedBy(reviewer), exclude };
    return await call<QueueItemResource>(`${queuePath(datasetId)}/next`, { method: 'POST', body });
  } catch (error) {
    if (isNotFound(error) && error.code === 'queue_item_not_found') return null;
    throw error;
  }
}

/** Pending items that are looked through at most. */
const LOOKED_THROUGH_MAX = 50;

/**
 * Whether an item may be pending that is not excluded, so that it is worth asking for the next one: a refusal would stand in the
 * console of the browser as an error.
 * @param pending items that are pending, as far as is known.
 */
export async function hasPending(datasetId: string, pending: number, exclude: readonly string[]): Promise<boolean> {
  if (pending - exclude.length > 1 || exclude.length >= LOOKED_THROUGH_MAX) return true;
  const query = { status: 'pending', limit: exclude.length + 1 };
  const { items } = await call<{ items: QueueItemResource[] }>(queuePath(datasetId), { query });
  return items.some(({ id }) => !exclude.includes(id));
}

/** `POST /api/queue/:item_id/claim`. @throws ApiError, 409 where another has it. */
export const claimItem = (id: string, reviewer: string | null): Promise<QueueItemResource> =>
  call(itemPath(id, '/claim'), { method: 'POST', body: claimedBy(reviewer) });

/** `POST /api/queue/:item_id/release`. @throws ApiError, 409 where it is not claimed. */
export const releaseItem = (id: string): Promise<QueueItemResource> =>
  call(itemPath(id, '/release'), { method: 'POST' });

/** `POST /api/queue/:item_id/release` of a page that is being left: it is sent, and nobody waits for the answer. */
export function releaseItemWhileLeaving(id: string): void {
  callWhileLeaving(itemPath(id, '/release'));
}

/** What a reviewer hands in. */
export interface Submission {
  /** Absent where the item is approved as it is. */
  edited?: { data: unknown };
  /** Whether the edited data also becomes the datapoint. */
  isWrittenBack: boolean;
}

/** `POST /api/queue/:item_id/submit`. @throws ApiError, 409 where it is not claimed or completed. */
export const submitItem = (id: string, { edited, isWrittenBack }: Submission): Promise<QueueItemResource> =>
  call(itemPath(id, '/submit'), {
    method: 'POST',
    query: { apply: isWrittenBack ? true : null },
    body: edited === undefined ? {} : { edited_data: edited.data },
  });

/** `GET /api/queue/:item_id`. @throws ApiError, 404 where there is none. */
export const readItem = (id: string, signal?: AbortSignal): Promise<QueueItemResource> =>
  call(itemPath(id), signal && { signal });

/** Completed items of a dataset that one request asks for. */
const COMPLETED_ROWS = 200;

/** `GET /api/datasets/:id/queue?status=completed`: a page, oldest first. @param reviewer `null` for everybody's. */
export async function listCompleted(
  datasetId: string,
  reviewer: string | null,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<{ rows: readonly QueueItemResource[]; next: string | null }> {
  const answer = await call<{ items: QueueItemResource[]; next_cursor: string | null }>(queuePath(datasetId), {
    query: { status: 'completed', claimed_by: reviewer, limit: COMPLETED_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.items, next: answer.next_cursor };
}
