import type { ComparedItem, ComparedItemList } from '@spandrel/contract';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { PAGE_ROWS, listPage, api, type ListPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { runQuery } from '../../features/runs/run-queries.js';
import { isOfRun } from '../../features/runs/run-rules.js';
import { useOpenedRow } from '../../features/runs/opened-row.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';

/** The runs of the address. */
export function useComparedRuns(search: CompareSearch) {
  const queries = useQueries({
    queries: runIdsOf(search).map(runQuery),
  });
  const failed = queries.find(({ error }) => error !== null);
  return {
    runs: queries.flatMap(({ data }) => data ?? []),
    isPending: queries.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

interface ComparisonPage extends ListPage<ComparedItem> {
  summary: ComparedItemList['summary'];
}

const LIST = 'compared';
/** Runs that go on are compared again this far apart: the server looks at all of their results. */
const BETWEEN_MS = 10_000;

/** The datapoints of a comparison, those that became worse first. @param datasetId of the runs. */
export function useComparedItems(datasetId: string, search: CompareSearch) {
  const client = useQueryClient();
  const ids = runIdsOf(search);
  const query = { runs: ids.join(','), baseline: search.baseline ?? null, only: search.only ?? null };
  const { list, shownKey } = useFilteredList<ComparedItem>({
    name: LIST,
    filters: { datasetId, ...query },
    queryAt: () => query,
    operation: 'compareEvalItems',
    fetch: async (asked, cursor, signal): Promise<ComparisonPage> => {
      const query = { ...asked, limit: PAGE_ROWS, cursor } as never;
      const { items, next_cursor, summary } = await api.compareEvalItems({ path: { id: datasetId }, query, signal });
      return { rows: items, next: next_cursor, summary };
    },
    idOf: ({ datapoint_id: id }) => id,
  });
  const readAnew = useSpaced(() => {
    for (const id of ids) void client.invalidateQueries({ queryKey: keys.run(id) });
    void client.invalidateQueries({ queryKey: [LIST, 'page'] });
  }, BETWEEN_MS);
  useLiveBatches(({ events }) => {
    if (events.some((event) => ids.some((id) => isOfRun(event, id)))) readAnew();
  });
  const page = list.firstPage as ComparisonPage | undefined;
  const opened = useOpenedRow<ComparedItem>({
    ...{ list, item: search.item, key: [LIST, 'page', 'item', datasetId, query] },
    read: async (datapoint_id, signal) => {
      const asked = { path: { id: datasetId }, query: { ...query, datapoint_id }, signal };
      return (await listPage<ComparedItem>('compareEvalItems', asked)).rows[0] ?? null;
    },
  });
  return { list, shownKey, summary: page?.summary, opened };
}
