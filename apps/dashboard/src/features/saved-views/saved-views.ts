import type { ViewPage, ViewResource } from '@spandrel/contract';
import { queryOptions } from '@tanstack/react-query';
import { shortList } from '../../api/api.js';

/** Saved views of all pages, by their names. */
export const SAVED_VIEWS = queryOptions({
  queryKey: ['saved-views'],
  queryFn: async ({ signal }) => {
    const rows = await shortList<ViewResource>('listViews', signal);
    return rows.toSorted((a, b) => a.name.localeCompare(b.name));
  },
});

/** The address that a view has saved. */
export const addressOfView = ({ page, query }: { page: ViewPage; query: string }): string =>
  query === '' ? `/${page}` : `/${page}?${query}`;
