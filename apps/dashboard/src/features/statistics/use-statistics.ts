import type { EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { readStatistics } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { goesOn } from '../runs/end-of-run.js';

/** Statistics of a run that goes on are asked for this far apart: the server looks at all of its samples. */
const BETWEEN_MS = 10_000;

type Counted = Pick<EvalRunSummary, 'id' | 'status' | 'sample_progress'>;

/**
 * What the scores of a run come to.
 * @param run left out while it is awaited.
 * @param baseline the run that it is compared with; left out for none.
 */
export function useStatistics(run: Counted | undefined, baseline?: string) {
  const isLive = run !== undefined && goesOn(run);
  return useQuery<EvalStatistics>({
    queryKey: keys.statistics(run?.id ?? '', baseline ?? null, isLive),
    queryFn: ({ signal }) => readStatistics(run!.id, baseline, signal),
    enabled: run !== undefined && run.sample_progress > 0,
    refetchInterval: isLive && BETWEEN_MS,
    // What was known of this run stays on screen while it is asked for anew.
    placeholderData: (before) => (before?.run_id === run?.id ? before : undefined),
  });
}
