import type { Command } from 'commander';
import { GATES_ALPHA } from './judging-options.js';
import { readNumber } from './read-option.js';

/** What commander gives of the options that say how a run is looked at. */
export interface StatisticsOptions {
  baseline?: string;
  alpha?: string;
  clusterBy?: string;
  failedAs?: string;
}

/** Parameters of the statistics of a run. */
export interface StatisticsQuestion {
  baselineRunId: string | undefined;
  alpha: number;
  clusterBy: string | undefined;
  failedAs: 'excluded' | 'zero' | undefined;
}

export const addStatisticsOptions = (command: Command): Command =>
  command
    .option('--alpha <number>', `how rare a difference must be by chance to count; ${GATES_ALPHA} when left out`)
    .option('--cluster-by <member>', "a member of the datapoints' metadata: those with the same value belong together")
    .option('--failed-as <zero|excluded>', 'zero: a failed sample counts as 0; excluded when left out');

/** What the server does not take it refuses. @throws UsageFault for an alpha that is no number. */
export const readStatisticsOptions = (options: StatisticsOptions): StatisticsQuestion => ({
  baselineRunId: options.baseline,
  alpha: readNumber('--alpha', options.alpha) ?? GATES_ALPHA,
  clusterBy: options.clusterBy,
  failedAs: options.failedAs as StatisticsQuestion['failedAs'],
});
