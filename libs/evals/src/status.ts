import { EVAL_STATUSES, RESULT_STATUSES, type EvalStatus, type ResultStatus } from '@spandrel/contract';

/** Statuses of runs as the table holds them; those below {@link RUN_STATUS.completed} are unfinished. */
export const RUN_STATUS = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 3,
  cancelled: 4,
} as const satisfies Record<EvalStatus, number>;

export const runStatusName = (status: number): EvalStatus => EVAL_STATUSES[status] ?? 'failed';

/** Statuses of result items; the table has rows of completed and failed ones alone. */
export const RESULT_STATUS = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 3,
} as const satisfies Record<ResultStatus, number>;

export const resultStatusName = (status: number): ResultStatus => RESULT_STATUSES[status] ?? 'pending';
