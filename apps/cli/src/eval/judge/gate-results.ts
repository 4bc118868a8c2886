import type { EvalStatistics, JudgedGate } from '@spandrel/contract';
import { describeGate } from '@spandrel/sdk/eval';
import { formatActual } from '../words/actual-words.js';

/** A gate with what became of it. */
export interface GateResult {
  /** The words of the command line: `pass_hat_k@3 >= 0.8`. */
  text: string;
  /** What was found, in words; an en dash where there is no value. */
  found: string;
  /** `null` where the run did not come to its end. */
  passed: boolean | null;
  /** Whether it does not hold because the run is worse than its baseline. */
  isRegression: boolean;
}

/** The gates of a run, as the server judged them. */
export const gateResults = (gates: readonly JudgedGate[]): GateResult[] =>
  gates.map((gate) => ({
    text: describeGate(gate),
    found: formatActual(gate),
    passed: gate.passed,
    isRegression: gate.metric === 'regression' && gate.passed === false && gate.actual === 'worse',
  }));

/**
 * The gate "no regression" by a comparison, for an `alpha` that gates of the server do not know.
 * @param comparison made with that `alpha`.
 * @param scorer `null`: the score of all together.
 */
export function regressionResult(
  { alpha, score, scorers }: NonNullable<EvalStatistics['comparison']>,
  scorer: string | null,
): GateResult {
  const compared = scorer === null ? score : scorers[scorer];
  const gate = describeGate({ metric: 'regression', ...(scorer !== null && { scorer }) });
  const isRegression = compared?.verdict === 'worse';
  return {
    text: `${gate} (alpha ${alpha})`,
    found: formatActual({ metric: 'regression', actual: compared?.verdict ?? null }),
    // A gate without a value does not hold.
    passed: compared !== undefined && !isRegression,
    isRegression,
  };
}
