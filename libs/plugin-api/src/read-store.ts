import { createHash } from 'node:crypto';
import type { PluginLogger } from './deps.js';

/** What a read store plugin gets in `setup`. */
export interface ReadStoreDeps {
  logger: PluginLogger;
}

/** A span as a read store keeps it: what is filtered, sorted and added up. Texts are JSON, as the database has them. */
export interface ReadStoreSpan {
  id: string;
  trace_id: string;
  name: string;
  kind: string;
  model: string | null;
  provider: string | null;
  status: 'running' | 'completed' | 'failed';
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  cached_tokens: number | null;
  /** Dollars. */
  cost: number | null;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number | null;
  duration_ms: number | null;
  first_token_ms: number | null;
  input: string | null;
  output: string | null;
  error: string | null;
}

/** A trace as a read store keeps it: with what its spans come to. */
export interface ReadStoreTrace {
  id: string;
  name: string | null;
  session_id: string | null;
  user_id: string | null;
  /** Each once, in order. */
  tags: readonly string[];
  models: readonly string[];
  /** Members of the metadata: texts as they are, anything else as JSON. */
  metadata: Readonly<Record<string, string>>;
  status: ReadStoreSpan['status'];
  started_at: number;
  duration_ms: number | null;
  cost: number | null;
  total_tokens: number;
  span_count: number;
}

/** Filters on traces that a store may declare, for lists of traces and of their spans. */
interface OfTraces {
  session_id?: string | undefined;
  user_id?: string | undefined;
  /** All of them. */
  tag?: readonly string[] | undefined;
}

/** Filters that a store may declare; every member that is present must match. */
export interface ReadStoreFilters extends OfTraces {
  kind?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  status?: ReadStoreSpan['status'] | undefined;
  /** Earliest and latest start; the latter exclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** A literal part of the name, whatever the case of A to Z. */
  name_contains?: string | undefined;
  duration_min?: number | undefined;
  duration_max?: number | undefined;
  tokens_min?: number | undefined;
  cost_min?: number | undefined;
  /**
   * Parts of JSON texts, without letters A to Z, whatever the case of those in the text; `text` is input or output. A store
   * may find more than these: spans are looked at once more.
   */
  text_contains?: string | undefined;
  input_contains?: string | undefined;
  output_contains?: string | undefined;
  error_contains?: string | undefined;
}

/** Filters of lists of traces; `model` is that of any span. */
export type ReadStoreTraceFilters = OfTraces &
  Pick<
    ReadStoreFilters,
    | ('model' | 'status' | 'since' | 'until' | 'name_contains')
    | ('duration_min' | 'duration_max' | 'tokens_min' | 'cost_min')
  >;

/** By what lists of traces are sorted, and the member of a trace that holds it. */
export const READ_STORE_TRACE_SORTS = {
  started_at: 'started_at',
  duration: 'duration_ms',
  tokens: 'total_tokens',
  cost: 'cost',
  spans: 'span_count',
} as const satisfies Record<string, keyof ReadStoreTrace>;
export type ReadStoreTraceSort = keyof typeof READ_STORE_TRACE_SORTS;

/** By what spans are added up: members of their own, and of their traces; `metadata.KEY` is a member of these. */
export const READ_STORE_KEYS = {
  ...{ model: 'model', provider: 'provider', kind: 'kind', name: 'name', status: 'status' },
  ...{ user: 'user_id', session: 'session_id', trace_name: 'name', tag: 'tags' },
} as const satisfies Record<string, keyof ReadStoreSpan | keyof ReadStoreTrace>;
export type ReadStoreKey = keyof typeof READ_STORE_KEYS | `metadata.${string}`;

/** Keys that a trace says of its spans. */
export const isKeyOfTrace = (key: ReadStoreKey): boolean =>
  key.startsWith('metadata.') || ['user', 'session', 'trace_name', 'tag'].includes(key);

/** What is added up. A cost counts as whole dollars, millionths and trillionths: of at most 1e9 dollars, rounded. */
export const READ_STORE_MEASURES = [
  ...(['spans', 'tokens', 'input_tokens', 'cached_tokens', 'finished', 'duration_ms', 'errors'] as const),
  ...(['priced', 'unpriced', 'usd', 'micro', 'pico', 'scores', 'score_sum'] as const),
] as const;
export type ReadStoreMeasures = Record<(typeof READ_STORE_MEASURES)[number], number>;

/** What groups are ranked by: a measure, or what two of them come to. */
export const READ_STORE_RANKS = [
  ...(['count', 'cost', 'tokens', 'input_tokens', 'output_tokens'] as const),
  ...(['avg_latency', 'errors', 'error_rate', 'score_mean'] as const),
] as const;
export type ReadStoreRank = (typeof READ_STORE_RANKS)[number];

/** By what lists are sorted, and the member of a span that holds it. */
export const READ_STORE_SORTS = {
  started_at: 'started_at',
  duration: 'duration_ms',
  tokens: 'total_tokens',
  cost: 'cost',
  name: 'name',
} as const satisfies Record<string, keyof ReadStoreSpan>;
export type ReadStoreSort = keyof typeof READ_STORE_SORTS;

/** What a store can do; it is asked nothing else. */
export interface ReadStoreCapabilities {
  filters: readonly (keyof ReadStoreFilters)[];
  sorts: readonly ReadStoreSort[];
  /** Whether it gives texts by id and digests: the database may then give away what the store has. */
  byId?: boolean | undefined;
  traceFilters: readonly (keyof ReadStoreTraceFilters)[];
  traceSorts: readonly ReadStoreTraceSort[];
  /** Whether it adds spans up, by all {@link READ_STORE_KEYS}, and whether it counts how many took how long. */
  sums: boolean;
  percentiles: boolean;
}

/** A place in a sorted list: the sorted value of a span and its id. */
export interface ReadStorePosition {
  value: number | string | null;
  id: string;
}

/** How far a store has come: the content that it was begun for, and the last batch of that which it has. */
export interface ReadStoreState {
  content: string;
  batch: number;
}

/** Which traces, or which spans, of a project are asked for. */
export interface ReadStoreQueryOf<Filters> {
  projectId: string;
  filters: Filters;
  /** Spans that somebody else answers for: some, and all of some traces. */
  except: { spans: readonly string[]; traces: readonly string[] };
  /** Traces that are other than the store has them: those that went and, as they are, those that are there. */
  instead: { gone: readonly string[]; traces: readonly ReadStoreTrace[] };
  /** What the store must have at least. */
  has: ReadStoreState;
  limit: number;
}

export type ReadStoreQuery = ReadStoreQueryOf<ReadStoreFilters>;
export type ReadStoreTraceQuery = ReadStoreQueryOf<ReadStoreTraceFilters>;

/** A part of a sorted list: the spans that have the sorted value, or by their ids those that have none. */
export interface ReadStoreListQuery extends ReadStoreQuery, ReadStorePart {
  sort_by: ReadStoreSort;
}
export interface ReadStoreTraceListQuery extends ReadStoreTraceQuery, ReadStorePart {
  sort_by: ReadStoreTraceSort;
}
interface ReadStorePart {
  sort_order: 'asc' | 'desc';
  part: 'valued' | 'valueless';
  /** The place behind which it begins. */
  behind?: ReadStorePosition | undefined;
}

/** Spans whose texts are asked for; traces and starts are those that the store has. */
export interface ReadStoreTextsQuery extends Pick<ReadStoreQuery, 'projectId' | 'has'> {
  spans: readonly Pick<ReadStoreSpan, 'id' | 'trace_id' | 'started_at'>[];
}

/** The texts of a span. */
export type ReadStoreTexts = Pick<ReadStoreSpan, 'id' | 'input' | 'output'>;

/** Spans of a project that start within a range; `until` is exclusive. */
export interface ReadStoreRange extends Pick<ReadStoreQuery, 'projectId' | 'has'> {
  since: number;
  until: number;
}

/** How many spans a store has, and the sum of the digests of their texts, in digits ({@link textsDigest}). */
export interface ReadStoreDigest {
  count: number;
  sum: string;
}

/**
 * The digest of the texts of a span: the first five bytes, as a number, of the MD5 of its id, the number of bytes of its
 * input, and both texts.
 */
export function textsDigest({ id, input, output }: ReadStoreTexts): number {
  const text = `${id} ${Buffer.byteLength(input ?? '')} ${input ?? ''}${output ?? ''}`;
  return createHash('md5').update(text).digest().readUIntBE(0, 5);
}

/** Sums that somebody else has made of spans, or of their scores, that the store does not answer for. */
export interface ReadStoreGiven extends ReadStoreMeasures {
  started_at: number;
  trace_id: string;
  name: string | null;
  kind: string | null;
  model: string | null;
  provider: string | null;
  status: ReadStoreSpan['status'] | null;
  /** How long the one span took, and until its first token. */
  latency: number | null;
  first_token: number | null;
}

/** Spans are added up by time and by up to two keys. */
export interface ReadStoreSumQuery extends ReadStoreQuery {
  /** Buckets of a width, one of which starts at `origin`; `null`: one, which starts at 0. */
  bucket: { width: number; origin: number } | null;
  keys: readonly ReadStoreKey[];
  /** Groups that are distinguished: those with most of `rank`, then of spans, then in the order of their keys, none first. */
  top: number;
  rank: ReadStoreRank;
  /** Whether having no value for a key is a group; else it is with the others. */
  has_none: boolean;
  /** What is added to what the store has. */
  given: readonly ReadStoreGiven[];
  /** Where it counts how many spans took how long: from each of these milliseconds to the next. */
  steps: readonly number[];
  latencies: boolean;
  first_tokens: boolean;
}

/**
 * Sums of a bucket. A trace may have several tags: its spans count for each that is distinguished, and in their bucket once.
 * Rows are in the order of bucket, part and place.
 */
export interface ReadStoreSums extends ReadStoreMeasures {
  bucket: number;
  /** 0: of all groups; 1: of one group; 2, where no key is one of traces: of one group, and one part of all. */
  part: 0 | 1 | 2;
  /** The place of the group among those that are distinguished; `null` for all others together. */
  place: number | null;
  /** The keys of the group; a status by its place in running, completed, failed. */
  keys: readonly (string | null)[];
  /** Steps, and how many are of each. */
  latencies: readonly (readonly [number, number])[];
  first_tokens: readonly (readonly [number, number])[];
}

/** Changes of any projects; what goes goes before what comes. */
export interface ReadStoreBatch extends ReadStoreState {
  removed: readonly { projectId: string; spans: readonly string[]; traces: readonly string[] }[];
  /** Whole spans. A span replaces the one with its project and id, unless that came with a later batch. */
  spans: readonly { projectId: string; span: ReadStoreSpan }[];
  /** Traces, likewise. One that is in `removed` goes with its spans. */
  traces: readonly { projectId: string; trace: ReadStoreTrace }[];
}

/**
 * A store beside the database that lists, counts and adds up spans quickly. It is derived: Spandrel fills it, batch by batch, and
 * asks the database for what is not in it yet. What a method throws means "not now": the database answers alone, and what
 * was to be written comes again. Methods give up by themselves after some seconds; none may hang.
 */
export interface ReadStore {
  readonly capabilities: ReadStoreCapabilities;
  /** Called once by each server, before all else. */
  open(): Promise<void>;
  /** What the store has; `null` when it has no content, has lost some, or keeps it in the form of another version. */
  state(): Promise<ReadStoreState | null>;
  /** Forgets everything, and begins with other content at batch 0; makes what it keeps it in. */
  begin(content: string): Promise<void>;
  /**
   * Writes a batch, as a whole or in parts, and last that it has it: {@link state} never says more than is there. The same
   * batch may come again. Found by queries when it resolves.
   */
  apply(batch: ReadStoreBatch): Promise<void>;
  /** Forgets all spans and traces of a project. */
  clear(projectId: string): Promise<void>;
  /** Spans of a part of a list in order: by value, then by id, both compared by their bytes where they are texts. */
  list(query: ReadStoreListQuery): Promise<ReadStorePosition[]>;
  /** How many spans there are, up to `limit`. */
  count(query: ReadStoreQuery): Promise<number>;
  /** Input and output of spans, in any order, as they were given; those that it does not have are left out. */
  texts?(query: ReadStoreTextsQuery): Promise<ReadStoreTexts[]>;
  /** What it has of a range, read from the texts themselves. */
  digest?(query: ReadStoreRange): Promise<ReadStoreDigest>;
  /** Frees the room of what was replaced or deleted before, texts above all. It may take long. */
  purge?(): Promise<void>;
  listTraces(query: ReadStoreTraceListQuery): Promise<ReadStorePosition[]>;
  countTraces(query: ReadStoreTraceQuery): Promise<number>;
  /** Sums up to `limit` rows. */
  sum(query: ReadStoreSumQuery): Promise<ReadStoreSums[]>;
  /** Called once, when the process stops and no other call is under way. */
  close(): Promise<void>;
}
