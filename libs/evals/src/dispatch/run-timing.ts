/** Injection token of {@link RunTiming}. */
export const RUN_TIMING = Symbol('run timing');

/**
 * Times after which a run goes on when its process has died: within 30 s, where 60 are promised
 * (docs/spec/evaluations.md#runs-survive-a-restart).
 */
export interface RunTiming {
  /** A process that says nothing for so long no longer has its runs. */
  leaseMs: number;
  /** How often it says that it has them. */
  renewMs: number;
  /** How often runs are looked for unasked. */
  pollMs: number;
  /** Cloud mode: jobs of a process that says nothing for so long are given to another one. At least 10. */
  heartbeatSeconds: number;
  /** Cloud mode: how often such jobs are looked for. */
  superviseSeconds: number;
  /** Cloud mode: how often runs without a job are looked for, and how long they have been nobody's by then. */
  sweepMs: number;
}

/** @param polls whether runs come to this process from others too. */
export const runTiming = (polls: boolean): RunTiming => ({
  leaseMs: 20_000,
  renewMs: 5_000,
  pollMs: polls ? 1_000 : 5_000,
  heartbeatSeconds: 20,
  superviseSeconds: 5,
  sweepMs: 30_000,
});
