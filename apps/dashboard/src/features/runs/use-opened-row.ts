import { useQuery, type QueryKey } from '@tanstack/react-query';
import type { PagedList } from '../paged-list/use-paged-list.js';

interface OpenedRow<Row> {
  list: Pick<PagedList<Row>, 'readRows' | 'isWaiting'>;
  /** Id of the datapoint that the address opens. */
  item: string | undefined;
  /** Key of the row by itself; it begins with that of the list, so that both are read anew together. */
  key: QueryKey;
  read(datapointId: string, signal: AbortSignal): Promise<Row | null>;
}

/** The row that the address opens: from the pages that were read, else by itself. */
export function useOpenedRow<Row extends { datapoint_id: string }>({
  list,
  item,
  key,
  read,
}: OpenedRow<Row>): Row | null {
  const listed = list.readRows.find(({ datapoint_id: id }) => id === item);
  const alone = useQuery({
    queryKey: [...key, item],
    queryFn: ({ signal }) => read(item!, signal),
    enabled: item !== undefined && listed === undefined && !list.isWaiting,
  });
  if (item === undefined) return null;
  return listed ?? alone.data ?? null;
}
