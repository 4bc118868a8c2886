import type { EvalRunSummary } from '@spandrel/contract';

/** Whether a run goes on. */
export const goesOn = ({ status }: Pick<EvalRunSummary, 'status'>): boolean =>
  status === 'pending' || status === 'running';
