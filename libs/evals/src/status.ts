import {
  EVAL_EXECUTIONS,
  EVAL_STATUSES,
  RESULT_STATUSES,
  STOP_REASONS,
  type EvalExecution,
  type EvalStatus,
  type ResultStatus,
  type StopReason,
} from '@spandrel/contract';

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

/** Who executes a run, as the table holds it. */
export const EXECUTION = { server: 0, external: 1 } as const satisfies Record<EvalExecution, number>;

export const executionName = (execution: number): EvalExecution => EVAL_EXECUTIONS[execution] ?? 'server';

/** Why a run was cancelled, as the table holds it. */
export const STOP_REASON = { cancelled: 0, cost_cap: 1, idle: 2 } as const satisfies Record<StopReason, number>;

export const stopReasonName = (reason: number): StopReason => STOP_REASONS[reason] ?? 'cancelled';
