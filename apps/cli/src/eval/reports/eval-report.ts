import type { EvalItem, EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import type { ExitCode } from '../../client/exit-codes.js';
import type { GateResult } from '../judge/gate-results.js';
import type { Verdict } from '../judge/verdict-of-run.js';

/** A run that is over, with what reports tell of it. */
export interface EvalReport {
  /** The file that the run came from, for `eval file`. */
  file?: string;
  dataset: { id: string; name: string };
  run: EvalRunSummary;
  /** With the comparison, where there is a baseline. */
  statistics: EvalStatistics;
  /** The name of the baseline, where there is one. */
  baselineName?: string;
  gates: readonly GateResult[];
  verdict: Verdict;
  /** The items in the order of the dataset, with their samples. */
  items: readonly EvalItem[];
  /** The page of the run in the dashboard. */
  url: string;
}

/** An eval of a file that could not be run. */
export interface EvalFault {
  file: string;
  /** What is wrong, in a sentence. */
  fault: string;
  exitCode: ExitCode;
}
