import type { Claim, ClaimNext, JudgeAgreementOfRun, ListQueue } from '@spandrel/contract';
import { api } from '../../api/api.js';

type Signal = { signal?: AbortSignal };
type Query = Partial<ListQueue>;

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

/** How far a judge agrees with what people said by one score. */
export type JudgeRow = Pick<JudgeAgreementOfRun, 'true_pass_rate' | 'true_fail_rate' | 'units'> & {
  name: string;
  /** The run that judged; `null` for scores of live traffic. */
  run: { id: string; name: string } | null;
};

/** Scores whose judge is compared: each takes a request. */
const JUDGED_MAX = 3;

/** How far the last run of a dataset, or (`null`) the judges of traces, agree with the reviewers. @param names of scores. */
export async function readJudges(datasetId: string | null, names: readonly string[], signal: AbortSignal) {
  if (names.length === 0) return [];
  const query = { status: 'completed', limit: 1 } as const;
  const [run] =
    datasetId === null ? [] : (await api.listEvalRuns({ query: { dataset_id: datasetId, ...query }, signal })).runs;
  if (datasetId !== null && !run) return [];
  const rows = await Promise.all(
    names.slice(0, JUDGED_MAX).map(async (name): Promise<JudgeRow> => {
      if (run)
        return {
          name,
          run,
          ...pick(await api.getJudgeAgreement({ path: { id: run.id }, query: { name }, signal })),
        };
      const { human, ...rates } = await api.getScoreQuality({ query: { name }, signal });
      return { name, run: null, ...pick({ units: human.k, ...rates }) };
    }),
  );
  return rows.filter(({ units }) => units > 0);
}

const pick = ({ units, true_pass_rate, true_fail_rate }: Omit<JudgeRow, 'name' | 'run'>) => ({
  ...{ units, true_pass_rate, true_fail_rate },
});

/** Members of a request that name the reviewer; nobody for the caller as the server knows them. */
export const claimedBy = (reviewer: string | null): Claim => (reviewer === null ? {} : { claimed_by: reviewer });

/** The part of a query that says who reads, likewise. */
export const readBy = (reviewer: string | null) => (reviewer === null ? {} : { reviewer });
