import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A run with the sums over its items, which every processed item keeps in its own transaction. */
export const EvalRunSchema = defineEntity({
  name: 'EvalRun',
  tableName: 'eval_run',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    datasetId: p.text(),
    /** The snapshot: the datapoints of this version of the dataset (ADR 0007). */
    datasetVersion: p.bigint('number'),
    name: p.text(),
    /** {@link RUN_STATUS}. */
    status: p.smallint(),
    /** JSON: the configuration as every answer shows it. */
    config: p.text(),
    scoring: p.text(),
    /** JSON. */
    scoringConfig: p.text().nullable(),
    connectionId: p.text(),
    /** Another connection, for the judge. */
    judgeConnectionId: p.text().nullable(),
    total: p.bigint('number'),
    progress: p.bigint('number'),
    failedCount: p.bigint('number'),
    scoreSum: p.double().$type<number>(),
    scoreCount: p.bigint('number'),
    totalTokens: p.bigint('number'),
    /** Sum of the costs in whole dollars and trillionths of one; so for the judge's. */
    costUsd: p.bigint('number'),
    costPico: p.bigint('number'),
    costCount: p.bigint('number'),
    /** Items with tokens and without a cost; so for the judge's. */
    unpricedCount: p.bigint('number').default(0),
    judgeTokens: p.bigint('number'),
    judgeCostUsd: p.bigint('number'),
    judgeCostPico: p.bigint('number'),
    judgeCostCount: p.bigint('number'),
    judgeUnpricedCount: p.bigint('number').default(0),
    /** JSON string. */
    error: p.text().nullable(),
    createdAt: p.bigint('number'),
    startedAt: p.bigint('number').nullable(),
    endedAt: p.bigint('number').nullable(),
    /** JSON array: ids of the datapoints that are being called. */
    running: p.text(),
    /** The process that works on the run, and until when it is taken to be alive. */
    leaseOwner: p.text().nullable(),
    leaseUntil: p.bigint('number'),
  },
  indexes: [
    { name: 'eval_run_dataset', properties: ['projectId', 'datasetId', 'id'] },
    { name: 'eval_run_unfinished', properties: ['status', 'leaseUntil'], where: 'status < 2' },
  ],
});

export type EvalRunRow = RowOf<typeof EvalRunSchema>;
export const EvalRun = entityOf(EvalRunSchema);

/** What became of a datapoint in a run; one that has no row is pending, or running when its run says so. */
export const EvalResultSchema = defineEntity({
  name: 'EvalResult',
  tableName: 'eval_result',
  properties: {
    projectId: p.text().primary(),
    runId: p.text().primary(),
    datapointId: p.text().primary(),
    /** {@link RESULT_STATUS}. */
    status: p.smallint(),
    /** JSON string. */
    output: p.text().nullable(),
    score: p.double().$type<number>().nullable(),
    /** JSON string. */
    scoreReason: p.text().nullable(),
    latencyMs: p.bigint('number').nullable(),
    tokens: p.bigint('number').nullable(),
    /** Cost in dollars. */
    cost: p.double().$type<number>().nullable(),
    /** JSON string. */
    error: p.text().nullable(),
    attempts: p.integer(),
    judgeModel: p.text().nullable(),
    judgePromptHash: p.text().nullable(),
    judgeTokens: p.bigint('number').nullable(),
    judgeCost: p.double().$type<number>().nullable(),
    /** The trace of its calls, where the run makes traces. */
    traceId: p.text().nullable(),
  },
});

export type EvalResultRow = RowOf<typeof EvalResultSchema>;
