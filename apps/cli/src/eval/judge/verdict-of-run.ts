import type { EvalRunSummary } from '@spandrel/contract';
import type { GateResult } from './gate-results.js';

/** What became of a run, by its exit code (docs/cli.md#exit-codes). */
export type Verdict = 'passed' | 'failed' | 'gate' | 'regression' | 'stopped' | 'unfinished';

type Run = Pick<EvalRunSummary, 'status' | 'error'>;

/**
 * What a run comes to.
 * @param gates those of the run, and what the command itself judged.
 */
export function verdictOf({ status, error }: Run, gates: readonly GateResult[]): Verdict {
  if (status === 'pending' || status === 'running') return 'unfinished';
  if (status === 'cancelled') return 'stopped';
  if (status === 'failed') return 'failed';
  const broken = gates.filter(({ passed }) => passed !== true);
  if (broken.some(({ isRegression }) => !isRegression)) return 'gate';
  if (broken.length > 0) return 'regression';
  // A completed run has an error where not a single sample came to an end: bad weather, that nobody may take for a pass.
  return error === null ? 'passed' : 'failed';
}
