import type { Api } from '../api/client.js';
import { mayPass } from '../api/answers.js';
import { backoffMs } from '../api/http.js';
import { pause } from '../api/operation-calls.js';
import type { ExternalResult, EvalRunSummary } from '../api/schema.js';
import { SpandrelError } from '../api/spandrel-error.js';
import type { EvalSpandrel, EvalDefinition, EvaluateOptions } from './definition.js';
import { type Plan, readDefinition } from './read-definition.js';
import { type OpenRun, resumeRun, startRun } from './start-run.js';
import { limited, resultOf, trySample, type Sample } from './try-sample.js';
import { Spandrel } from '../spandrel.js';
import { readResult, type EvalResult } from './eval-result.js';
import type { Unset } from './scorer.js';

/** Works on items, so many at once. @throws the first failure, after the work that was under way has ended. */
async function runPool<Item>(
  items: AsyncGenerator<Item, void, undefined>,
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // A failure ends the generator for all of them.
  const workers = Array.from({ length: size }, async () => {
    for await (const item of items) await work(item);
  });
  try {
    await Promise.all(workers);
  } finally {
    await Promise.allSettled(workers);
  }
}

interface PendingOf {
  runId: string;
  repeats: number;
  /** Whether results wait for scorers of the server: a datapoint is `running` then, though samples of it are pending. */
  hasServerScorers: boolean;
}

const PAGE_ITEMS = 100;
/** Longest time without an answer of the server, in ms. */
const PATIENCE_MS = 120_000;
/** The first pause after a request without an answer, which doubles with each further one up to the longest. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 10_000;

/** Sends a request again until the server answers. @throws what it refuses with; its last error after two minutes. */
async function untilAnswered<T>(request: () => Promise<T>, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<T> {
  const began = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof SpandrelError && mayPass(error)) || performance.now() - began > patienceMs) throw error;
      await pause(error.retryAfterMs ?? backoffMs(failures, PAUSE_MS, PAUSE_MS_MAX, Math.random), signal);
    }
  }
}

/** The samples of a run without a result, in the order of the datapoints. @param taken datapoints that are left out. */
async function* pendingSamples(
  api: Api,
  { runId, repeats, hasServerScorers }: PendingOf,
  taken: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<Sample, void, undefined> {
  const statuses = hasServerScorers && repeats > 1 ? (['pending', 'running'] as const) : (['pending'] as const);
  const include = repeats > 1 ? 'kind,samples' : 'kind';
  for (const status of statuses) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const call = { path: { id: runId }, query: { status, include, limit: PAGE_ITEMS, cursor }, signal };
      const { items, next_cursor: next } = await untilAnswered(() => api.listEvalItems(call), signal);
      for (const { datapoint_id: datapointId, kind, ...item } of items) {
        if (taken.has(datapointId)) continue;
        taken.add(datapointId);
        for (const sample of item.samples ?? [{ repeat: 0, status: item.status }]) {
          if (sample.status === 'pending') yield { datapointId, repeat: sample.repeat, kind: kind! };
        }
      }
      cursor = next;
    }
  }
}

interface ResultsSettings {
  api: Api;
  runId: string;
  signal: AbortSignal;
  onDurable: (results: readonly ExternalResult[]) => void;
  /** Called once no more results can go: the run is over, or sending has failed for good. */
  onEnd: (reason: unknown) => void;
  /** Longest time without an answer of the server, in ms; for tests. */
  patienceMs?: number;
}

/** So many results go with one request, and so many characters of them. */
const BATCH_RESULTS = 500;
const BATCH_CHARACTERS = 1_000_000;
/** Requests begin so far apart: an organization has a limit, and its applications need it, too. */
const APART_MS = 100;
/** What waits holds up further tries from here on. */
const WAITING_MAX = 1_000;
const WAITING_CHARACTERS_MAX = 16_000_000;

/** Ends a pool of tries: the run takes no more results. */
export class RunIsOver extends Error {
  override readonly name = 'RunIsOver';
}

/** Sends results, one request at a time; one that is sent twice counts once, so a request without an answer is repeated. */
export class ResultSender {
  accepted = 0;
  private waiting: { result: ExternalResult; characters: number }[] = [];
  private characters = 0;
  private sending: Promise<void> | undefined;
  private failure: { reason: unknown } | undefined;
  private lastBegan = -Infinity;
  private room: (() => void)[] = [];

  constructor(private readonly settings: ResultsSettings) {}

  /** @returns once there is room for more. @throws why no more results can go. */
  async add(result: ExternalResult): Promise<void> {
    if (this.failure) throw this.failure.reason;
    const characters = JSON.stringify(result).length;
    this.waiting.push({ result, characters });
    this.characters += characters;
    this.sending ??= this.sendAll();
    while (!this.failure && (this.waiting.length >= WAITING_MAX || this.characters >= WAITING_CHARACTERS_MAX)) {
      await new Promise<void>((resolve) => this.room.push(resolve));
    }
  }

  /** @returns once all results are durable. @throws why they cannot be. */
  async drained(): Promise<void> {
    await this.sending;
    if (this.failure) throw this.failure.reason;
  }

  private async sendAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        await pause(Math.max(0, this.lastBegan + APART_MS - performance.now()), this.settings.signal);
        this.lastBegan = performance.now();
        await this.send(this.take());
      }
    } catch (reason) {
      this.failure = { reason };
      this.settings.onEnd(reason);
    } finally {
      this.sending = undefined;
      this.giveRoom();
    }
  }

  private take(): ExternalResult[] {
    let characters = 0;
    let count = 0;
    for (const { characters: more } of this.waiting) {
      if (count > 0 && (count === BATCH_RESULTS || characters + more > BATCH_CHARACTERS)) break;
      characters += more;
      count++;
    }
    const batch = this.waiting.splice(0, count).map(({ result }) => result);
    this.characters -= characters;
    return batch;
  }

  private async send(results: readonly ExternalResult[]): Promise<void> {
    try {
      const rejected = await this.post(results);
      const durable = results.filter((_, index) => !rejected.has(index));
      this.settle(durable);
      for (const [index, why] of rejected) await this.replace(results[index]!, why);
    } catch (error) {
      if (!(error instanceof SpandrelError) || error.status !== 413) throw error;
      const half = Math.ceil(results.length / 2);
      if (half === results.length) return this.replace(results[0]!, 'it is larger than the server takes');
      await this.send(results.slice(0, half));
      await this.send(results.slice(half));
    }
  }

  /** What the server does not take as it is becomes a failed sample that says so. */
  private async replace(result: ExternalResult, why: string): Promise<void> {
    const error = `the server did not take the result: ${why}`;
    const { output: _output, scores: _scores, ...others } = result;
    const replacement: ExternalResult = { ...others, error };
    const rejected = await this.post([replacement]);
    const again = rejected.get(0);
    if (again !== undefined)
      throw new Error(`the server takes no result for datapoint ${result.datapoint_id}: ${again}`);
    this.settle([replacement]);
  }

  private settle(results: readonly ExternalResult[]): void {
    if (results.length === 0) return;
    this.accepted += results.length;
    this.settings.onDurable(results);
    this.giveRoom();
  }

  private giveRoom(): void {
    for (const go of this.room.splice(0)) go();
  }

  /** @returns why results were rejected, by their places. A sample that another process has done meanwhile is not. */
  private async post(results: readonly ExternalResult[]): Promise<Map<number, string>> {
    const { api, runId, signal, patienceMs } = this.settings;
    const call = { path: { id: runId }, body: { results: [...results] }, signal, retry: true };
    try {
      const { rejected } = await untilAnswered(() => api.addEvalResults(call), signal, patienceMs);
      const refused = rejected.filter(({ code }) => code !== 'id_conflict');
      return new Map(refused.map(({ index, message }) => [index, message]));
    } catch (error) {
      if (!(error instanceof SpandrelError) || error.code !== 'eval_run_not_running') throw error;
      throw new RunIsOver(error.detail);
    }
  }
}

/** The run is asked for so often while the server still works on it. */
const ASK_MS = 50;
const ASK_MS_MAX = 1_000;
/** Who stops an eval is not held up longer by results that are to be sent, and by the server. */
const SEND_MS = 2_000;
const CANCEL_MS = 5_000;

const isOver = ({ status }: Pick<EvalRunSummary, 'status'>): boolean => status !== 'pending' && status !== 'running';

/** @returns the run as the server judged it, also stopped by its cost cap. @throws what `signal` says; SpandrelError */
async function workOnRun(
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
  return settled(api, run.id, signal, async () => {
    // Samples that another process began and did not send may turn up later, once the server's scorers are done with the others.
    if (sender.accepted >= run.sample_total - run.sample_progress) return;
    await runPool(pendingSamples(api, of, taken, signal), plan.concurrency, work);
    await sender.drained();
  });
}

/** Waits until a run is over. @param work is done before each question. */
async function settled(
  api: Api,
  id: string,
  signal: AbortSignal,
  work: () => Promise<void> = async () => {},
): Promise<EvalRunSummary> {
  for (let askMs = ASK_MS; ; askMs = Math.min(ASK_MS_MAX, askMs * 2)) {
    await work();
    const run = await untilAnswered(() => api.getEval({ path: { id }, query: { items: 'none' }, signal }), signal);
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
    const result = await untilAnswered(() => readResult(spandrel.api, run, { ...plan, ...opened }, signal), signal);
    await spandrel.flush({ timeoutMs: FLUSH_MS });
    return result;
  } catch (error) {
    await spandrel.flush({ timeoutMs: FLUSH_STOPPED_MS });
    throw error;
  }
}
