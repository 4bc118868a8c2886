import type { EvalRunSummary } from '@spandrel/contract';

const STOPS = {
  cancelled: 'it was cancelled',
  cost_cap: 'it reached its cost cap',
  idle: 'no result came for too long',
} as const;

type Run = Pick<EvalRunSummary, 'status' | 'stop_reason' | 'error' | 'sample_progress' | 'sample_total'>;

/** Why a run did not come to a good end, or did not come to one yet; `null` for one that did. */
export function describeStop(run: Run): string | null {
  const { status, stop_reason: reason, error, sample_progress: done, sample_total: total } = run;
  switch (status) {
    case 'completed':
      return error;
    case 'failed':
      return `The run failed: ${error ?? 'no reason is known'}`;
    case 'cancelled':
      return `The run was stopped: ${STOPS[reason ?? 'cancelled']}; ${done} of ${total} samples are processed.`;
    default:
      return `The run is ${status}: ${done} of ${total} samples are processed.`;
  }
}
