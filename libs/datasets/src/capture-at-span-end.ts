import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import {
  SpanCommitParticipants,
  type SpanCommitParticipant,
  type StoredSpan,
  type TracingChange,
} from '@spandrel/tracing';
import { spanMatcher, storedFilters } from './capture-filters.js';
import { CaptureRuleStore } from './capture-rule.store.js';
import { isSampled } from './capture-sample.js';
import { CaptureTaskStore } from './capture-task.store.js';
import { CaptureWorker } from './capture-worker.js';

/**
 * Judges spans as they end, by what can be told from them alone, and notes which rule takes which span in the same
 * transaction: what a crash leaves undone is done after it. Everything else happens after the answer
 * ({@link CaptureWorker}).
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

  private async judge(tx: WriteTx, scope: Scope, spans: readonly StoredSpan[]): Promise<number> {
    const now = Date.now();
    let made = 0;
    for (const rule of await this.rules.enabled(tx, scope)) {
      const matches = spanMatcher(storedFilters(rule));
      const ids = spans
        .filter((span) => matches(span) && isSampled(rule.id, span.id, rule.sampleRate))
        .map(({ id }) => id);
      made += await this.tasks.add(tx, scope, rule.id, ids, now);
    }
    return made;
  }
}

/** The spans that ended, project by project; a correction ends nothing. */
function endedSpans(changes: readonly TracingChange[]): Iterable<{ scope: Scope; spans: StoredSpan[] }> {
  const byProject = new Map<string, { scope: Scope; spans: StoredSpan[] }>();
  for (const change of changes) {
    if (change.type !== 'span_completed' && change.type !== 'span_failed') continue;
    const { scope, after } = change;
    const known = byProject.get(scope.projectId);
    if (known) known.spans.push(after);
    else byProject.set(scope.projectId, { scope, spans: [after] });
  }
  return byProject.values();
}
