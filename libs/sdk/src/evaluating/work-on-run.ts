import type { Api } from '../api/client.js';
import type { EvalRunSummary } from '../api/schema.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import { limited, pause } from './limited.js';
import type { OpenRun } from './open-run.js';
import { pendingSamples } from './pending-samples.js';
import type { Plan } from './read-definition.js';
import { runPool } from './run-pool.js';
import type { Sample } from './sample.js';
import { ResultSender, RunIsOver } from './send-results.js';
import { resultOf, trySample } from './try-sample.js';

/** The run is asked for so often while the server still works on it. */
const ASK_MS = 50;
const ASK_MS_MAX = 1_000;
/** Who stops an eval is not held up longer by results that are to be sent, and by the server. */
const SEND_MS = 2_000;
const CANCEL_MS = 5_000;

const isOver = ({ status }: Pick<EvalRunSummary, 'status'>): boolean => status !== 'pending' && status !== 'running';

/**
 * Tries what the run has not yet, and waits until the server has judged it.
 * @returns the run as it ended; it may have been stopped by its cost cap, or by somebody.
 * @throws what `signal` was aborted with, once the run is cancelled where it is to be; SpandrelError when results cannot be sent.
 */
export async function workOnRun(
  plan: Plan,
  opened: OpenRun,
  spandrel: EvalSpandrel,
  signal: AbortSignal,
): Promise<EvalRunSummary> {
  const { api } = spandrel;
  const { run } = opened;
  if (isOver(run)) return run;
  const progress = { done: run.sample_progress, failed: run.failed_samples, total: run.sample_total };
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const sender = new ResultSender({
    api,
    runId: run.id,
    // Results that are there when the eval is stopped still go.
    signal: stop.signal,
    onDurable: (results) => {
      progress.done = Math.min(progress.total, progress.done + results.length);
      progress.failed += results.filter(({ error }) => error !== undefined).length;
      plan.onProgress?.({ ...progress });
    },
    onEnd: (reason) => stop.abort(reason),
  });
  try {
    const ended = await tryAll(plan, opened, api, sender, stopped);
    plan.onProgress?.({ done: ended.sample_progress, failed: ended.failed_samples, total: ended.sample_total });
    return ended;
  } catch (error) {
    if (signal.aborted) {
      await limited(() => sender.drained(), { timeoutMs: SEND_MS, signal: stop.signal }).catch(() => undefined);
      stop.abort(signal.reason);
      if (plan.onAbort !== 'keep') await cancel(opened, api, sender.accepted);
      throw signal.reason;
    }
    if (error instanceof RunIsOver) return settled(api, run.id, signal);
    // Nobody needs the tries that are still going on.
    stop.abort(error);
    if (error instanceof Error)
      error.message += `\nrun ${run.id} is kept: evaluate({ …, resume: '${run.id}' }) goes on with it`;
    throw error;
  }
}

async function tryAll(
  plan: Plan,
  { run, trials, names, early }: OpenRun,
  api: Api,
  sender: ResultSender,
  signal: AbortSignal,
): Promise<EvalRunSummary> {
  const bounded = { ...trials, bounds: { ...trials.bounds, signal } };
  const of = { runId: run.id, repeats: run.repeats, hasServerScorers: plan.scorers.some(({ score }) => !score) };
  const taken = new Set<string>();
  const work = async (sample: Sample): Promise<void> => {
    const tried = early.take(sample) ?? (await trySample(bounded, sample));
    await sender.add(resultOf(tried, names));
  };
  for (let askMs = ASK_MS; ; askMs = Math.min(ASK_MS_MAX, askMs * 2)) {
    // Samples that another process began and did not send may turn up later, once the server's scorers are done with the others.
    if (sender.accepted < run.sample_total - run.sample_progress) {
      await runPool(pendingSamples(api, of, taken, signal), plan.concurrency, work);
      await sender.drained();
    }
    const now = await api.getEval({ path: { id: run.id }, query: { items: 'none' }, signal });
    if (isOver(now)) return now;
    await pause(askMs, signal);
  }
}

/** A run that takes no more results, once it is over. */
async function settled(api: Api, id: string, signal: AbortSignal): Promise<EvalRunSummary> {
  for (let askMs = ASK_MS; ; askMs = Math.min(ASK_MS_MAX, askMs * 2)) {
    const run = await api.getEval({ path: { id }, query: { items: 'none' }, signal });
    if (isOver(run)) return run;
    await pause(askMs, signal);
  }
}

/** A run without any result cannot be cancelled, and nobody misses it. What fails here is not what stopped the eval. */
async function cancel({ run, isNew }: OpenRun, api: Api, accepted: number): Promise<void> {
  const call = { path: { id: run.id }, timeoutMs: CANCEL_MS, retry: false };
  try {
    await api.cancelEval(call);
  } catch {
    if (isNew && accepted === 0) await api.deleteEval(call).catch(() => undefined);
  }
}
