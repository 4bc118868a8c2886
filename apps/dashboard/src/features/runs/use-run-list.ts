import type { EvalRunSummary } from '@spandrel/contract';
import { listRuns, readRun } from '../../api/evals.js';
import type { Query } from '../../api/query-text.js';
import { useLiveList } from '../live-list/use-live-list.js';
import { useFilteredList } from '../paged-list/use-filtered-list.js';
import { runNews } from './run-news.js';

/** A list of runs that is kept up to date. @param filters by the names of the API. */
export function useRunList(filters: Query) {
  const found = useFilteredList<EvalRunSummary>({
    name: 'runs',
    filters,
    queryAt: () => ({ ...filters }),
    fetch: listRuns,
    idOf: ({ id }) => id,
  });
  const live = useLiveList(found, { read: runNews, byIds: readRuns, recount: () => undefined }, true);
  return { ...found, live };
}

/** Runs beyond the first page as they are now. The API lists none by their ids, and few of these still change. */
async function readRuns(ids: readonly string[]): Promise<EvalRunSummary[]> {
  const answers = await Promise.allSettled(ids.map((id) => readRun(id)));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}
