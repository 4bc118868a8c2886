import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, rawSql, tableOf, type RowOf } from '@spandrel/storage';

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
    /** JSON array of {@link RunScorer}; `null`: the one of `scoring` and `scoringConfig`. */
    scorers: p.text().nullable(),
    /** Empty for an external run, which calls nobody. */
    connectionId: p.text(),
    /** Another connection, for the judge. */
    judgeConnectionId: p.text().nullable(),
    /** {@link EXECUTION}. */
    execution: p.smallint().default(0),
    repeats: p.integer().default(1),
    passScore: p.double().$type<number>().default(1),
    /** {@link PASS_MODE}. */
    passMode: p.smallint().default(0),
    /** JSON: {@link EvalFilter}, the datapoints that it was to take; `null`: all. */
    filter: p.text().nullable(),
    /** Days back that answers of earlier runs are taken from; `null`: none are. */
    cacheDays: p.integer().nullable(),
    /** Samples whose answer an earlier run had. */
    reusedSamples: p.bigint('number').default(0),
    /** Runs that were started together have one. */
    groupId: p.text().nullable(),
    /** Former attempts of samples that were tried again, and what those cost that no row has any more, like {@link costUsd}. */
    retriedSamples: p.bigint('number').default(0),
    retriedUsd: p.bigint('number').default(0),
    retriedPico: p.bigint('number').default(0),
    /** The run with whose answers its scorers compare. */
    baselineRunId: p.text().nullable(),
    /** Dollars that its calls may cost. */
    costCap: p.double().$type<number>().nullable(),
    /** JSON array of {@link JudgedGate}; `null`: none. */
    gates: p.text().nullable(),
    /** JSON object of texts, which `eval_run_metadata` has too; `null`: none. */
    metadata: p.text().nullable(),
    /** Hash of the request that chose the id. */
    startHash: p.text().nullable(),
    total: p.bigint('number'),
    progress: p.bigint('number'),
    failedCount: p.bigint('number'),
    sampleProgress: p.bigint('number').default(0),
    failedSamples: p.bigint('number').default(0),
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
    /** Cost of the dearest sample so far with its judges', like {@link costUsd}; `null`: none has a cost. */
    dearestUsd: p.bigint('number').nullable(),
    dearestPico: p.bigint('number').nullable(),
    /** Standard error of the mean score, once the run is completed. */
    scoreSe: p.double().$type<number>().nullable(),
    /** JSON: {@link Interval}. */
    scoreCi: p.text().nullable(),
    /** JSON: {@link RunMeasures}, once the run is completed. */
    measures: p.text().nullable(),
    /** Whether all gates hold: 1 or 0. */
    passed: p.smallint().nullable(),
    /** {@link STOP_REASON}. */
    stopReason: p.smallint().nullable(),
    /** JSON string. */
    error: p.text().nullable(),
    /** Results of an external run that its server's scorers have not seen. */
    unscored: p.bigint('number').default(0),
    /** When an external run last got results. */
    resultAt: p.bigint('number').nullable(),
    /** When the caller of an external run said that no more results come. */
    closedAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
    startedAt: p.bigint('number').nullable(),
    endedAt: p.bigint('number').nullable(),
    /** JSON array of the samples that are being called: `[datapoint, repeat]`, or the id of the datapoint for repeat 0. */
    running: p.text(),
    /** The process that works on the run, and until when it is taken to be alive. */
    leaseOwner: p.text().nullable(),
    leaseUntil: p.bigint('number'),
  },
  indexes: [
    { name: 'eval_run_dataset', properties: ['projectId', 'datasetId', 'createdAt', 'id'] },
    { name: 'eval_run_newest', properties: ['projectId', 'createdAt', 'id'] },
    { name: 'eval_run_group', properties: ['projectId', 'groupId', 'createdAt', 'id'], where: 'group_id is not null' },
    { name: 'eval_run_unfinished', properties: ['status', 'leaseUntil'], where: 'status < 2' },
  ],
});

export type EvalRunRow = RowOf<typeof EvalRunSchema>;
export const EvalRun = entityOf(EvalRunSchema);

const itemKey = () => ({ projectId: p.text().primary(), runId: p.text().primary(), datapointId: p.text().primary() });

/** What became of a try, or of all tries of a datapoint. */
const outcomeColumns = () => ({
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
  /** Calls of the judge; `null`: none was asked. */
  judgeAttempts: p.integer().nullable(),
  judgeTokens: p.bigint('number').nullable(),
  judgeCost: p.double().$type<number>().nullable(),
  /** The trace of its calls, where the run makes traces. */
  traceId: p.text().nullable(),
  /** What the caller of an external run said. */
  spanId: p.text().nullable(),
  /** JSON object, of the same. */
  metadata: p.text().nullable(),
  /** JSON object of {@link ScorerResult} by name; `null`: what the other columns say of the only scorer. */
  scores: p.text().nullable(),
  /** Hash of an external result. */
  resultHash: p.text().nullable(),
  /** Hash of the call that the output came of, by which later runs find it; `null`: they are not to. */
  callHash: p.text().nullable(),
  /** The run that the output was taken from. */
  reusedRunId: p.text().nullable(),
});

/** What became of a datapoint in a run; one that has no row is pending, or running when its run says so. */
export const EvalResultSchema = defineEntity({
  name: 'EvalResult',
  tableName: 'eval_result',
  properties: {
    ...itemKey(),
    ...outcomeColumns(),
  },
  indexes: [{ name: 'eval_result_call', properties: ['projectId', 'callHash'], where: 'call_hash is not null' }],
});

export type EvalResultRow = RowOf<typeof EvalResultSchema>;

/**
 * One try of a datapoint, in runs that try each several times; `eval_result` has what they come to, once all are processed. In
 * runs that try each once, the result is the sample.
 */
export const EvalSampleSchema = defineEntity({
  name: 'EvalSample',
  tableName: 'eval_sample',
  properties: {
    ...itemKey(),
    /** From 0. */
    repeat: p.integer().primary(),
    ...outcomeColumns(),
  },
  indexes: [{ name: 'eval_sample_call', properties: ['projectId', 'callHash'], where: 'call_hash is not null' }],
});

export type EvalSampleRow = RowOf<typeof EvalSampleSchema>;

/** What became of a sample before it was tried again. */
export const EvalAttemptSchema = defineEntity({
  name: 'EvalAttempt',
  tableName: 'eval_attempt',
  properties: {
    ...itemKey(),
    repeat: p.integer().primary(),
    /** From 0. */
    attempt: p.integer().primary(),
    ...outcomeColumns(),
    /** 1: its output is kept, and scored again. */
    isKept: p.smallint(),
    retriedAt: p.bigint('number'),
  },
});

export type EvalAttemptRow = RowOf<typeof EvalAttemptSchema>;

/** A result of an external run that waits for scorers of the server. */
export const EvalSubmissionSchema = defineEntity({
  name: 'EvalSubmission',
  tableName: 'eval_submission',
  properties: {
    ...itemKey(),
    repeat: p.integer().primary(),
    /** JSON: {@link ExternalResult}. */
    result: p.text(),
    resultHash: p.text(),
  },
});

export type EvalSubmissionRow = RowOf<typeof EvalSubmissionSchema>;

/** A text of a run's `metadata`, by which runs are found. */
export const EvalRunMetadataSchema = defineEntity({
  name: 'EvalRunMetadata',
  tableName: 'eval_run_metadata',
  properties: {
    projectId: p.text().primary(),
    runId: p.text().primary(),
    key: p.text().primary(),
    value: p.text(),
  },
  indexes: [{ name: 'eval_run_metadata_key', properties: ['projectId', 'key', 'runId'] }],
});

export const evalRunTable = tableOf(EvalRunSchema, ['projectId', 'id']);
export const evalResultTable = tableOf(EvalResultSchema, ['projectId', 'runId', 'datapointId']);
export const evalSampleTable = tableOf(EvalSampleSchema, ['projectId', 'runId', 'datapointId', 'repeat']);
export const evalAttemptTable = tableOf(EvalAttemptSchema, [
  ...(['projectId', 'runId', 'datapointId', 'repeat', 'attempt'] as const),
]);
export const evalSubmissionTable = tableOf(EvalSubmissionSchema, ['projectId', 'runId', 'datapointId', 'repeat']);
export const evalRunMetadataTable = tableOf(EvalRunMetadataSchema, ['projectId', 'runId', 'key']);

/** Bytes of texts that one read of rows brings into memory, about. */
export const READ_BYTES = 16 * 1024 * 1024;

/** Bytes of the texts of a row of results, samples or attempts. */
export const outcomeSize = (alias: string) =>
  rawSql(
    ['output', 'score_reason', 'scores', 'metadata']
      .map((column) => `coalesce(octet_length(${alias}.${column}), 0)`)
      .join(' + '),
  );
