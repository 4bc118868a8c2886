import type { WriteTx } from '@spandrel/storage';
import type { RunKey } from '../eval-run.store.js';

/** Injection token of the {@link RunDispatch} of this process. */
export const RUN_DISPATCH = Symbol('run dispatch');

/**
 * Runs that a process works on at once. They share `evals.calls_max`, which a fourth of them keeps busy. In cloud mode as many
 * again may be added, each the only one of its organization.
 */
export const RUNS_AT_ONCE = 250;

/** A run as it is dispatched; where the organization of its project is not known, the project takes turns like one. */
export type DispatchedRun = RunKey & { orgId?: string | undefined };

/**
 * Works on a run until that is over or no longer this process's. A rejection is a fault of the program:
 * it is logged, and the run comes again.
 * @returns when the run is to be looked at again, in epoch ms; `undefined`: there is nothing left to do.
 */
export type RunHandler = (run: DispatchedRun) => Promise<number | undefined>;

/**
 * Brings runs to processes that work on them (ADR 0014). It may bring a run to two processes, or one that is over: the
 * lease in the run's row says who works on it. It never leaves out a run that nobody works on.
 */
export interface RunDispatch {
  /** Has a run brought to a process, once `tx` is committed; never when it is not. */
  enqueue(tx: WriteTx, run: DispatchedRun): Promise<void>;

  /** Forgets all runs of a project, which are gone. */
  forget(projectId: string): Promise<void>;

  /** Begins to bring runs to this process, as many as {@link RUNS_AT_ONCE} says and none twice at once. */
  start(handler: RunHandler): Promise<void>;

  /** Brings no more. @returns once all handlers are through; runs that they leave are brought to other processes. */
  stop(): Promise<void>;
}

/** A run's name among those of all projects. */
export const formatRunName = ({ projectId, id }: RunKey): string => `${projectId}/${id}`;

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
