import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';
import type { StatusName } from '@spandrel/contract';
import { metadataIndexes, metadataProperties } from './metadata/metadata.entity.js';

/** Spans that start within so many bits of a millisecond count (2 h 20 min) share a time bucket. */
const BUCKET_BITS = 23;

/** The bucket of a span, as indexes have it; queries must write it alike. @param table its name or alias. */
export const bucketColumn = (table: string): string => `(${table}.started_at >> ${BUCKET_BITS})`;

/** When a bucket begins, in milliseconds since the epoch. */
export const bucketStart = (bucket: number): number => bucket * 2 ** BUCKET_BITS;

/** The bucket of a start. */
export const bucketOf = (startedAt: number): number => Math.floor(startedAt / 2 ** BUCKET_BITS);

/**
 * An index on a number that is anywhere: by value within a time bucket. By value alone every new span would change another
 * page of it, which at a million spans costs four fifths of the ingest; like this they change the few pages of the bucket
 * that is now. Readers go bucket by bucket: see `listing/value-lists.sql.ts`.
 */
const byBucket = (name: string, column: string) => ({
  name,
  expression: `create index ${name} on span (project_id, (started_at >> ${BUCKET_BITS}), ${column}, id) where ${column} is not null`,
});

const spanProperties = () => ({
  projectId: p.text().primary(),
  id: p.text().primary(),
  traceId: p.text(),
  parentId: p.text().nullable(),
  name: p.text(),
  /** {@link STATUS}. */
  status: p.smallint(),
  kindType: p.text(),
  model: p.text().nullable(),
  provider: p.text().nullable(),
  inputTokens: p.bigint('number').nullable(),
  outputTokens: p.bigint('number').nullable(),
  totalTokens: p.bigint('number').nullable(),
  /** Input tokens that were read from a cache. */
  cachedTokens: p.bigint('number').nullable(),
  /** Dollars: the caller's, or the estimate once the span is finished. */
  cost: p.double().$type<number>().nullable(),
  startedAt: p.bigint('number'),
  endedAt: p.bigint('number').nullable(),
  durationMs: p.bigint('number').nullable(),
  /** Hash of the create request when the client chose the id. */
  createHash: p.text().nullable(),
  /** Bits of {@link COVER}; `null` is none of them. */
  cover: p.smallint().nullable(),
  ...metadataProperties(),
});

type SpanIndex =
  | { name: string; properties: (keyof ReturnType<typeof spanProperties>)[]; where?: string }
  | { name: string; expression: string };

/** The indexes of spans. Every one costs ingest; each serves the list filtered or sorted by its column. */
const SPAN_INDEXES: SpanIndex[] = [
  { name: 'span_trace', properties: ['projectId', 'traceId', 'startedAt', 'id'] },
  { name: 'span_started_at', properties: ['projectId', 'startedAt', 'id'] },
  { name: 'span_model', properties: ['projectId', 'model', 'startedAt', 'id'], where: 'model is not null' },
  {
    name: 'span_provider',
    properties: ['projectId', 'provider', 'startedAt', 'id'],
    where: 'provider is not null',
  },
  { name: 'span_kind', properties: ['projectId', 'kindType', 'startedAt', 'id'] },
  { name: 'span_name', properties: ['projectId', 'name', 'startedAt', 'id'] },
  /** Serves the list sorted by name, in which spans of one name go by id. */
  { name: 'span_name_id', properties: ['projectId', 'name', 'id'] },
  { name: 'span_parent', properties: ['projectId', 'parentId', 'startedAt', 'id'], where: 'parent_id is not null' },
  byBucket('span_duration', 'duration_ms'),
  byBucket('span_tokens', 'total_tokens'),
  byBucket('span_cost', 'cost'),
  { name: 'span_unfinished', properties: ['projectId', 'status', 'startedAt', 'id'], where: 'status <> 1' },
  ...metadataIndexes('span'),
];

/**
 * A span without its payload: narrow, so that lists and scans touch little (docs/adr/0003-payload-split.md: 5 to 10
 * times faster at a million spans).
 */
export const SpanSchema = defineEntity({
  name: 'Span',
  tableName: 'span',
  properties: spanProperties(),
  indexes: SPAN_INDEXES,
});

export type SpanRow = RowOf<typeof SpanSchema>;

/** What leads from a span to its parent. */
export type SpanLink = Pick<SpanRow, 'id' | 'traceId' | 'parentId' | 'cover'>;

const payloadProperties = () => ({
  projectId: p.text().primary(),
  spanId: p.text().primary(),
  /** The kind that the caller sent; members that the service adds are added when it is shown. */
  kind: p.text(),
  input: p.text().nullable(),
  output: p.text().nullable(),
  metadata: p.text().nullable(),
  /** JSON string. */
  error: p.text().nullable(),
  /** What the read store must have as input and output, which the database gave away (ADR 0087); `null` where it has them. */
  coldDigest: p.bigint('number').nullable(),
  /** Sizes of what it gave away. */
  inputBytes: p.bigint('number').nullable(),
  outputBytes: p.bigint('number').nullable(),
});

/** What is written of a payload but when it turns cold. */
export const COLD_COLUMNS = ['coldDigest', 'inputBytes', 'outputBytes'] as const;
type ColdColumn = (typeof COLD_COLUMNS)[number];

/** What a span carries, as JSON text; never a JSON column, so that NUL, lone surrogates and big numbers survive. */
export const SpanPayloadSchema = defineEntity({
  name: 'SpanPayload',
  tableName: 'span_payload',
  properties: payloadProperties(),
});

type SpanPayloadRow = Omit<RowOf<typeof SpanPayloadSchema>, 'inputBytes' | 'outputBytes'>;

/** The payload on Postgres, where it lies in a partition of the day its span started (ADR 0013). */
export const DatedPayloadSchema = defineEntity({
  name: 'DatedPayload',
  tableName: 'span_payload',
  properties: { ...payloadProperties(), startedAt: p.bigint('number').primary() },
});

export type DatedPayloadRow = Omit<RowOf<typeof DatedPayloadSchema>, ColdColumn>;

/**
 * Where spans lie on Postgres, in one table that has no partitions: ids are unique whatever the day, and a span is
 * found by its id, or by its trace, without a look into every partition. Who writes to a span holds its row here.
 */
export const SpanKeySchema = defineEntity({
  name: 'SpanKey',
  tableName: 'span_key',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    traceId: p.text(),
    startedAt: p.bigint('number'),
  },
  indexes: [{ name: 'span_key_trace', properties: ['projectId', 'traceId', 'startedAt'] }],
});

/** The span on Postgres, where it lies in a partition of the day it started (ADR 0013). */
const DatedSpanSchema = defineEntity({
  name: 'DatedSpan',
  tableName: 'span',
  properties: { ...spanProperties(), startedAt: p.bigint('number').primary() },
  indexes: SPAN_INDEXES,
});

/**
 * The entities of spans as Postgres has them.
 * @public read by name: `npm run migration:create` compares the tables of Postgres with these.
 */
export const POSTGRES_ENTITIES = [DatedSpanSchema, DatedPayloadSchema, SpanKeySchema];

/** A span as a whole: its row and its payload. Never changed, always replaced. */
export type StoredSpan = Readonly<SpanRow & Omit<SpanPayloadRow, 'projectId' | 'spanId'>>;

/** Statuses as the tables hold them; completed, by far the most, is what the partial indexes leave out. */
export const STATUS = { running: 0, completed: 1, failed: 2 } as const satisfies Record<StatusName, number>;

const NAMES: readonly StatusName[] = ['running', 'completed', 'failed'];

export const statusName = (status: number): StatusName => NAMES[status] ?? 'running';
