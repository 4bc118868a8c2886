import type { EvalItem, EvalRunSummary, EvalStatistics, JudgedGate } from '../api/schema.js';

/** What the server says of an eval that is over. */
export interface EvalFacts {
  run: EvalRunSummary;
  /** The server's numbers, beside the baseline where there is one. */
  statistics: EvalStatistics;
  /** With what was found, and whether they hold. */
  gates: JudgedGate[];
  /** Whether the run was completed and all gates hold; without gates, whether not all of its datapoints failed. */
  passed: boolean;
  /** Undefined where there was none to compare with. */
  baselineRunId: string | undefined;
  /** Gates that were left out, in words: `latest` found no run to compare with. */
  skippedGates: string[];
  /** When it did not pass: datapoints that failed, and those with the lowest scores; ten at most. */
  worst: EvalItem[];
}
