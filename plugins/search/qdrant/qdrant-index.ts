import {
  listOf,
  objectOf,
  refusal,
  type SearchDocument,
  type SearchHit,
  type SearchIndex,
  type SearchQuery,
  type SearchScope,
} from '@spandrel/plugin-api';
import {
  ensureCollection,
  MEANING,
  WORDS,
  type CollectionOptions,
  filterOf,
  oneOf,
  pointId,
  pointOf,
  queryVector,
} from './points.js';
import type { QdrantClient } from './qdrant-client.js';

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
