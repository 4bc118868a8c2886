import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import {
  METRICS,
  registerSourceGauges,
  LOGGER,
  type Logger,
  pauseUnlessStopped,
  BackgroundTasks,
  type PeriodicTask,
  projectScope,
  type Scope,
  Unavailable,
} from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { CaptureTaskStore } from './capture-task.store.js';
import type { CaptureTaskRow } from './capture-rule.entity.js';
import { CaptureSpans } from './capture-spans.js';
import {
  SpanCommitParticipants,
  type SpanCommitParticipant,
  type StoredSpan,
  type TracingChange,
} from '@spandrel/tracing';
import { CaptureRuleStore } from './capture-rule.store.js';
import { isSampled } from './capture-filters.js';

/** Shows how capture rules keep up with the spans. */
@Injectable()
export class CaptureMetrics {
  readonly lost: Counter;

  constructor(@Inject(METRICS) registry: Registry, tasks: CaptureTaskStore) {
    const registers = [registry];
    this.lost = new Counter({
      name: 'spandrel_capture_tasks_lost_total',
      help: 'Spans that a capture rule took and that could not be captured, after all attempts.',
      registers,
    });
    registerSourceGauges(registry, () => tasks.count(), [
      {
        name: 'spandrel_capture_tasks_waiting',
        help: 'Spans that a capture rule took and that are not captured yet, on all instances.',
        samples: (value) => [{ value }],
      },
    ]);
  }
}

const TASKS_AT_ONCE = 100;
/** What a wake-up waits for more: the spans of many commits become one change of a dataset. */
const GATHER_MS = 20;
/** Pauses behind a transaction, in the time it took. */
const PAUSE_WHILE_SPANS_END = 9;
const PAUSE_OTHERWISE = 1;
const PAUSE_MS_MAX = 2_000;
/** How often tasks are looked for unasked: those put off, and those of an instance that ended. */
const POLL_MS = 5_000;
const FAILURES_MAX = 5;
const FIRST_DELAY_MS = 1_000;
const DELAY_FACTOR = 4;
/**
 * Does capture tasks in the background: woken when spans end, at the start, and now and then. It takes a tenth of the
 * time while spans end, so that their answers do not wait for it, and half of it otherwise.
 */
@Injectable()
export class CaptureWorker implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'capture-rules';
  /** Changes that made tasks; a transaction that is done again has new ones. */
  private readonly taken = new WeakSet<readonly TracingChange[]>();
  private readonly worker: PeriodicTask;
  private wakes = 0;

  constructor(
    private readonly storage: Storage,
    private readonly participants: SpanCommitParticipants,
    private readonly rules: CaptureRuleStore,
    private readonly tasks: CaptureTaskStore,
    private readonly captures: CaptureSpans,
    private readonly metrics: CaptureMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    background: BackgroundTasks,
  ) {
    this.worker = background.add({
      everyMs: POLL_MS,
      firstMs: 0,
      gatherMs: GATHER_MS,
      task: (stopped) => this.doDue(Date.now, stopped),
      failure: 'spans are not captured for now; trying again soon',
    });
  }

  onModuleInit(): void {
    this.participants.register(this);
  }

  /**
   * Judges spans as they end (docs/spec/capture-rules.md#when-a-span-is-judged), by what can be seen from them alone, and
   * notes which rule takes which span in the same transaction: what a crash leaves undone is done after it.
   */
  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const { scope, spans } of endedSpans(changes)) {
      const rules = await this.rules.enabled(tx, scope);
      const tasks = rules.flatMap(({ id: ruleId, matches, sampleRate }) =>
        spans
          .filter((span) => matches(span) && isSampled(ruleId, span.id, sampleRate))
          .map((span) => ({ ruleId, spanId: span.id })),
      );
      if ((await this.tasks.add(tx, scope, tasks, Date.now())) > 0) this.taken.add(changes);
    }
  }

  afterCommit(changes: readonly TracingChange[]): void {
    if (this.taken.has(changes)) this.wake();
  }

  wake(): void {
    this.wakes++;
    this.worker.hurry();
  }

  /**
   * Does all tasks that are due, batch by batch.
   * @param now epoch ms; tasks due later are left.
   * @throws Unavailable when the database cannot be used; the tasks stay.
   */
  async doDue(now: () => number = Date.now, stopped: AbortSignal = new AbortController().signal): Promise<void> {
    while (!stopped.aborted) {
      const batch = await this.tasks.due(now(), TASKS_AT_ONCE);
      if (batch.length === 0) return;
      for (const [projectId, tasks] of Map.groupBy(batch, (task) => task.projectId)) {
        if (stopped.aborted) return;
        await this.doOrPutOff(projectScope(projectId), tasks, now, stopped);
      }
    }
  }

  /** Does tasks together, and one by one when that fails, so that one that cannot be done holds up no other. */
  private async doOrPutOff(
    scope: Scope,
    tasks: readonly CaptureTaskRow[],
    now: () => number,
    stopped: AbortSignal,
  ): Promise<void> {
    try {
      await this.doInSteps(scope, tasks, stopped);
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      if (tasks.length === 1) return this.putOff(scope, tasks[0]!, error, now());
      for (const task of tasks) {
        if (!stopped.aborted) await this.doOrPutOff(scope, [task], now, stopped);
      }
    }
  }

  private async doInSteps(scope: Scope, tasks: readonly CaptureTaskRow[], stopped: AbortSignal): Promise<void> {
    let [began, wakes] = [performance.now(), this.wakes];
    for await (const _step of this.captures.execute(scope, tasks)) {
      const pauses = this.wakes === wakes ? PAUSE_OTHERWISE : PAUSE_WHILE_SPANS_END;
      await pauseUnlessStopped(Math.min(pauses * (performance.now() - began), PAUSE_MS_MAX), stopped);
      if (stopped.aborted) return;
      [began, wakes] = [performance.now(), this.wakes];
    }
  }

  private async putOff(scope: Scope, task: CaptureTaskRow, error: unknown, now: number): Promise<void> {
    const failures = task.failures + 1;
    const gone = failures >= FAILURES_MAX;
    await this.storage.write((tx) =>
      gone
        ? this.tasks.delete(tx, scope, [task])
        : this.tasks.putOff(tx, task, failures, now + FIRST_DELAY_MS * DELAY_FACTOR ** (failures - 1)),
    );
    if (!gone) return;
    this.metrics.lost.inc();
    this.logger.error({ err: error, rule_id: task.ruleId, span_id: task.spanId }, 'a span is not captured');
  }
}

/** The spans that ended, project by project; a correction ends nothing, nor does a span that comes back from an export. */
export function endedSpans(changes: readonly TracingChange[]): Iterable<{ scope: Scope; spans: StoredSpan[] }> {
  const byProject = new Map<string, { scope: Scope; spans: StoredSpan[] }>();
  for (const change of changes) {
    if ((change.type !== 'span_completed' && change.type !== 'span_failed') || change.restored) continue;
    const { scope, after } = change;
    const known = byProject.get(scope.projectId);
    if (known) known.spans.push(after);
    else byProject.set(scope.projectId, { scope, spans: [after] });
  }
  return byProject.values();
}
