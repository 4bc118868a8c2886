import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

/** What is scored as it comes, and by whom. Times are milliseconds since the epoch, costs dollars. */
export const ScoringRuleSchema = defineEntity({
  name: 'ScoringRule',
  tableName: 'scoring_rule',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    enabled: p.smallint(),
    target: p.text(),
    quietMs: p.integer(),
    /** JSON object. */
    filters: p.text(),
    sampleRate: p.double().$type<number>(),
    cohort: p.text().nullable(),
    trigger: p.text(),
    onScore: p.text().nullable(),
    scoring: p.text(),
    /** JSON object. */
    scoringConfig: p.text().nullable(),
    /** JSON object: the judge as it was given. */
    judge: p.text().nullable(),
    connectionId: p.text().nullable(),
    judgeModel: p.text().nullable(),
    scoreName: p.text(),
    dailyCap: p.double().$type<number>().nullable(),
    scoredCount: p.bigint('number'),
    failedCount: p.bigint('number'),
    skippedCount: p.bigint('number'),
    /** When it scored last. */
    scoredAt: p.bigint('number').nullable(),
    /** What its dearest score cost; `null`: none had a cost. */
    dearest: p.double().$type<number>().nullable(),
    lastError: p.text().nullable(),
    backfill: p.text().nullable(),
    /** Since when it decides as it does. */
    decidesSince: p.bigint('number'),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
});

export type ScoringRuleRow = RowOf<typeof ScoringRuleSchema>;
export const ScoringRule = entityOf(ScoringRuleSchema);
export const scoringRuleTable = tableOf(ScoringRuleSchema, ['projectId', 'id']);

/** States of a task: it waits (or somebody works on it), its attempts are used up, or there was no money or no time for it. */
export const TASK_STATE = { waiting: 0, failed: 1, budget: 2, overload: 3 } as const;

/** What a rule has yet to judge: written with what makes it due, gone with the score. What came to nothing stays for 30 days. */
export const ScoringTaskSchema = defineEntity({
  name: 'ScoringTask',
  tableName: 'scoring_task',
  properties: {
    projectId: p.text().primary(),
    ruleId: p.text().primary(),
    /** The id of a span, a trace or a session. */
    targetId: p.text().primary(),
    state: p.smallint(),
    /** The process that judges it; `null` where none does, or where it went on meanwhile. */
    owner: p.text().nullable(),
    failures: p.smallint(),
    /** JSON array of attempts that failed. */
    attempts: p.text(),
    notedAt: p.bigint('number'),
    /** When it may be tried (again); the end of the lease of its owner. */
    dueAt: p.bigint('number'),
    /** 1 where a backfill asked for it. */
    isBackfill: p.smallint(),
    /** 1 where it is counted as matched and sampled. */
    isCounted: p.smallint(),
  },
  indexes: [{ name: 'scoring_task_due', properties: ['projectId', 'ruleId', 'state', 'dueAt'] }],
});

export type ScoringTaskRow = RowOf<typeof ScoringTaskSchema>;
export const ScoringTask = entityOf(ScoringTaskSchema);
export const scoringTaskTable = tableOf(ScoringTaskSchema, ['projectId', 'ruleId', 'targetId']);

export const ScoringHourSchema = defineEntity({
  name: 'ScoringHour',
  tableName: 'scoring_hour',
  properties: {
    projectId: p.text().primary(),
    ruleId: p.text().primary(),
    hour: p.bigint('number').primary(),
    matched: p.bigint('number'),
    sampled: p.bigint('number'),
    scored: p.bigint('number'),
    failed: p.bigint('number'),
    budget: p.bigint('number'),
    overload: p.bigint('number'),
    cost: p.double().$type<number>(),
  },
});

export type ScoringHourRow = RowOf<typeof ScoringHourSchema>;
export const scoringHourTable = tableOf(ScoringHourSchema, ['projectId', 'ruleId', 'hour']);
