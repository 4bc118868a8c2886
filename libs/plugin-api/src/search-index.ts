import type { PluginLogger } from './deps.js';

/** What a search index plugin gets in `setup`. */
export interface SearchIndexDeps {
  logger: PluginLogger;
}

/** Which tenant a document belongs to; an index never answers across projects. */
export interface SearchScope {
  orgId: string;
  projectId: string;
}

export interface SearchDocument {
  /** Span id; writing the same id again replaces the document. */
  id: string;
  text: string;
  /** Absent where the index is used for text only. */
  vector?: number[];
  /** Exact-match fields for filters. */
  fields: Record<string, string | number | string[] | null>;
}

export interface SearchQuery {
  mode: 'text' | 'vector' | 'hybrid';
  text: string;
  vector?: number[];
  filters: Record<string, string | number>;
  limit: number;
}

/** An external index over spans. Writes are idempotent; an error is retried by the caller. */
export interface SearchIndex {
  upsert(scope: SearchScope, documents: SearchDocument[]): Promise<void>;
  remove(scope: SearchScope, ids: string[]): Promise<void>;
  clear(scope: SearchScope): Promise<void>;
  /** Best hits first. */
  query(scope: SearchScope, query: SearchQuery): Promise<{ id: string; score: number }[]>;
  close(): Promise<void>;
}
