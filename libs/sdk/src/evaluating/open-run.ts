import type { EvalRunSummary } from '../api/schema.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import type { EarlyTries } from './learn-names.js';
import type { Plan } from './read-definition.js';
import type { Trials } from './try-sample.js';

/** A run that is there, and what its samples are tried with. */
export interface OpenRun {
  run: EvalRunSummary;
  trials: Trials;
  /** Names of the scorers, by place. */
  names: readonly string[];
  early: Pick<EarlyTries, 'take'>;
  /** Whether this process started it. */
  isNew: boolean;
  /** What it is compared with. */
  baselineRunId: string | undefined;
  /** Gates that were left out, in words, since there is nothing yet to compare with. */
  skippedGates: string[];
}

/** What samples of a run are tried with. */
export const trialsOf = (
  { task, scorers, timeoutMs }: Plan,
  run: Pick<Trials, 'runId' | 'runName' | 'datasetId' | 'repeats'>,
  spandrel: EvalSpandrel,
  signal: AbortSignal,
): Trials => ({ ...run, task, scorers, spandrel, bounds: { timeoutMs, signal } });
