import type { ComparedItem } from '@spandrel/contract';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { listComparedItems, readComparedItem, readRun, type ComparisonPage } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { isOfRun } from '../../features/runs/run-rules.js';
import { useOpenedRow } from '../../features/runs/opened-row.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';

/** The runs of the address. */
export function useComparedRuns(search: CompareSearch) {
  const queries = useQueries({
    queries: runIdsOf(search).map((id) => ({
      queryKey: keys.run(id),
      queryFn: ({ signal }: { signal: AbortSignal }) => readRun(id, signal),
    })),
  });
  const failed = queries.find(({ error }) => error !== null);
  return {
    runs: queries.flatMap(({ data }) => data ?? []),
    isPending: queries.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

const LIST = 'compared';
/** Runs that go on are compared again this far apart: the server looks at all of their results. */
const BETWEEN_MS = 10_000;

/** The datapoints of a comparison, those that became worse first. @param datasetId of the runs. */
export function useComparedItems(datasetId: string, search: CompareSearch) {
  const client = useQueryClient();
  const ids = runIdsOf(search);
  const query = {
    runs: ids.join(','),
    baseline: search.baseline ?? null,
    only: search.only ?? null,
  };
  const { list, shownKey } = useFilteredList<ComparedItem>({
    name: LIST,
    filters: { datasetId, ...query },
    queryAt: () => query,
    fetch: (asked, cursor, signal) => listComparedItems(datasetId, asked, cursor, signal),
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
    read: (datapointId, signal) => readComparedItem(datasetId, query, datapointId, signal),
  });
  return { list, shownKey, summary: page?.summary, opened };
}
