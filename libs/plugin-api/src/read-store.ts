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
  /** Dollars. */
  cost: number | null;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number | null;
  duration_ms: number | null;
  input: string | null;
  output: string | null;
  error: string | null;
}

/** Filters that a store may declare; every member that is present must match. */
export interface ReadStoreFilters {
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

/** Which spans of a project are asked for. */
export interface ReadStoreQuery {
  projectId: string;
  filters: ReadStoreFilters;
  /** Spans and traces that somebody else answers for. */
  except: { spans: readonly string[]; traces: readonly string[] };
  /** What the store must have at least. */
  has: ReadStoreState;
  limit: number;
}

/** A part of a sorted list: the spans that have the sorted value, or by their ids those that have none. */
export interface ReadStoreListQuery extends ReadStoreQuery {
  sort_by: ReadStoreSort;
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

/** Changes of any projects; what goes goes before what comes. */
export interface ReadStoreBatch extends ReadStoreState {
  removed: readonly { projectId: string; spans: readonly string[]; traces: readonly string[] }[];
  /** Whole spans. A span replaces the one with its project and id, unless that came with a later batch. */
  spans: readonly { projectId: string; span: ReadStoreSpan }[];
}

/**
 * A store beside the database that lists and counts spans quickly. It is derived: Spandrel fills it, batch by batch, and
 * asks the database for what is not in it yet. What a method throws means "not now": the database answers alone, and what
 * was to be written comes again. Methods give up by themselves after some seconds; none may hang.
 */
export interface ReadStore {
  readonly capabilities: ReadStoreCapabilities;
  /** Makes and migrates the tables. */
  open(): Promise<void>;
  /** What the store has; `null` when it has no content. */
  state(): Promise<ReadStoreState | null>;
  /** Forgets everything, and begins with other content at batch 0. */
  begin(content: string): Promise<void>;
  /**
   * Writes a batch, as a whole or in parts, and last that it has it: {@link state} never says more than is there. The same
   * batch may come again. Found by queries when it resolves.
   */
  apply(batch: ReadStoreBatch): Promise<void>;
  /** Forgets all spans of a project. */
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
  /** Called once, when the process stops and no other call is under way. */
  close(): Promise<void>;
}
