import type { EvalRunSummary } from '@spandrel/contract';

/** Why a run was cancelled, where nobody did it by hand: `cost cap`. */
const STOPS = { cancelled: null, cost_cap: 'cost cap', idle: 'idle' } as const;

/** Sentences that say why a run was cancelled. */
const STOP_SENTENCES = {
  cancelled: null,
  cost_cap: 'It was stopped before another call could have cost more than its cap.',
  idle: 'It was cancelled, since no result came for too long.',
} as const;

/** Why a run ended before it was done, in a word or two; `null` where its status says all. */
export const stopWord = ({ stop_reason: reason }: Pick<EvalRunSummary, 'stop_reason'>): string | null =>
  reason === null ? null : STOPS[reason];

/** Why a run ended before it was done; `null` where its status says all. */
export const stopSentence = ({ stop_reason: reason }: Pick<EvalRunSummary, 'stop_reason'>): string | null =>
  reason === null ? null : STOP_SENTENCES[reason];

/** Names of the scorers of a run: `exact, judge`. */
export const scorersOf = ({ scorers }: Pick<EvalRunSummary, 'scorers'>): string =>
  scorers.map(({ name }) => name).join(', ');

/** Dollars that count against the cap: those of the calls and of the judges. */
export const spentOf = ({ total_cost: cost, judge_cost: judge }: Pick<EvalRunSummary, 'total_cost' | 'judge_cost'>) =>
  (cost ?? 0) + (judge ?? 0);
