import {
  listOf,
  objectOf,
  refusal,
  type SearchDocument,
  type SearchHit,
  type SearchIndex,
  type SearchQuery,
  type SearchScope,
  searchTerms,
  type SearchFields,
  type SearchFilters,
} from '@spandrel/plugin-api';
import { type QdrantClient, QdrantError } from './qdrant-client.js';
import { createHash } from 'node:crypto';

/** Documents as points of one collection; asked for when first used, so that a server that is down stops no start. */
export class QdrantIndex implements SearchIndex {
  private ready: Promise<void> | undefined;
  private readonly points: string;

  constructor(
    private readonly client: QdrantClient,
    private readonly options: CollectionOptions,
  ) {
    this.points = `/collections/${options.collection}/points`;
  }

  async upsert(scope: SearchScope, documents: readonly SearchDocument[]): Promise<void> {
    if (documents.length === 0) return;
    for (const { vector } of documents) this.assertDimensions(vector);
    const points = new Map(documents.map((document) => [document.id, pointOf(scope, document)]));
    await this.send('PUT', `${this.points}?wait=true`, { points: [...points.values()] });
  }

  async remove(scope: SearchScope, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.send('POST', `${this.points}/delete?wait=true`, { points: ids.map((id) => pointId(scope, id)) });
  }

  async removeTraces(scope: SearchScope, traceIds: readonly string[]): Promise<void> {
    if (traceIds.length === 0) return;
    const filter = { must: [...filterOf(scope, {}).must, oneOf('trace_id', traceIds)] };
    await this.send('POST', `${this.points}/delete?wait=true`, { filter });
  }

  async clear(scope: SearchScope): Promise<void> {
    await this.send('POST', `${this.points}/delete?wait=true`, { filter: filterOf(scope, {}) });
  }

  async clearSome(scope: SearchScope, limit: number): Promise<number> {
    const request = { filter: filterOf(scope, {}), limit, with_payload: false, with_vector: false };
    const result = await this.send('POST', `${this.points}/scroll`, request);
    const ids = listOf(objectOf(result)['points']).map((point) => objectOf(point)['id']);
    if (ids.length > 0) await this.send('POST', `${this.points}/delete?wait=true`, { points: ids });
    return ids.length;
  }

  async query(scope: SearchScope, query: SearchQuery): Promise<SearchHit[]> {
    if (query.mode === 'vector') {
      this.assertDimensions(query.vector);
      return this.best({
        query: query.vector,
        using: MEANING,
        filter: filterOf(scope, query.filters),
        limit: query.limit,
      });
    }
    const words = queryVector(query.text);
    if (words === undefined) return [];
    const filter = filterOf(scope, query.filters, query.text);
    return this.best({ query: words, using: WORDS, filter, limit: query.limit });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async best(request: object): Promise<SearchHit[]> {
    const result = await this.send('POST', `${this.points}/query`, { ...request, with_payload: ['span_id'] });
    return listOf(objectOf(result)['points']).flatMap((point) => {
      const { score, payload } = objectOf(point);
      const { span_id: id } = objectOf(payload);
      return typeof id === 'string' && typeof score === 'number' ? [{ id, score }] : [];
    });
  }

  private async send(method: 'PUT' | 'POST', path: string, body: unknown): Promise<unknown> {
    this.ready ??= ensureCollection(this.client, this.options).catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    await this.ready;
    return this.client.send(method, path, body);
  }

  private assertDimensions(vector: readonly number[] | undefined): void {
    const { dimensions } = this.options;
    if (vector === undefined || vector.length === dimensions) return;
    throw refusal(
      `a vector has ${vector.length} dimensions where the index has ${dimensions}: config dimensions of qdrant`,
    );
  }
}

interface Point {
  id: string;
  vector: { [MEANING]?: number[]; [WORDS]: SparseVector };
  payload: SearchFields & { project_id: string; span_id: string; terms: string[] };
}

/** A condition of a filter: on one value, some of which one must be there, or a range. */
type Condition = { key: string } & (
  | { match: { value: string } | { any: readonly string[] } }
  | { range: { gte?: number; lt?: number } }
);

/** Points are named by UUIDs: one of project and span, always the same. */
function pointId({ projectId }: SearchScope, spanId: string): string {
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

function pointOf(scope: SearchScope, { id, text, vector, fields }: SearchDocument): Point {
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
function filterOf(scope: SearchScope, filters: SearchFilters, text?: string): { must: Condition[] } {
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

const oneOf = (key: string, values: readonly string[]): Condition => ({ key, match: { any: values } });

const equals = (key: string, value: string): Condition => ({ key, match: { value } });

interface CollectionOptions {
  collection: string;
  dimensions: number;
}

/** Names of the two vectors of a point: of its meaning, and of its words. */
const MEANING = 'meaning';
const WORDS = 'words';

const KEYWORDS = ['trace_id', 'session_id', 'kind', 'model', 'provider', 'status', 'tags', 'terms'] as const;

/**
 * Makes the collection and the indexes of its payload where they are not there. All projects share it, with an index of
 * vectors for each of them (`is_tenant`, `payload_m`), as Qdrant recommends for many tenants.
 * @throws Error when the collection holds vectors of another length, and what the client throws.
 */
async function ensureCollection(client: QdrantClient, options: CollectionOptions): Promise<void> {
  const path = `/collections/${options.collection}`;
  const there = await client.send('GET', path).catch((error: unknown) => {
    if (error instanceof QdrantError && error.status === 404) return undefined;
    throw error;
  });
  if (there === undefined) await create(client, path, options);
  else assertDimensions(there, options);
  // Repeating it does nothing.
  const index = (field_name: string, field_schema: unknown) =>
    client.send('PUT', `${path}/index?wait=true`, { field_name, field_schema });
  await index('project_id', { type: 'keyword', is_tenant: true });
  for (const field of KEYWORDS) await index(field, 'keyword');
  await index('started_at', 'integer');
}

async function create(client: QdrantClient, path: string, { dimensions }: CollectionOptions): Promise<void> {
  try {
    await client.send('PUT', path, {
      vectors: { [MEANING]: { size: dimensions, distance: 'Cosine' } },
      sparse_vectors: { [WORDS]: { modifier: 'idf' } },
      hnsw_config: { m: 0, payload_m: 16 },
    });
  } catch (error) {
    // Another server made it meanwhile.
    if (!(error instanceof QdrantError && error.status === 409)) throw error;
  }
}

function assertDimensions(result: unknown, { collection, dimensions }: CollectionOptions): void {
  const params = objectOf(objectOf(objectOf(result)['config'])['params']);
  const { size } = objectOf(objectOf(params['vectors'])[MEANING]);
  if (size === dimensions) return;
  throw new Error(
    `the collection ${collection} holds vectors of ${String(size)} dimensions, config says ${dimensions}: name another one`,
  );
}

/** Numbers of words and how much each counts, as Qdrant takes them: no number twice. */
interface SparseVector {
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
function sparseVector(terms: readonly string[]): SparseVector {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(numberOf(term), (counts.get(numberOf(term)) ?? 0) + 1);
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * terms.length) / LENGTH_USUAL);
  return {
    indices: [...counts.keys()],
    values: [...counts.values()].map((count) => (count * (SATURATION + 1)) / (count + norm)),
  };
}

/** The words of a query, each once. */
const queryWords = (text: string): string[] => [...new Set(searchTerms(text, 'query'))].slice(0, QUERY_WORDS_MAX);

/** @returns `undefined` when there is no word. */
function queryVector(text: string): SparseVector | undefined {
  const indices = [...new Set(queryWords(text).map(numberOf))];
  return indices.length === 0 ? undefined : { indices, values: indices.map(() => 1) };
}

/** FNV-1a over UTF-16 units, 32 bits; that two words meet in one number changes a rank at most. */
function numberOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
