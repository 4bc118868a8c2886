import type { Logger } from '@spandrel/kernel';
import type { RunDispatch } from './run-dispatch.js';

/**
 * The dispatch of a server with `evals.paused`: it brings no run to this process and makes no jobs. Runs wait in their table, where
 * a server that is not paused finds them: at its start, and while it runs by looking for runs without a job.
 */
export class PausedDispatch implements RunDispatch {
  constructor(private readonly logger: Logger) {}

  async enqueue(): Promise<void> {}

  /** Jobs that other servers made of runs that are gone are through at once, and deleted an hour later. */
  async forget(): Promise<void> {}

  async start(): Promise<void> {
    this.logger.warn('eval runs are paused at this server (evals.paused): none begins here, and none goes on');
  }

  async stop(): Promise<void> {}
}
