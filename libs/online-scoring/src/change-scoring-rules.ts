import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import {
  formatTimestamp,
  QUIET_MS,
  SCORING_RULES_MAX,
  type CreateScoringRule,
  type FieldError,
  type PlainList,
  type RejectedItem,
  type RestoredScoringRule,
  type ScoringRuleResource,
  type ScoringTarget,
  type UpdateScoringRule,
} from '@spandrel/contract';
import { givenFilters } from '@spandrel/datasets';
import { PlanRun } from '@spandrel/evals';
import { Invalid, invalidRequest, newId, type Scope } from '@spandrel/kernel';
import { ScoringRulesPort } from '@spandrel/scores';
import { dayOf, dayStart, Storage, toJsonText } from '@spandrel/storage';
import { findPrice, PRICING, type PricingTable } from '@spandrel/tracing';
import type { ScoringRuleRow } from './scoring-rule.entity.js';
import { backfillResource, exportedRule, readBackfill, scoringState } from './scoring-rule-resource.js';
import { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';

const DAY_MS = 86_400_000;

/** Members by which a rule decides what it judges. */
const DECIDING = ['enabled', 'target', 'filters', 'sampleRate', 'cohort', 'trigger', 'onScore'] as const;

/** Members that say what a judgement may cost. */
const COSTING = ['connectionId', 'judgeModel', 'judge', 'scoring', 'scoringConfig'] as const;

/** Creates, changes, deletes and shows scoring rules (docs/spec/online-scoring.md#rule-routes). */
@Injectable()
export class ChangeScoringRules {
  constructor(
    private readonly storage: Storage,
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
    private readonly plans: PlanRun,
    private readonly audit: AuditTrail,
    private readonly port: ScoringRulesPort,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /** @throws Invalid for a scorer that cannot score live traffic or whose judge has no price, NotFound for a connection. */
  async create(scope: Scope, body: CreateScoringRule): Promise<ScoringRuleRow> {
    const now = Date.now();
    const row = { ...NEW_RULE, projectId: scope.projectId, id: newId(), createdAt: now };
    return (await this.save(scope, row, body, now))!;
  }

  /** Changes the members given. @throws NotFound `scoring_rule_not_found`, Invalid as {@link create}. */
  async update(scope: Scope, id: string, body: UpdateScoringRule): Promise<ScoringRuleRow> {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    for (;;) {
      const before = await this.rules.get(scope, id);
      const { score_name: scoreName, ...shown } = exportedRule(before);
      const kept = { ...shown, ...(scoreName !== before.name && { score_name: scoreName }) };
      const saved = await this.save(scope, before, { ...kept, ...given } as CreateScoringRule, Date.now());
      if (saved) return saved;
    }
  }

  /** Deletes a rule; its scores stay. @throws NotFound `scoring_rule_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const rule = await this.rules.getForWrite(tx, scope, id);
      await this.rules.delete(tx, rule);
      this.audit.record(tx, { action: 'scoring_rule.deleted', ...scope, targetId: id, targetName: rule.name });
    });
  }

  /** Upserts rules of an export. One whose connection is not here fails until it has another. @returns those for which there is no room. */
  async restore(scope: Scope, items: readonly RestoredScoringRule[]): Promise<RejectedItem<RestoredScoringRule>[]> {
    const rejected: RejectedItem<RestoredScoringRule>[] = [];
    for (const item of items) {
      const write = this.storage.write(async (tx) => {
        const before = await this.rules.findForWrite(tx, scope, item.id);
        if (!before) await this.rules.assertRoom(tx, scope, SCORING_RULES_MAX, 'scoring rules');
        const row = { ...(before ?? NEW_RULE), projectId: scope.projectId, id: item.id, ...membersOf(item) };
        Object.assign(row, {
          ...{ connectionId: item.judge?.connection_id ?? null, judgeModel: item.judge?.model ?? null },
          scoredCount: Math.max(row.scoredCount, item.scored_count),
          failedCount: Math.max(row.failedCount, item.failed_count),
          skippedCount: Math.max(row.skippedCount, item.skipped_count),
          ...{ decidesSince: Date.now(), createdAt: item.created_at, updatedAt: item.updated_at },
        });
        if (before) Object.assign(before, row);
        else await this.rules.insert(tx, row);
        await this.port.onRule?.(tx, scope, true);
      });
      await write.catch((error: unknown) => {
        if (!(error instanceof Invalid)) throw error;
        rejected.push({ item, code: error.code, message: error.message });
      });
    }
    return rejected;
  }

  /** Rules as an export has them, in the order of their ids. */
  async exportAfter(scope: Scope, afterId: string, limit: number) {
    return (await this.rules.after(scope, afterId, limit)).map(exportedRule);
  }

  /** A page of rules as the wire shows them. @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: PlainList) {
    const { items, nextCursor } = await this.rules.list(scope, query);
    return { scoring_rules: await this.show(scope, items), count: items.length, next_cursor: nextCursor };
  }

  /** Rules as the wire shows them, with what they did within a day. */
  async show(scope: Scope, rules: readonly ScoringRuleRow[]): Promise<ScoringRuleResource[]> {
    const now = Date.now();
    const ids = rules.map(({ id }) => id);
    const hours = Map.groupBy(await this.rules.hours(scope, ids, now - DAY_MS), ({ ruleId }) => ruleId);
    const waiting = await this.tasks.waiting(scope, ids);
    return rules.map((rule) => {
      const its = hours.get(rule.id) ?? [];
      const backfill = readBackfill(rule);
      const { created_at, updated_at, ...shown } = exportedRule(rule);
      return {
        ...shown,
        spent_today: its.reduce((sum, { hour, cost }) => (hour >= dayStart(dayOf(now)) ? sum + cost : sum), 0),
        last_error: rule.lastError,
        state: scoringState(
          its,
          waiting.find(({ ruleId }) => ruleId === rule.id),
          now,
        ),
        backfill: backfill && backfillResource(backfill),
        since: formatTimestamp(rule.decidesSince),
        ...{ created_at, updated_at },
      };
    });
  }

  /** @param row of a new rule, or as it was when it was read. @returns nothing where it was changed since. */
  private async save(
    scope: Scope,
    row: ScoringRuleRow,
    body: CreateScoringRule,
    now: number,
  ): Promise<ScoringRuleRow | undefined> {
    const faults = faultsOf(body);
    if (faults.length > 0) throw invalidRequest(faults);
    const { scoring, scoring_config, judge } = body;
    const complete = await this.plans.planAlone(scope, { scoring, scoring_config, judge });
    return this.storage.write(async (tx) => {
      const isNew = row.updatedAt === 0;
      const before = isNew ? undefined : await this.rules.getForWrite(tx, scope, row.id);
      if (before && before.updatedAt !== row.updatedAt) return undefined;
      const { judge: completed } = await complete(tx);
      const changed = {
        ...(before ?? row),
        ...membersOf(body),
        connectionId: completed?.connection_id ?? null,
        judgeModel: completed?.model ?? null,
        updatedAt: Math.max(now, row.updatedAt + 1),
      };
      this.assertPriced(changed);
      // What another judge costs is not known yet.
      if (before && COSTING.some((member) => before[member] !== changed[member])) changed.dearest = null;
      if (!before || DECIDING.some((member) => before[member] !== changed[member])) changed.decidesSince = now;
      if (!before) await this.rules.assertRoom(tx, scope, SCORING_RULES_MAX, 'scoring rules');
      const action = before ? 'scoring_rule.updated' : 'scoring_rule.created';
      this.audit.record(tx, { action, ...scope, targetId: changed.id, targetName: changed.name });
      if (before) return Object.assign(before, changed);
      await this.rules.insert(tx, changed);
      await this.port.onRule?.(tx, scope, false);
      return changed;
    });
  }

  /** A budget holds only where what calls cost is known. @throws Invalid. */
  assertPriced(
    { dailyCap, judgeModel }: ScoringRuleRow,
    at = 'max_cost_usd_per_day',
    cap: number | null = dailyCap,
  ): void {
    if (cap === null || judgeModel === null || findPrice(this.pricing, judgeModel)) return;
    const message = `cannot be kept, since the model ${JSON.stringify(judgeModel)} has no price; see pricing in the configuration`;
    throw invalidRequest([{ path: at, message }]);
  }
}

const NEW_RULE = {
  ...{
    scoredCount: 0,
    failedCount: 0,
    skippedCount: 0,
    scoredAt: null,
    dearest: null,
    lastError: null,
    backfill: null,
  },
  ...{
    connectionId: null,
    judgeModel: null,
    decidesSince: 0,
    createdAt: 0,
    updatedAt: 0,
    name: '',
    enabled: 1,
    target: 'span',
  },
  ...{ quietMs: 0, filters: '{}', sampleRate: 1, cohort: null, trigger: 'ended', onScore: null, scoring: '' },
  ...{ scoringConfig: null, judge: null, scoreName: '', dailyCap: null },
} satisfies Partial<ScoringRuleRow>;

function faultsOf({ target, trigger, on_score: onScore, quiet_ms: quietMs }: CreateScoringRule): FieldError[] {
  const faults: FieldError[] = [];
  const isByScore = trigger === 'score';
  if (isByScore && !onScore) faults.push({ path: 'on_score', message: 'is required with the trigger score' });
  if (!isByScore && onScore) faults.push({ path: 'on_score', message: 'is for the trigger score alone' });
  if ((target ?? 'span') === 'span' && quietMs) {
    faults.push({ path: 'quiet_ms', message: 'is for traces and sessions alone: a span is judged when it ends' });
  }
  return faults;
}

function membersOf(body: CreateScoringRule) {
  const target: ScoringTarget = body.target ?? 'span';
  return {
    ...{ name: body.name, target, scoring: body.scoring, cohort: body.cohort ?? null },
    enabled: Number(body.enabled ?? true),
    quietMs: body.quiet_ms ?? QUIET_MS[target],
    filters: JSON.stringify(givenFilters(body.filters ?? {})),
    sampleRate: body.sample_rate ?? 1,
    trigger: body.trigger ?? 'ended',
    onScore: body.on_score ? JSON.stringify(body.on_score) : null,
    scoringConfig: toJsonText(body.scoring_config ?? null),
    judge: body.judge ? JSON.stringify(body.judge) : null,
    scoreName: body.score_name ?? body.name,
    dailyCap: body.max_cost_usd_per_day ?? null,
  };
}
