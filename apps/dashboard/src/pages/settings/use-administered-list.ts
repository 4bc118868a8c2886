import { useQueryClient } from '@tanstack/react-query';
import type { ListPage } from '../../api/list-page.js';
import { notifyError } from '../../components/notifications/notify.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';

const NO_FILTERS = {};

/** Name of the list that every change adds to. */
export const AUDIT_LOG = 'audit log';

export interface AdministeredList<Row> {
  list: PagedList<Row>;
  /** Reads the list anew after a change: no event tells of these. */
  reread(): Promise<void>;
}

/** A list of what is administered. @param name of the list, and what the notification says could not be read. */
export function useAdministeredList<Row extends { id: string }>(
  name: string,
  fetch: (cursor: string | null, signal?: AbortSignal) => Promise<ListPage<Row>>,
): AdministeredList<Row> {
  const { list, source } = useFilteredList<Row>({
    name,
    filters: NO_FILTERS,
    queryAt: () => NO_FILTERS,
    fetch: (_query, cursor, signal) => fetch(cursor, signal),
    idOf: ({ id }) => id,
  });
  const client = useQueryClient();
  const reread = async (): Promise<void> => {
    void client.invalidateQueries({ queryKey: [AUDIT_LOG] });
    try {
      list.restart(await source.first());
    } catch (error) {
      notifyError(`The ${name} could not be read again`, error as Error);
    }
  };
  return { list, reread };
}
