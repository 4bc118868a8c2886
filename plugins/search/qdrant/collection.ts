import { objectOf } from '@spandrel/plugin-api';
import { QdrantError, type QdrantClient } from './qdrant-client.js';

export interface CollectionOptions {
  collection: string;
  dimensions: number;
}

/** Names of the two vectors of a point: of its meaning, and of its words. */
export const MEANING = 'meaning';
export const WORDS = 'words';

const KEYWORDS = ['trace_id', 'session_id', 'kind', 'model', 'provider', 'status', 'tags', 'terms'] as const;

/**
 * Makes the collection and the indexes of its payload where they are not there. All projects share it, with an index of
 * vectors for each of them (`is_tenant`, `payload_m`), as Qdrant recommends for many tenants.
 * @throws Error when the collection holds vectors of another length, and what the client throws.
 */
export async function ensureCollection(client: QdrantClient, options: CollectionOptions): Promise<void> {
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
