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
export const nameOfRun = ({ projectId, id }: RunKey): string => `${projectId}/${id}`;
