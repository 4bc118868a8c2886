import type { ConnectionResource, ConnectionTestResult, CreateConnection, UpdateConnection } from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';

const PATH = '/api/provider-connections';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** `GET /api/provider-connections`: a page of connections. @param cursor `null` for the first page. */
export async function listConnections(
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<ConnectionResource>> {
  const answer = await call<{ connections: ConnectionResource[]; next_cursor: string | null }>(PATH, {
    query: { limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.connections, next: answer.next_cursor };
}

/** `POST /api/provider-connections`. @throws ApiError with `errors` by member. */
export const createConnection = (body: CreateConnection): Promise<ConnectionResource> =>
  call(PATH, { method: 'POST', body });

/** `PUT /api/provider-connections/:id`: the key stays when none is given. @throws ApiError with `errors` by member. */
export const updateConnection = (id: string, body: UpdateConnection): Promise<ConnectionResource> =>
  call(pathOf(id), { method: 'PUT', body });

/** `DELETE /api/provider-connections/:id`. @throws ApiError while an unfinished run uses it. */
export const deleteConnection = (id: string): Promise<unknown> => call(pathOf(id), { method: 'DELETE' });

/** `POST /api/provider-connections/:id/test`: asks the provider for its models, which takes 15 seconds at most. */
export const testConnection = (id: string, signal?: AbortSignal): Promise<ConnectionTestResult> =>
  call(`${pathOf(id)}/test`, { method: 'POST', ...(signal && { signal }) });
