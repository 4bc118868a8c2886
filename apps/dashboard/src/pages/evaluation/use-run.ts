import type { EvalItem } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listPage, PAGE_ROWS } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { runQuery } from '../../features/runs/run-queries.js';
import { isOfRun } from '../../features/runs/run-rules.js';
import { useOpenedRow } from '../../features/runs/opened-row.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { withoutOutputs } from './run-facts.js';
import { resultsQuery, type RunSearch } from './run-search.js';

/** Run and results are asked for this far apart while the run goes on. */
const BETWEEN_MS = 2_500;

/** A run with its results, as they come in. */
export function useRun(id: string, search: RunSearch) {
  const client = useQueryClient();
  const query = useQuery(runQuery(id));
  const filters = resultsQuery(search);
  const name = `results of ${id}`;
  const { list, shownKey } = useFilteredList<EvalItem>({
    name,
    filters,
    operation: 'listEvalItems',
    fetch: async (asked, cursor, signal) => {
      const { repeats } = await client.ensureQueryData(runQuery(id));
      // Without repeats a result is its only sample.
      const query = repeats === 1 ? asked : { ...asked, include: 'samples', limit: rowsOfPage(repeats) };
      const page = await listPage<EvalItem>('listEvalItems', { path: { id }, query, cursor, signal });
      return { ...page, rows: page.rows.map(withoutOutputs) };
    },
    idOf: ({ datapoint_id: datapoint }) => datapoint,
  });
  const readAnew = useSpaced(() => {
    void client.invalidateQueries({ queryKey: keys.run(id) });
    // The pages on screen are read again in their places.
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

/** The result of one datapoint with its samples; `null` where the run does not have it. */
async function readRunItem(id: string, datapoint_id: string, signal: AbortSignal): Promise<EvalItem | null> {
  const query = { datapoint_id, include: 'samples' };
  return (await listPage<EvalItem>('listEvalItems', { path: { id }, query, signal })).rows[0] ?? null;
}

/** Samples that a page of results has, with their outputs on the way here. */
const PAGE_SAMPLES = 1_000;
const PAGE_ROWS_MIN = 10;

const rowsOfPage = (repeats: number): number =>
  Math.min(PAGE_ROWS, Math.max(PAGE_ROWS_MIN, Math.floor(PAGE_SAMPLES / repeats)));

/** The samples of a result with their outputs; `null` where each datapoint is tried once. */
export function useSamples(runId: string, { datapoint_id: id, samples }: EvalItem) {
  const query = useQuery({
    queryKey: [`results of ${runId}`, 'page', 'samples', id],
    queryFn: ({ signal }) => readRunItem(runId, id, signal),
    enabled: samples !== null && samples !== undefined,
  });
  return query.data?.samples ?? null;
}
