import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';
import { metadataIndexes, metadataProperties } from './metadata/metadata.entity.js';

/**
 * A trace with the roll-up of its spans, which every span write keeps in its own transaction.
 * Times are milliseconds since the epoch; JSON is kept as text, so that both databases keep every value exactly.
 * A project belongs to one organization, so `project_id` is also what a distributed database would be split by.
 */
export const TraceSchema = defineEntity({
  name: 'Trace',
  tableName: 'trace',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text().nullable(),
    sessionId: p.text().nullable(),
    userId: p.text().nullable(),
    /** JSON array of strings, as sent. */
    tags: p.text(),
    /** JSON object. */
    metadata: p.text(),
    startedAt: p.bigint('number'),
    /** Hash of the create request when the client chose the id. */
    createHash: p.text().nullable(),
    /** {@link STATUS}, derived from the counts. */
    status: p.smallint(),
    spanCount: p.integer(),
    runningCount: p.integer(),
    errorCount: p.integer(),
    totalTokens: p.bigint('number'),
    /** Sum of the costs in whole dollars and trillionths of one: sums and differences stay exact. */
    costUsd: p.bigint('number'),
    costPico: p.bigint('number'),
    costCount: p.integer(),
    /** LLM calls. */
    callCount: p.integer().default(0),
    /** Spans with tokens and without a cost. */
    unpricedCount: p.integer().default(0),
    /** JSON array of `[model, number of spans]`, sorted by model. */
    models: p.text(),
    /** Latest end of a span, whether or not another one still runs. */
    lastEndedAt: p.bigint('number').nullable(),
    /** JSON: which members spans reported, see `trace-row.ts`; `null` when only native calls wrote the trace. */
    origins: p.text().nullable(),
    ...metadataProperties(),
  },
  indexes: [
    { name: 'trace_started_at', properties: ['projectId', 'startedAt', 'id'] },
    {
      name: 'trace_session',
      properties: ['projectId', 'sessionId', 'startedAt', 'id'],
      where: 'session_id is not null',
    },
    {
      // With what users are sorted by, so that no trace is read for it (ADR 0090).
      name: 'trace_user',
      properties: [
        ...(['projectId', 'userId', 'startedAt', 'id', 'costUsd', 'costPico', 'costCount'] as const),
        ...(['callCount', 'totalTokens', 'errorCount'] as const),
      ],
      where: 'user_id is not null',
    },
    { name: 'trace_unfinished', properties: ['projectId', 'status', 'startedAt', 'id'], where: 'status <> 1' },
    ...metadataIndexes('trace'),
  ],
});

export type TraceRow = RowOf<typeof TraceSchema>;

/** Milliseconds from the start of a trace to its last end; `null` while a span runs or none has come. */
export const lengthOfTrace = ({ spanCount, runningCount, lastEndedAt, startedAt }: TraceRow): number | null =>
  spanCount === 0 || runningCount > 0 || lastEndedAt === null ? null : Math.max(0, lastEndedAt - startedAt);

/** One row a distinct tag of a trace, in list order, so that a tag finds its newest traces first. */
export const TraceTagSchema = defineEntity({
  name: 'TraceTag',
  tableName: 'trace_tag',
  properties: {
    projectId: p.text().primary(),
    tag: p.text().primary(),
    startedAt: p.bigint('number').primary(),
    traceId: p.text().primary(),
  },
});

export type TraceTagRow = RowOf<typeof TraceTagSchema>;

/** A span that has not come yet, or was deleted, and has usage below it (ADR 0024). */
export const UsageMarkSchema = defineEntity({
  name: 'UsageMark',
  tableName: 'usage_mark',
  properties: {
    projectId: p.text().primary(),
    traceId: p.text().primary(),
    /** 16 hex digits: the id that the sender gave. */
    spanId: p.text().primary(),
  },
});
