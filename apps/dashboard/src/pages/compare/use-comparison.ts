import type { ComparedItem, ComparedItemList, EvalRunSummary } from '@spandrel/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { listPage, api, type ListPage } from '../../api/api.js';
import { PAGE_ROWS } from '../../api/page-rows.js';
import { keys } from '../../api/keys.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { runQuery } from '../../features/runs/run-queries.js';
import { triesQuery, withoutOutputs, isOfRun } from '../../features/runs/tries.js';
import { useOpenedRow } from '../../features/runs/opened-row.js';
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

const comparisonQuery = (search: CompareSearch) => ({
  runs: runIdsOf(search).join(','),
  baseline: search.baseline ?? null,
  only: search.only ?? null,
});

/** The datapoints of a comparison, those that became worse first. @param runs of one dataset. */
export function useComparedItems(runs: readonly EvalRunSummary[], search: CompareSearch) {
  const { dataset_id: datasetId } = runs[0]!;
  const ids = runIdsOf(search);
  const query = comparisonQuery(search);
  const hasTries = runs.some(({ repeats }) => repeats > 1);
  const tries = triesQuery(hasTries ? runs.reduce((sum, { repeats }) => sum + repeats, 0) : 1);
  const { list, shownKey } = useFilteredList<ComparedItem>({
    name: LIST,
    filters: { datasetId, ...query },
    queryAt: () => query,
    operation: 'compareEvalItems',
    fetch: async (asked, cursor, signal): Promise<ComparisonPage> => {
      const query = { ...asked, limit: PAGE_ROWS, cursor, ...tries } as never;
      const { items, next_cursor, summary } = await api.compareEvalItems({ path: { id: datasetId }, query, signal });
      const rows = items.map((item) => ({ ...item, results: item.results.map(withoutOutputs) }));
      return { rows, next: next_cursor, summary };
    },
    idOf: ({ datapoint_id: id }) => id,
  });
  useLiveQueries(
    [...ids.map((id) => ({ queryKey: keys.run(id) })), { queryKey: [LIST, 'page'] }],
    BETWEEN_MS,
    (event) => ids.some((id) => isOfRun(event, id)),
  );
  const page = list.firstPage as ComparisonPage | undefined;
  const opened = useOpenedRow<ComparedItem>({
    ...{ list, item: search.item, key: [LIST, 'page', 'item', datasetId, query] },
    read: (datapointId, signal) => readComparedItem(datasetId, search, datapointId, signal),
  });
  return { list, shownKey, summary: page?.summary, opened };
}

async function readComparedItem(id: string, search: CompareSearch, datapoint_id: string, signal: AbortSignal) {
  const query = { ...comparisonQuery(search), datapoint_id, include: 'samples' };
  return (await listPage<ComparedItem>('compareEvalItems', { path: { id }, query, signal })).rows[0] ?? null;
}

/** The tries of an open datapoint with their outputs, which its list leaves out. */
export function useTries(datasetId: string, search: CompareSearch, item: ComparedItem): ComparedItem['results'] {
  const { data } = useQuery({
    queryKey: [LIST, 'page', 'tries', datasetId, comparisonQuery(search), item.datapoint_id],
    queryFn: ({ signal }) => readComparedItem(datasetId, search, item.datapoint_id, signal),
    enabled: item.results.some(({ samples }) => samples),
  });
  return data?.results ?? [];
}
