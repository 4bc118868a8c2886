import type { BoardResource } from '@spandrel/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, shortList } from '../../api/api.js';

/** The boards of the project, hidden ones included. */
export const BOARDS = queryOptions({
  queryKey: ['boards'],
  queryFn: ({ signal }) => shortList<BoardResource>('listBoards', signal, { hidden: true }),
});

/** One board. */
export const boardQuery = (id: string) =>
  queryOptions({ queryKey: ['boards', id], queryFn: ({ signal }) => api.getBoard({ path: { id }, signal }) });

/** Reads all boards again, after one changed. */
export const rereadBoards = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: BOARDS.queryKey });

/** The address of a board. */
export const boardAddress = (id: string): string => `/boards/${encodeURIComponent(id)}`;
