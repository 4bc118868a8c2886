import { defineEntity, p } from '@mikro-orm/core';
import { type RowOf, tableOf } from '@spandrel/storage';

/** How much time a row of the roll-up stands for; `wholeHour` is an hour of all models, providers and kinds together. */
export const GRAIN = { all: 0, day: 1, hour: 2, wholeHour: 3, minute: 4 } as const;
export type Grain = (typeof GRAIN)[keyof typeof GRAIN];

/**
 * Sums over the spans that started in a minute, in an hour, in a day, and ever, by model, provider, status and whether they are LLM
 * calls; kept in the transaction of every span write. In several grains, so that no question reads many rows.
 */
export const RollupSchema = defineEntity({
  name: 'Rollup',
  tableName: 'analytics_rollup',
  properties: {
    projectId: p.text().primary(),
    grain: p.smallint().primary(),
    /** Start in milliseconds since the epoch, UTC; 0 for `all`. */
    bucket: p.bigint('number').primary(),
    /** `=` and the name; empty for none: a key cannot be null. */
    model: p.text().primary(),
    /** `=` and the name, like `model`. */
    provider: p.text().primary(),
    status: p.smallint().primary(),
    llm: p.smallint().primary(),
    spanCount: p.bigint('number'),
    /** Sums of whole numbers: exact up to 2^53, and beyond never an overflow. */
    tokens: p.double().$type<number>(),
    durationMs: p.double().$type<number>(),
    /** Sum of the costs in whole dollars and trillionths of one, as in a trace. */
    costUsd: p.bigint('number'),
    costPico: p.bigint('number'),
    costCount: p.bigint('number'),
    unpricedCount: p.bigint('number').default(0),
    /** Tokens of inputs, and those of them that were read from a cache. */
    inputTokens: p.double().$type<number>().default(0),
    cachedTokens: p.double().$type<number>().default(0),
    /** How long the finished spans took, as `LatencyHistogram` writes it; nothing in the grain `all`. */
    latencies: p.text().default(''),
  },
});

export type RollupRow = RowOf<typeof RollupSchema>;

export const ROLLUP_KEY = ['projectId', 'grain', 'bucket', 'model', 'provider', 'status', 'llm'] as const;
export type RollupKey = Pick<RollupRow, (typeof ROLLUP_KEY)[number]>;

/** The columns that are added up each by itself; those of the cost carry over. */
export const SUMMED = [
  'spanCount',
  'tokens',
  'inputTokens',
  'cachedTokens',
  'durationMs',
  'costCount',
  'unpricedCount',
] as const;

export const compareKeys = (a: RollupKey, b: RollupKey): number =>
  compareText(a.projectId, b.projectId) ||
  a.grain - b.grain ||
  a.bucket - b.bucket ||
  compareText(a.model, b.model) ||
  compareText(a.provider, b.provider) ||
  a.status - b.status ||
  a.llm - b.llm;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What the roll-up of spans does not know of a project. */
export const AnalyticsTotalSchema = defineEntity({
  name: 'AnalyticsTotal',
  tableName: 'analytics_total',
  properties: {
    projectId: p.text().primary(),
    traceCount: p.bigint('number'),
  },
});

export type AnalyticsTotalRow = RowOf<typeof AnalyticsTotalSchema>;

export const rollupTable = tableOf(RollupSchema, ROLLUP_KEY);
