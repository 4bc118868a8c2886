import type { EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { gateResults, regressionResult, type GateResult } from './gate-results.js';
import { verdictOf, type Verdict } from './verdict-of-run.js';

/** What a run that is over comes to. */
export interface Judgement {
  /** With the comparison, where there is a baseline. */
  statistics: EvalStatistics;
  baselineName?: string;
  gates: GateResult[];
  verdict: Verdict;
}

export interface JudgedBy {
  /** The run to compare with; that of the run's gates when left out. */
  baselineRunId?: string | undefined;
  alpha: number;
  /** Scores whose regression counts beside the gates of the run, by scorer; `null` for that of all together. */
  regressionsOf?: readonly (string | null)[];
  clusterBy?: string | undefined;
  failedAs?: 'excluded' | 'zero' | undefined;
}

/** Asks for the statistics of a run, and says what becomes of it by its gates. */
export async function judgeRun(api: Api, run: EvalRunSummary, by: JudgedBy): Promise<Judgement> {
  const ofGates = run.gates.find(({ baseline_run_id: id }) => id !== null)?.baseline_run_id ?? undefined;
  const baselineRunId = by.baselineRunId ?? ofGates;
  const baseline = baselineRunId === undefined ? undefined : await baselineOf(api, baselineRunId, by);
  const statistics = await api.getEvalStatistics({
    path: { id: run.id },
    query: {
      ...(baseline && { baseline: baseline.id, alpha: by.alpha }),
      cluster_by: by.clusterBy,
      failed_as: by.failedAs,
    },
  });
  const { comparison } = statistics;
  const looksFor = run.status === 'completed' && comparison !== null ? (by.regressionsOf ?? []) : [];
  const ofCommand = looksFor.map((scorer) => regressionResult(comparison!, scorer));
  const gates = [...gateResults(run.gates), ...ofCommand];
  return { statistics, ...(baseline && { baselineName: baseline.name }), gates, verdict: verdictOf(run, gates) };
}

/** A baseline that a gate names may have been deleted since; one that was asked for is to be there. */
async function baselineOf(api: Api, id: string, { baselineRunId }: JudgedBy): Promise<EvalRunSummary | undefined> {
  try {
    return await api.getEval({ path: { id }, query: { items: 'none' } });
  } catch (error) {
    if (baselineRunId === undefined && error instanceof SpandrelError && error.status === 404) return undefined;
    throw error;
  }
}
