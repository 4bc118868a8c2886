import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

export const CaptureRuleSchema = defineEntity({
  name: 'CaptureRule',
  tableName: 'capture_rule',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    datasetId: p.text(),
    name: p.text(),
    enabled: p.smallint(),
    /** JSON object. */
    filters: p.text(),
    sampleRate: p.double().$type<number>(),
    capturedCount: p.bigint('number'),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
  indexes: [{ name: 'capture_rule_dataset', properties: ['projectId', 'datasetId', 'id'] }],
});

export type CaptureRuleRow = RowOf<typeof CaptureRuleSchema>;
export const CaptureRule = entityOf(CaptureRuleSchema);

/** A span that a rule has yet to be asked about: written with the end of the span, gone with the answer. */
export const CaptureTaskSchema = defineEntity({
  name: 'CaptureTask',
  tableName: 'capture_task',
  properties: {
    projectId: p.text().primary(),
    ruleId: p.text().primary(),
    spanId: p.text().primary(),
    failures: p.smallint(),
    /** When it may be tried (again). */
    dueAt: p.bigint('number'),
  },
  indexes: [{ name: 'capture_task_due', properties: ['dueAt'] }],
});

export type CaptureTaskRow = RowOf<typeof CaptureTaskSchema>;

/** A span that a rule has captured: at most one datapoint for both, for as long as the rule is there. */
export const CaptureSchema = defineEntity({
  name: 'Capture',
  tableName: 'capture',
  properties: {
    projectId: p.text().primary(),
    ruleId: p.text().primary(),
    spanId: p.text().primary(),
    datapointId: p.text(),
  },
});

export type CaptureRow = RowOf<typeof CaptureSchema>;

export const captureRuleTable = tableOf(CaptureRuleSchema, ['projectId', 'id']);
export const captureTaskTable = tableOf(CaptureTaskSchema, ['projectId', 'ruleId', 'spanId']);
export const captureTable = tableOf(CaptureSchema, ['projectId', 'ruleId', 'spanId']);
