import { createHash } from 'node:crypto';
import {
  searchTerms,
  type SearchDocument,
  type SearchFields,
  type SearchFilters,
  type SearchScope,
} from '@spandrel/plugin-api';
import { MEANING, WORDS } from './collection.js';
import { queryWords, sparseVector, type SparseVector } from './sparse-vector.js';

export interface Point {
  id: string;
  vector: { [MEANING]?: number[]; [WORDS]: SparseVector };
  payload: SearchFields & { project_id: string; span_id: string; terms: string[] };
}

/** A condition of a filter: on one value, some of which one must be there, or a range. */
export type Condition = { key: string } & (
  | { match: { value: string } | { any: readonly string[] } }
  | { range: { gte?: number; lt?: number } }
);

/** Points are named by UUIDs: one of project and span, always the same. */
export function pointId({ projectId }: SearchScope, spanId: string): string {
  const hex = createHash('sha256').update(`${projectId}\0${spanId}`).digest('hex');
  // Version 8: of the maker's own (RFC 9562, 5.8).
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export function pointOf(scope: SearchScope, { id, text, vector, fields }: SearchDocument): Point {
  const terms = searchTerms(text, 'document');
  return {
    id: pointId(scope, id),
    vector: { ...(vector !== undefined && { [MEANING]: vector }), [WORDS]: sparseVector(terms) },
    payload: { project_id: scope.projectId, span_id: id, ...fields, terms: [...new Set(terms)] },
  };
}

const MATCHED = {
  trace_id: 'trace_id',
  session_id: 'session_id',
  kind: 'kind',
  model: 'model',
  provider: 'provider',
  status: 'status',
  tag: 'tags',
} as const satisfies Partial<Record<keyof SearchFilters, string>>;

/** The points of a project that match all filters, and have all words of a text where there is one. */
export function filterOf(scope: SearchScope, filters: SearchFilters, text?: string): { must: Condition[] } {
  const must: Condition[] = [equals('project_id', scope.projectId)];
  for (const name of Object.keys(MATCHED) as (keyof typeof MATCHED)[]) {
    const value = filters[name];
    if (value !== undefined) must.push(equals(MATCHED[name], value));
  }
  const { since, until } = filters;
  if (since !== undefined || until !== undefined) {
    const range = { ...(since !== undefined && { gte: since }), ...(until !== undefined && { lt: until }) };
    must.push({ key: 'started_at', range });
  }
  if (text !== undefined) must.push(...queryWords(text).map((word) => equals('terms', word)));
  return { must };
}

export const oneOf = (key: string, values: readonly string[]): Condition => ({ key, match: { any: values } });

const equals = (key: string, value: string): Condition => ({ key, match: { value } });
