import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import {
  SpanCommitParticipants,
  type SpanCommitParticipant,
  type StoredSpan,
  type TracingChange,
} from '@spandrel/tracing';
import { CaptureRuleStore } from './capture-rule.store.js';
import { isSampled } from './capture-filters.js';
import { CaptureTaskStore } from './capture-task.store.js';
import { CaptureWorker } from './capture-worker.js';

/**
 * Judges spans as they end (docs/spec/capture-rules.md#when-a-span-is-judged), by what can be seen from them alone, and
 * notes which rule takes which span in the same transaction: what a crash leaves undone is done after it. Everything
 * else happens after the answer ({@link CaptureWorker}).
 */
@Injectable()
export class CaptureAtSpanEnd implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'capture-rules';
  /** Changes that made tasks; a transaction that is done again has new ones. */
  private readonly taken = new WeakSet<readonly TracingChange[]>();

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly rules: CaptureRuleStore,
    private readonly tasks: CaptureTaskStore,
    private readonly worker: CaptureWorker,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const { scope, spans } of endedSpans(changes)) {
      if ((await this.judge(tx, scope, spans)) > 0) this.taken.add(changes);
    }
  }

  afterCommit(changes: readonly TracingChange[]): void {
    if (this.taken.has(changes)) this.worker.wake();
  }

  /** @returns how many tasks it made. */
  private async judge(tx: WriteTx, scope: Scope, spans: readonly StoredSpan[]): Promise<number> {
    const rules = await this.rules.enabled(tx, scope);
    const tasks = rules.flatMap(({ id: ruleId, matches, sampleRate }) =>
      spans
        .filter((span) => matches(span) && isSampled(ruleId, span.id, sampleRate))
        .map((span) => ({ ruleId, spanId: span.id })),
    );
    return this.tasks.add(tx, scope, tasks, Date.now());
  }
}

/** The spans that ended, project by project; a correction ends nothing, nor does a span that comes back from an export. */
function endedSpans(changes: readonly TracingChange[]): Iterable<{ scope: Scope; spans: StoredSpan[] }> {
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
