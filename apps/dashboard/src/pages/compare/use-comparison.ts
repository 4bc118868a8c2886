import type { ComparedItem } from '@spandrel/contract';
import { useQueries } from '@tanstack/react-query';
import { listComparedItems, readRun, type ComparisonPage } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';

/** The runs of the address. */
export function useComparedRuns(search: CompareSearch) {
  const queries = useQueries({
    queries: runIdsOf(search).map((id) => ({
      queryKey: keys.run(id),
      queryFn: ({ signal }: { signal: AbortSignal }) => readRun(id, signal),
    })),
  });
  return {
    runs: queries.flatMap(({ data }) => data ?? []),
    isPending: queries.some(({ isPending }) => isPending),
    error: queries.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** The datapoints of a comparison, those that became worse first. @param datasetId of the runs. */
export function useComparedItems(datasetId: string, search: CompareSearch) {
  const query = {
    runs: runIdsOf(search).join(','),
    baseline: search.baseline ?? null,
    only: search.only ?? null,
  };
  const { list, shownKey } = useFilteredList<ComparedItem>({
    name: 'compared',
    filters: { datasetId, ...query },
    queryAt: () => query,
    fetch: (asked, cursor, signal) => listComparedItems(datasetId, asked, cursor, signal),
    idOf: ({ datapoint_id: id }) => id,
  });
  const page = list.firstPage as ComparisonPage | undefined;
  return { list, shownKey, summary: page?.summary };
}
