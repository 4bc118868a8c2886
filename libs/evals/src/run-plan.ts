import type { JudgedGate, RunScorer } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';

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
export const sampleTotal = ({ total, repeats }: EvalRunRow): number => total * repeats;

/** Ids of the connections that a run needs, for itself and for its judges; an external run has none of its own. */
export function connectionsOf(
  run: Pick<EvalRunRow, 'connectionId' | 'judgeConnectionId' | 'scorers'>,
): ReadonlySet<string> {
  const scorers = (fromJsonText(run.scorers) ?? []) as RunScorer[];
  const judges = scorers.map(({ judge }) => judge?.connection_id ?? '');
  return new Set([run.connectionId, run.judgeConnectionId ?? '', ...judges].filter((id) => id !== ''));
}

/** Whether nothing of a run is left to be processed: it is to be completed. */
export const isThrough = ({ progress, total }: EvalRunRow): boolean => progress >= total;
