import { Spandrel } from '../spandrel.js';
import type { EvalDefinition, EvalSpandrel, EvaluateOptions } from './definition.js';
import { readResult, type EvalResult } from './eval-result.js';
import { readDefinition } from './read-definition.js';
import type { Unset } from './scorer.js';
import { resumeRun, startRun } from './start-run.js';
import { workOnRun } from './work-on-run.js';

/** Traces are waited for so long once the run is over: they are not what it is about. */
const FLUSH_MS = 10_000;
const FLUSH_STOPPED_MS = 2_000;

/**
 * Evaluates one's own code: starts an external run over the dataset, tries each of its samples in a trace of its own, sends
 * the results as they come, and waits for the server's statistics and gates.
 *
 * A process that dies leaves a run that goes on with `resume: run.id`; samples whose results had arrived are not tried again.
 *
 * @param options take the place of what the definition says.
 * @throws DefinitionError before anything is started; SpandrelError when the server refuses, or does not answer for two
 *   minutes; what `signal` was aborted with.
 */
export async function evaluate<Input = Unset, Returned = Unset, Expected = Unset, Metadata = Unset>(
  definition: EvalDefinition<Input, Returned, Expected, Metadata> & EvaluateOptions,
  options: EvaluateOptions = {},
): Promise<EvalResult> {
  const plan = readDefinition(definition, options);
  const { signal = new AbortController().signal } = plan;
  signal.throwIfAborted();
  const spandrel: EvalSpandrel = plan.spandrel ?? new Spandrel();
  try {
    const { resume } = plan;
    const opened =
      resume === undefined ? await startRun(plan, spandrel, signal) : await resumeRun(plan, resume, spandrel, signal);
    plan.onStarted?.(opened.run);
    const run = await workOnRun(plan, opened, spandrel, signal);
    const result = await readResult(spandrel.api, run, { ...plan, ...opened }, signal);
    await spandrel.flush({ timeoutMs: FLUSH_MS });
    return result;
  } catch (error) {
    await spandrel.flush({ timeoutMs: FLUSH_STOPPED_MS });
    throw error;
  }
}
