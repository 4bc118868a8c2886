import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { BackfillAnswer, BackfillScoring } from '@spandrel/contract';
import { spanMatcher } from '@spandrel/datasets';
import { Invalid, projectScope, BackgroundTasks, type PeriodicTask, type Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { SpanLookups } from '@spandrel/tracing';
import { ChangeScoringRules } from './change-scoring-rules.js';
import { NoteTasks } from './note-tasks.js';
import type { ScoringRuleRow } from './scoring-rule.entity.js';
import { backfillResource, readBackfill, readFilters, type Backfill } from './scoring-rule-resource.js';
import { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringWorker } from './scoring-worker.js';

const MAX_DEFAULT = 1_000;
const PAGE = 500;
/** Spans that a dry run looks at. */
const DRY_RUN_MAX = 50_000;
const POLL_MS = 2_000;

/**
 * Has rules judge what ended before them, newest first, by tasks with the ids that they always have: nothing twice. How far it has
 * come is kept with the rule, in the transaction that makes the tasks (docs/spec/online-scoring.md#backfill).
 */
@Injectable()
export class BackfillRules {
  private readonly worker: PeriodicTask;

  constructor(
    private readonly storage: Storage,
    private readonly rules: ScoringRuleStore,
    private readonly changes: ChangeScoringRules,
    private readonly notes: NoteTasks,
    private readonly spans: SpanLookups,
    private readonly scoring: ScoringWorker,
    private readonly audit: AuditTrail,
    background: BackgroundTasks,
  ) {
    const failure = 'backfills of scoring rules do not go on for now; trying again soon';
    this.worker = background.add({ everyMs: POLL_MS, failure, task: (stopped) => this.goOn(stopped) });
  }

  /** Begins a backfill, or counts what it would take. @throws NotFound for the rule, Invalid where it cannot be or one runs. */
  async begin(scope: Scope, ruleId: string, body: BackfillScoring): Promise<BackfillAnswer> {
    const now = Date.now();
    const begun: Backfill = {
      ...{ status: 'running', since: body.since ?? null, until: body.until ?? now, max: body.max ?? MAX_DEFAULT },
      ...{
        max_cost_usd: body.max_cost_usd ?? null,
        matched: 0,
        sampled: 0,
        spent_usd: 0,
        started_at: now,
        cursor: null,
      },
    };
    if (body.dry_run === true) return this.count(scope, await this.rules.get(scope, ruleId), begun);
    const rule = await this.storage.write(async (tx) => {
      const row = await this.rules.getForWrite(tx, scope, ruleId);
      this.changes.assertPriced(row, 'max_cost_usd', begun.max_cost_usd);
      if (row.enabled === 0) throw new Invalid('validation_failed', 'the rule is disabled; enable it first');
      if (readBackfill(row)?.status === 'running')
        throw new Invalid('validation_failed', 'a backfill of this rule is running; wait for its end');
      row.backfill = JSON.stringify(begun);
      const details = { max: begun.max, max_cost_usd: begun.max_cost_usd };
      const target = { targetId: ruleId, targetName: row.name };
      this.audit.record(tx, { action: 'scoring_rule.backfill_begun', ...scope, ...target, details });
      return { ...row };
    });
    this.worker.hurry();
    return { ...backfillResource(begun), estimated_cost_usd: estimate(rule, begun.max) };
  }

  private async count(scope: Scope, rule: ScoringRuleRow, backfill: Backfill): Promise<BackfillAnswer> {
    const seen = new Set<string>();
    for (
      let looked = 0;
      looked < DRY_RUN_MAX && backfill.sampled < backfill.max && backfill.status === 'running';
      looked += PAGE
    ) {
      await this.storage.write((tx) => this.step(tx, scope, rule, backfill, seen));
    }
    backfill.sampled = Math.min(backfill.sampled, backfill.max);
    return {
      ...backfillResource(backfill),
      status: 'dry_run',
      estimated_cost_usd: estimate(rule, backfill.sampled),
    };
  }

  private async goOn(stopped: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !stopped.aborted;) {
      const running = await this.rules.backfilling();
      isMore = running.length > 0;
      for (const { projectId, id } of running) {
        const scope = projectScope(projectId);
        await this.storage.write(async (tx) => {
          const rule = await this.rules.findForWrite(tx, scope, id);
          const backfill = rule && readBackfill(rule);
          if (rule?.enabled !== 1 || backfill?.status !== 'running') return;
          await this.step(tx, scope, rule, backfill);
          rule.backfill = JSON.stringify(backfill);
        });
      }
      if (isMore) this.scoring.wake();
    }
  }

  /**
   * Looks at the next spans; what is found of them is added to the backfill.
   * @param counted of a dry run: what was counted before; it grows.
   */
  private async step(
    tx: WriteTx,
    scope: Scope,
    rule: ScoringRuleRow,
    backfill: Backfill,
    counted?: Set<string>,
  ): Promise<void> {
    const range = { from: backfill.since ?? undefined, until: backfill.until, behind: backfill.cursor ?? undefined };
    const spans = await this.spans.listNewestFinished(scope, PAGE, range);
    const room = counted ? 0 : backfill.max - backfill.sampled;
    const active = { ...rule, matches: spanMatcher(readFilters(rule)) };
    const { matched, sampled } = await this.notes.noteEarlier(tx, scope, active, spans, room, counted ?? new Set());
    backfill.matched += matched;
    backfill.sampled += sampled;
    const last = spans.at(-1);
    if (last) backfill.cursor = { startedAt: last.startedAt, id: last.id };
    if (spans.length < PAGE || (!counted && backfill.sampled >= backfill.max)) backfill.status = 'completed';
  }
}

/** What so many scores cost, if each does as the dearest so far; `null` where none had a cost. */
const estimate = ({ dearest }: ScoringRuleRow, count: number): number | null =>
  dearest === null ? null : dearest * count;
