import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

/** What somebody or something said of a trace, a span or a session. Times are milliseconds since the epoch. */
export const ScoreSchema = defineEntity({
  name: 'Score',
  tableName: 'score',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    value: p.double().$type<number>().nullable(),
    label: p.text().nullable(),
    comment: p.text().nullable(),
    source: p.text(),
    author: p.text(),
    /** The trace, also of a span's score; `null` for a session. */
    traceId: p.text().nullable(),
    spanId: p.text().nullable(),
    sessionId: p.text().nullable(),
    /** The model of the span, as far as it was known. */
    model: p.text().nullable(),
    ruleId: p.text().nullable(),
    queueItemId: p.text().nullable(),
    /** The name of the definition that it fits. */
    config: p.text().nullable(),
    /** JSON object. */
    metadata: p.text(),
    /** JSON array of earlier values, as the wire shows them. */
    revisions: p.text(),
    /** 1 where what it is about was not chosen for a reason: its `metadata.selected_by` says `random`, or nothing. */
    isRandom: p.smallint(),
    /** When the trace, the span or the session began. */
    targetAt: p.bigint('number'),
    /** When the trace began, also of a span's score; `null` for a session. */
    traceAt: p.bigint('number').nullable(),
    /** 1 until its span arrives. */
    isAwaiting: p.smallint().default(0),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
  indexes: [
    { name: 'score_created', properties: ['projectId', 'createdAt', 'id'] },
    // In the order of lists; the rest answers a filter without a look at the row.
    { name: 'score_name', properties: ['projectId', 'name', 'targetAt', 'spanId', 'value', 'label'] },
    { name: 'score_trace_start', properties: ['projectId', 'name', 'traceAt', 'traceId', 'value', 'label'] },
    { name: 'score_awaiting', properties: ['projectId', 'spanId'], where: 'is_awaiting = 1' },
    // By what they say; the rest sorts few of them without a look at the rows.
    { name: 'score_value', properties: ['projectId', 'name', 'value', 'spanId', 'traceId', 'targetAt', 'traceAt'] },
    { name: 'score_label', properties: ['projectId', 'name', 'label', 'spanId', 'traceId', 'targetAt', 'traceAt'] },
    { name: 'score_trace', properties: ['projectId', 'traceId', 'createdAt', 'id'], where: 'trace_id is not null' },
    { name: 'score_span', properties: ['projectId', 'spanId', 'createdAt', 'id'], where: 'span_id is not null' },
    {
      name: 'score_session',
      properties: ['projectId', 'sessionId', 'createdAt', 'id'],
      where: 'session_id is not null',
    },
  ],
});

export type ScoreRow = RowOf<typeof ScoreSchema>;
export const Score = entityOf(ScoreSchema);
export const scoreTable = tableOf(ScoreSchema, ['projectId', 'id']);

/** What scores of a name look like. */
export const ScoreDefinitionSchema = defineEntity({
  name: 'ScoreDefinition',
  tableName: 'score_definition',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    kind: p.text(),
    min: p.double().$type<number>().nullable(),
    max: p.double().$type<number>().nullable(),
    /** JSON array of `{label, value}`. */
    categories: p.text(),
    level: p.text(),
    description: p.text().nullable(),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
  uniques: [{ name: 'score_definition_name', properties: ['projectId', 'name'] }],
});

export type ScoreDefinitionRow = RowOf<typeof ScoreDefinitionSchema>;
export const ScoreDefinitionEntity = entityOf(ScoreDefinitionSchema);
export const scoreDefinitionTable = tableOf(ScoreDefinitionSchema, ['projectId', 'id']);

/**
 * What scores come to by the hour of what they are about, name, source, model and label; kept in the transaction of every write.
 */
export const ScoreRollupSchema = defineEntity({
  name: 'ScoreRollup',
  tableName: 'score_rollup',
  properties: {
    projectId: p.text().primary(),
    name: p.text().primary(),
    /** Start of the hour in milliseconds since the epoch, UTC. */
    bucket: p.bigint('number').primary(),
    source: p.text().primary(),
    /** `=` and the model of the span; empty for none: a key cannot be null. */
    model: p.text().primary(),
    /** `=` and the label, like `model`. */
    label: p.text().primary(),
    scoreCount: p.bigint('number'),
    /** Scores with a value, the sum of these and of their squares, and the ends of their range. */
    valueCount: p.bigint('number'),
    valueSum: p.double().$type<number>(),
    squareSum: p.double().$type<number>(),
    valueMin: p.double().$type<number>().nullable(),
    valueMax: p.double().$type<number>().nullable(),
  },
});

export type ScoreRollupRow = RowOf<typeof ScoreRollupSchema>;
