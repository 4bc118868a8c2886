import type { StopReason } from '@spandrel/contract';
import type { EvalRunRow } from './eval-run.entity.js';
import { RUN_STATUS, STOP_REASON } from './status.js';

/** What every run has that is over; nobody works on it any more. @param now in ms. */
export const endOf = (
  status: number,
  now: number,
): Pick<EvalRunRow, 'status' | 'endedAt' | 'leaseOwner' | 'leaseUntil'> => ({
  status,
  endedAt: now,
  leaseOwner: null,
  leaseUntil: 0,
});

/** What a run has that came to its end without being completed: gates that it may have do not hold. */
export const brokenOff = (
  run: EvalRunRow,
  status: number,
  now: number,
): ReturnType<typeof endOf> & Pick<EvalRunRow, 'passed'> => ({
  ...endOf(status, now),
  passed: run.gates === null ? null : 0,
});

/** What a run has that is cancelled. */
export const cancelledFor = (
  run: EvalRunRow,
  reason: StopReason,
  now: number,
): ReturnType<typeof brokenOff> & Pick<EvalRunRow, 'stopReason'> => ({
  ...brokenOff(run, RUN_STATUS.cancelled, now),
  stopReason: STOP_REASON[reason],
});
