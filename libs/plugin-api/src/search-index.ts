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

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;

/** Letters and digits with the marks on them; an emoji is a word of its own. */
const WORDS = /[\p{L}\p{N}\p{M}_]+|\p{Extended_Pictographic}/gu;

/** Longest word that is kept, in UTF-16 units; what is beyond is cut off. */
const TERM_LENGTH_MAX = 64;

/**
 * The words of a text in any language, as a text index keeps and looks for them: compatibility forms and case are
 * folded. Scripts without spaces become every single character and every two in a row. In order, with repetitions.
 * @param purpose a query of two characters or more in a row asks for the pairs alone.
 */
export function searchTerms(text: string, purpose: 'document' | 'query'): string[] {
  const terms: string[] = [];
  for (const [word] of text.normalize('NFKC').toLowerCase().normalize('NFC').matchAll(WORDS)) {
    for (const run of runsOf(word)) {
      if (!UNSPACED.test(run[0]!)) terms.push(cut(run.join('')));
      else terms.push(...pairsOf(run, purpose));
    }
  }
  return terms;
}

function runsOf(word: string): string[][] {
  const runs: string[][] = [];
  let unspaced: boolean | undefined;
  for (const character of word) {
    // A mark belongs to what it stands on.
    const is = /^\p{M}$/u.test(character) && unspaced !== undefined ? unspaced : UNSPACED.test(character);
    if (is === unspaced) runs.at(-1)!.push(character);
    else runs.push([character]);
    unspaced = is;
  }
  return runs;
}

function pairsOf(run: readonly string[], purpose: 'document' | 'query'): string[] {
  const pairs = run.slice(1).map((character, index) => run[index]! + character);
  return purpose === 'query' && pairs.length > 0 ? pairs : [...run, ...pairs];
}

const cut = (term: string): string => term.slice(0, TERM_LENGTH_MAX).toWellFormed();
