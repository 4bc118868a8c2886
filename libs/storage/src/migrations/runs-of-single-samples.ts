/**
 * What runs from before there were samples have of them: one a datapoint; and those that are cancelled were cancelled by a
 * request. `4` is the status of these.
 */
export const RUNS_OF_SINGLE_SAMPLES = [
  'update eval_run set sample_progress = progress, failed_samples = failed_count',
  'update eval_run set stop_reason = 0 where status = 4',
];
