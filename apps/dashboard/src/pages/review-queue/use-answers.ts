import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { isNotFound } from '../../api/api-error.js';
import { listLatestRuns, readRunItem } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { useIdle } from '../../components/use-idle.js';

/** What one run made of a datapoint. */
export interface Answer {
  run: EvalRunSummary;
  result: EvalItem;
}

/** Runs whose answers are shown. */
const RUNS_MAX = 4;

const NONE: readonly Answer[] = [];

/**
 * What the latest runs of a dataset answered to a datapoint, the newest first. Nothing is asked for before the page has nothing
 * else to do, and all of it comes at once, so that it pushes nothing aside that is being read.
 */
export function useAnswers(datasetId: string, datapointId: string) {
  const isIdle = useIdle();
  const runs = useQuery({
    queryKey: keys.latestRuns(datasetId),
    queryFn: ({ signal }) => listLatestRuns(datasetId, RUNS_MAX, signal),
    enabled: isIdle,
    refetchOnWindowFocus: false,
  });
  const latest = isIdle && !runs.isFetching ? (runs.data ?? []) : [];
  const results = useQueries({
    queries: latest.map(({ id }) => ({
      queryKey: keys.runItem(id, datapointId),
      queryFn: ({ signal }: { signal: AbortSignal }) => readRunItem(id, datapointId, signal),
    })),
  });
  const isComplete = results.every(({ isPending }) => !isPending);
  return {
    answers: isComplete ? latest.flatMap((run, at) => answerOf(run, results[at]!.data)) : NONE,
    // A run that was deleted meanwhile has no answer.
    error: runs.error ?? results.find(({ error }) => error !== null && !isNotFound(error))?.error ?? null,
    retry: () => {
      if (runs.error) void runs.refetch();
      for (const result of results) if (result.error) void result.refetch();
    },
  };
}

/** @param result `null` where the run did not have the datapoint. */
const answerOf = (run: EvalRunSummary, result: EvalItem | null | undefined): Answer[] =>
  result == null ? [] : [{ run, result }];
