/**
 * Input and output, one below the other, in small letters: what the text index is on. Needles of three characters or more are
 * found by their parts of three.
 */
export const TEXTS = `lower(concat(ifNull(input, ''), '\\n', ifNull(output, '')))`;

/** Columns of a trace, which come with questions too, where the store does not have it yet. */
export const TRACE_COLUMNS = `id String, name Nullable(String), session_id Nullable(String), user_id Nullable(String),
    tags Array(LowCardinality(String)), models Array(LowCardinality(String)), metadata Map(LowCardinality(String), String),
    status LowCardinality(String), started_at Int64, duration_ms Nullable(Int64), cost Nullable(Float64),
    total_tokens Int64, span_count Int64`;

export const TABLES = ['spans', 'traces', 'loader'];

/** What the comments of our tables begin with. */
export const OURS = 'Spandrel read store';
/** The comment of tables as they are made here: who changes one raises the number, and stores are filled from the start. */
export const FORM = `${OURS}, form 2`;

export const DAY_MS = 86_400_000;
/** Spans of other days share a partition: clocks that are wrong by decades do not make one each. */
const DAYS = { from: Date.UTC(2020), to: Date.UTC(2050) };
/** A day without changes for so long is merged into one part, in which nothing is looked for twice. */
const MERGED_AFTER_SECONDS = 3_600;

/** Statements that make the tables. Parts of a table are on disk before a batch is said to be there. */
export const tablesOf = (database: string): string[] => [
  `CREATE DATABASE IF NOT EXISTS ${database}`,
  `CREATE TABLE IF NOT EXISTS ${database}.spans (
    project_id LowCardinality(String),
    id String,
    trace_id String,
    name LowCardinality(String),
    kind LowCardinality(String),
    model LowCardinality(Nullable(String)),
    provider LowCardinality(Nullable(String)),
    status LowCardinality(String),
    input_tokens Nullable(Int64),
    output_tokens Nullable(Int64),
    total_tokens Nullable(Int64),
    cached_tokens Nullable(Int64),
    cost Nullable(Float64),
    started_at Int64,
    ended_at Nullable(Int64),
    duration_ms Nullable(Int64),
    first_token_ms Nullable(Int64),
    input Nullable(String) CODEC(ZSTD(3)),
    output Nullable(String) CODEC(ZSTD(3)),
    error Nullable(String) CODEC(ZSTD(3)),
    version UInt64,
    is_deleted UInt8,
    INDEX by_id id TYPE bloom_filter(0.01),
    INDEX by_trace trace_id TYPE bloom_filter(0.01),
    INDEX by_text ${TEXTS} TYPE text(tokenizer = ngrams(3))
  ) ENGINE = ReplacingMergeTree(version)
  PARTITION BY if(started_at >= ${DAYS.from} AND started_at < ${DAYS.to}, intDiv(started_at, ${DAY_MS}), 0)
  ORDER BY (project_id, intDiv(started_at, 60000), trace_id, id)
  SETTINGS min_age_to_force_merge_seconds = ${MERGED_AFTER_SECONDS}, min_age_to_force_merge_on_partition_only = 1,
    index_granularity_bytes = 10485760, non_replicated_deduplication_window = 1000,
    fsync_after_insert = 1, fsync_part_directory = 1 COMMENT '${FORM}'`,
  // A trace keeps its place wherever its start moves.
  `CREATE TABLE IF NOT EXISTS ${database}.traces (
    project_id LowCardinality(String),
    ${TRACE_COLUMNS},
    version UInt64,
    is_deleted UInt8
  ) ENGINE = ReplacingMergeTree(version)
  ORDER BY (project_id, id)
  SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1 COMMENT '${FORM}'`,
  `CREATE TABLE IF NOT EXISTS ${database}.loader (content String, batch UInt64)
  ENGINE = ReplacingMergeTree(batch) ORDER BY content SETTINGS fsync_after_insert = 1, fsync_part_directory = 1 COMMENT '${FORM}'`,
];

/** Where rows go when they are old: a volume of a storage policy of the server, such as a disk in S3. */
export interface ColdDisk {
  policy: string;
  volume: string;
  after_days: number;
}

/** Statements that have rows of spans moved to another disk once they are old; they may be run again. */
export const movedTo = (database: string, { policy, volume, after_days: days }: ColdDisk): string[] => [
  `ALTER TABLE ${database}.spans MODIFY SETTING storage_policy = '${policy}'`,
  `ALTER TABLE ${database}.spans MODIFY TTL toDateTime(intDiv(started_at, 1000)) + toIntervalDay(${days}) TO VOLUME '${volume}'`,
];
