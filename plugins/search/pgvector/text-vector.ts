import { searchTerms } from '@spandrel/plugin-api';

/** Limits of Postgres: the last position, and how many positions a word may have. */
const POSITION_MAX = 16_383;
const POSITIONS_MAX = 255;

/** Words of a query at most; more would only make it slow. */
const QUERY_TERMS_MAX = 32;

/** The words of a document as the text form of a `tsvector`, with their places: how often a word is there ranks it. */
export function textVector(text: string): string {
  const places = new Map<string, number[]>();
  for (const [at, term] of searchTerms(text, 'document').entries()) {
    const known = places.get(term);
    if (!known) places.set(term, [Math.min(at + 1, POSITION_MAX)]);
    else if (known.length < POSITIONS_MAX && at < POSITION_MAX) known.push(at + 1);
  }
  return [...places].map(([term, at]) => `${quoted(term)}:${at.join(',')}`).join(' ');
}

/** A query for documents that have all words, as the text form of a `tsquery`; `undefined` when there is no word. */
export function textQuery(text: string): string | undefined {
  const terms = [...new Set(searchTerms(text, 'query'))].slice(0, QUERY_TERMS_MAX);
  return terms.length === 0 ? undefined : terms.map(quoted).join(' & ');
}

/** Words hold letters, marks, digits and emoji alone; quoted all the same. */
const quoted = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`;
