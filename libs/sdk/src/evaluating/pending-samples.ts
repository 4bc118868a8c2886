import type { Api } from '../api/client.js';
import type { EvalItem } from '../api/schema.js';
import type { Sample } from './sample.js';

/** A run whose samples are to be tried. */
export interface PendingOf {
  runId: string;
  repeats: number;
  /** Whether results wait for scorers of the server: a datapoint is `running` then, though samples of it are pending. */
  hasServerScorers: boolean;
}

const PAGE_ITEMS = 100;

/**
 * The samples of a run that have no result, page by page, in the order of the datapoints.
 * @param taken datapoints that were taken before, which are left out; those that are given are added.
 */
export async function* pendingSamples(
  api: Api,
  { runId, repeats, hasServerScorers }: PendingOf,
  taken: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<Sample, void, undefined> {
  const statuses = hasServerScorers && repeats > 1 ? (['pending', 'running'] as const) : (['pending'] as const);
  const include = repeats > 1 ? 'kind,samples' : 'kind';
  for (const status of statuses) {
    const query = { status, include, limit: PAGE_ITEMS };
    for await (const item of api.pages('listEvalItems', { path: { id: runId }, query, signal })) {
      if (taken.has(item.datapoint_id)) continue;
      taken.add(item.datapoint_id);
      yield* samplesOf(item);
    }
  }
}

function* samplesOf({
  datapoint_id: datapointId,
  kind,
  status,
  samples,
}: EvalItem): Generator<Sample, void, undefined> {
  const tries = samples ?? [{ repeat: 0, status }];
  for (const { repeat, status: state } of tries) {
    if (state === 'pending') yield { datapointId, repeat, kind: kind! };
  }
}
