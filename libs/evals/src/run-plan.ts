import type { JudgedGate, RunScorer } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { EXECUTION } from './status.js';

/** The `scoring_config` that a run was started with. */
export const scoringConfig = (run: EvalRunRow): Record<string, unknown> | null =>
  fromJsonText(run.scoringConfig) as Record<string, unknown> | null;

/** The scorers of a run: those that were listed, or the one of `scoring` and `scoring_config`. */
export function scorersOf(run: EvalRunRow): RunScorer[] {
  if (run.scorers !== null) return fromJsonText(run.scorers) as RunScorer[];
  const { scoring, passScore } = run;
  return [
    { name: scoring, scoring, scoring_config: scoringConfig(run), judge: null, weight: 1, pass_score: passScore },
  ];
}

/** The gates of a run with what was found; none have been looked at before the end. */
export const gatesOf = (run: EvalRunRow): JudgedGate[] => (fromJsonText(run.gates) ?? []) as JudgedGate[];

/** Texts by key that a run was started with. */
export const metadataOf = (run: EvalRunRow): Record<string, string> =>
  (fromJsonText(run.metadata) ?? {}) as Record<string, string>;

/** Samples that a run is to have. */
export const sampleTotal = ({ total, repeats }: Pick<EvalRunRow, 'total' | 'repeats'>): number => total * repeats;

/** Ids of the connections that a run needs, for itself and for its judges; an external run has none of its own. */
export function connectionsOf(
  run: Pick<EvalRunRow, 'connectionId' | 'judgeConnectionId' | 'scorers'>,
): ReadonlySet<string> {
  const scorers = (fromJsonText(run.scorers) ?? []) as RunScorer[];
  const judges = scorers.map(({ judge }) => judge?.connection_id ?? '');
  return new Set([run.connectionId, run.judgeConnectionId ?? '', ...judges].filter((id) => id !== ''));
}

/** What tells whether a run is through. */
type RunProgress = Pick<EvalRunRow, 'execution' | 'total' | 'progress' | 'unscored' | 'closedAt'>;

/**
 * Whether nothing of a run is left to be processed, so that it can be completed. An external run also is when its caller has said
 * that no more results come, but not before the server's scorers have seen all that came.
 */
export const isThrough = ({ execution, total, progress, unscored, closedAt }: RunProgress): boolean =>
  execution === EXECUTION.external ? unscored === 0 && (closedAt !== null || progress >= total) : progress >= total;

/** Whether a process has something to do for an unfinished run; others execute an external one, until its results come. */
export const isDue = (run: RunProgress): boolean =>
  run.execution === EXECUTION.server || run.unscored > 0 || isThrough(run);
