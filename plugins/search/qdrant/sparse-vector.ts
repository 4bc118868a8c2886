import { searchTerms } from '@spandrel/plugin-api';

/** Numbers of words and how much each counts, as Qdrant takes them: no number twice. */
export interface SparseVector {
  indices: number[];
  values: number[];
}

/** Words of a query at most; more would only make it slow. */
const QUERY_WORDS_MAX = 32;

/** How soon a word that is there again and again counts no more, and what a long text costs (BM25's k and b). */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
const LENGTH_USUAL = 300;

/** What a document's words count; how rare they are is Qdrant's part (modifier `idf`). */
export function sparseVector(terms: readonly string[]): SparseVector {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(numberOf(term), (counts.get(numberOf(term)) ?? 0) + 1);
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * terms.length) / LENGTH_USUAL);
  return {
    indices: [...counts.keys()],
    values: [...counts.values()].map((count) => (count * (SATURATION + 1)) / (count + norm)),
  };
}

/** The words of a query, each once. */
export const queryWords = (text: string): string[] =>
  [...new Set(searchTerms(text, 'query'))].slice(0, QUERY_WORDS_MAX);

/** @returns `undefined` when there is no word. */
export function queryVector(text: string): SparseVector | undefined {
  const indices = [...new Set(queryWords(text).map(numberOf))];
  return indices.length === 0 ? undefined : { indices, values: indices.map(() => 1) };
}

/** FNV-1a over UTF-16 units, 32 bits; that two words meet in one number changes a rank at most. */
function numberOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
