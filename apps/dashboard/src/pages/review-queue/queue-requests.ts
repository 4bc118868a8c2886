import type { Claim, ClaimNext, ListQueue } from '@spandrel/contract';
import { api } from '../../api/api.js';
import { readReviewerName } from '../../features/review-counts.js';
import { kappaOf } from './describe-agreement.js';

type Signal = { signal?: AbortSignal };
type Query = { [Name in keyof ListQueue]?: ListQueue[Name] | undefined };

/** The requests of a queue: of that of a dataset, or (`null`) of that of traces, spans and sessions. */
export const requestsOf = (id: string | null) => ({
  next: (body: ClaimNext) =>
    id === null ? api.claimNextTarget({ body }) : api.claimNextQueueItem({ path: { id }, body }),
  list: (query: Query, options: Signal = {}) =>
    id === null
      ? api.listQueue({ query: { ...query, targets: true }, ...options })
      : api.listDatasetQueue({ path: { id }, query, ...options }),
  progress: (options: Signal) =>
    id === null ? api.getTargetProgress(options) : api.getQueueProgress({ path: { id }, ...options }),
  agreement: (options: Signal) =>
    id === null ? api.getTargetAgreement(options) : api.getAgreement({ path: { id }, ...options }),
});

const JUDGED_MAX = 3;

/** How far the last run of a dataset, or (`null`) the judges of traces, agree with the reviewers. @param names of scores. */
export async function readJudges(datasetId: string | null, names: readonly string[], signal: AbortSignal) {
  const query = { dataset_id: datasetId ?? '', status: 'completed', limit: 1 } as const;
  const run = datasetId === null ? null : (await api.listEvalRuns({ query, signal })).runs[0];
  if (run === undefined) return [];
  const rows = await Promise.all(
    names.slice(0, JUDGED_MAX).map(async (name) => {
      if (run)
        return { ...(await api.getJudgeAgreement({ path: { id: run.id }, query: { name }, signal })), name, run };
      const quality = await api.getScoreQuality({ query: { name }, signal });
      return { ...quality, cohen_kappa: kappaOf(quality), units: quality.human.k, name, run };
    }),
  );
  return rows.filter(({ units }) => units > 0);
}

/** Members of a request that name the reviewer; nobody for the caller as the server knows them. */
export const claimedBy = (reviewer: string | null): Claim => (reviewer === null ? {} : { claimed_by: reviewer });

/** The part of a query that says who reads, where nobody signs in; elsewhere the server ignores it. */
export const asReader = () => {
  const reviewer = readReviewerName().trim();
  return reviewer === '' ? {} : { reviewer };
};
