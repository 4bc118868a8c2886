import type { EvalItem } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listRunItems, readRun, readRunItem } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/use-spaced.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { isOfRun } from '../../features/runs/run-news.js';
import { useOpenedRow } from '../../features/runs/use-opened-row.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { resultsQuery, type RunSearch } from './run-search.js';

/** Run and results are asked for this far apart while the run goes on. */
const BETWEEN_MS = 2_500;

/** A run with its results, as they come in. */
export function useRun(id: string, search: RunSearch) {
  const client = useQueryClient();
  const query = useQuery({ queryKey: keys.run(id), queryFn: ({ signal }) => readRun(id, signal) });
  const filters = resultsQuery(search);
  const name = `results of ${id}`;
  const { list, shownKey } = useFilteredList<EvalItem>({
    name,
    filters,
    queryAt: () => filters,
    fetch: (asked, cursor, signal) => listRunItems(id, asked, cursor, signal),
    idOf: ({ datapoint_id: datapoint }) => datapoint,
  });
  const readAnew = useSpaced(() => {
    void client.invalidateQueries({ queryKey: keys.run(id) });
    // The pages on screen are read anew in their places.
    void client.invalidateQueries({ queryKey: [name, 'page'] });
  }, BETWEEN_MS);
  // A run that comes back from memory may have gone on.
  useEffect(readAnew, [readAnew, id]);
  useLiveBatches(({ events, hasMissed }) => {
    if (hasMissed || events.some((event) => isOfRun(event, id))) readAnew();
  });
  const opened = useOpenedRow<EvalItem>({
    ...{ list, item: search.item, key: [name, 'page', 'item'] },
    read: (datapointId, signal) => readRunItem(id, datapointId, signal),
  });
  return { query, list, shownKey, opened };
}
