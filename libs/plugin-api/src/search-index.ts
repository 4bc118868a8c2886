import type { PluginLogger } from './deps.js';

/** What a search index plugin gets in `setup`. */
export interface SearchIndexDeps {
  logger: PluginLogger;
}

/** The project whose documents a call is about. An index never answers across projects; ids are unique within one. */
export interface SearchScope {
  projectId: string;
}

/** What documents are filtered by. */
export interface SearchFields {
  trace_id: string;
  session_id: string | null;
  kind: string;
  model: string | null;
  provider: string | null;
  status: string;
  tags: string[];
  /** Milliseconds since the epoch. */
  started_at: number;
}

export interface SearchDocument {
  /** Span id: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`. Writing the same id again replaces the document whole. */
  id: string;
  /** Any language, well-formed, at most some ten thousand characters. */
  text: string;
  /** Absent where the project has no embeddings; such a document is found by text alone. */
  vector?: number[] | undefined;
  fields: SearchFields;
}

/** Filters of a query; every member that is present must match. */
export interface SearchFilters {
  trace_id?: string | undefined;
  session_id?: string | undefined;
  kind?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  status?: string | undefined;
  /** One of the document's tags. */
  tag?: string | undefined;
  /** Earliest `started_at`, milliseconds since the epoch; inclusive. */
  since?: number | undefined;
  /** Latest `started_at`, milliseconds since the epoch; exclusive. */
  until?: number | undefined;
}

/** A query by the words of a text, all of which a document must have, or by nearness to a vector. */
export type SearchQuery = { filters: SearchFilters; limit: number } & (
  | { mode: 'text'; text: string }
  | { mode: 'vector'; vector: number[] }
);

export interface SearchHit {
  id: string;
  /** Higher is better; compared within one answer only. */
  score: number;
}

/**
 * An external index over spans. Everything is idempotent. What a method throws means "not now": it is tried again later,
 * unless the error has a member `refused: true` (see {@link refusal}): then these very documents or this query cannot be
 * taken, however often they come. Methods give up by themselves after some seconds; none may hang.
 */
export interface SearchIndex {
  /** Writes documents; durable, and found by queries soon, when it resolves. */
  upsert(scope: SearchScope, documents: readonly SearchDocument[]): Promise<void>;
  /** Forgets documents by id; unknown ones do not matter. */
  remove(scope: SearchScope, ids: readonly string[]): Promise<void>;
  /** Forgets all documents of some traces. */
  removeTraces(scope: SearchScope, traceIds: readonly string[]): Promise<void>;
  /** Forgets all documents of the project. */
  clear(scope: SearchScope): Promise<void>;
  /**
   * Forgets some documents of the project: `limit` of them, or all that are left where those are fewer. A plugin that has
   * it is asked again and again instead of once for all by {@link clear}, which may take longer than a call should.
   * @returns how many went; fewer than `limit` when none is left.
   */
  clearSome?(scope: SearchScope, limit: number): Promise<number>;
  /** Best hits first, at most `limit`. */
  query(scope: SearchScope, query: SearchQuery): Promise<SearchHit[]>;
  /** Called once, when the process stops and no other call is under way. */
  close(): Promise<void>;
}

/** An error that says: this cannot be taken, however often it comes. See {@link SearchIndex}. */
export const refusal = (message: string, options?: ErrorOptions): Error & { refused: true } =>
  Object.assign(new Error(message, options), { refused: true as const });
