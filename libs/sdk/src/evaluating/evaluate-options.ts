import type { EvalRunSummary } from '../api/schema.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import type { Gate } from './gate.js';

/** How far an eval is, in samples. */
export interface EvalProgress {
  /** Durable on the server, of an earlier process too. */
  done: number;
  /** How many of them failed. */
  failed: number;
  total: number;
}

/** How a definition is evaluated; members that a definition has too take the place of its own. */
export interface EvaluateOptions {
  name?: string | undefined;
  repeats?: number | undefined;
  concurrency?: number | undefined;
  gates?: readonly (string | Gate)[] | undefined;
  baseline?: string | undefined;
  /** Laid over the definition's own, key by key. */
  metadata?: Readonly<Record<string, string>> | undefined;
  spandrel?: EvalSpandrel | undefined;
  /** Id of a run that was begun and not finished: what it has not yet is done, the rest stays. */
  resume?: string | undefined;
  /** Stops the eval: no further result is waited for, and what the signal was aborted with is thrown. */
  signal?: AbortSignal | undefined;
  /** What becomes of the run then: it is cancelled unless it is to be kept, so that it can be resumed. */
  onAbort?: 'cancel' | 'keep' | undefined;
  /** Called once the run is there. */
  onStarted?: ((run: EvalRunSummary) => void) | undefined;
  /** Called whenever results have become durable. */
  onProgress?: ((progress: EvalProgress) => void) | undefined;
}
