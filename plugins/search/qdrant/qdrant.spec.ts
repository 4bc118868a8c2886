import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SearchIndex } from '@spandrel/plugin-api';
import { describeSearchIndexContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import { startFakeQdrant, type FakeQdrant } from './fixtures/fake-qdrant.js';
import qdrant from './index.js';

const API_KEY = 'qdrant-key-8d1f';

let fake: FakeQdrant;
let index: SearchIndex;
const setUp = (config: object): Promise<SearchIndex> =>
  setUpPlugin(qdrant, { url: fake.url, api_key: API_KEY, dimensions: 3, ...config });

beforeAll(async () => {
  fake = await startFakeQdrant(API_KEY);
  index = await setUp({});
});
afterAll(() => fake?.close());

const SOME_URL = 'http://localhost:1';

describeSearchIndexContract(
  {
    plugin: qdrant,
    configs: {
      accepted: [
        { url: SOME_URL, dimensions: 3 },
        { url: SOME_URL, api_key: 'k', collection: 'other', timeout: 1 },
      ],
      refused: [{}, { url: 'qdrant:6333' }, { url: SOME_URL, collection: '../x' }, { url: SOME_URL, dimensions: 0 }],
    },
    provide: async () => index,
  },
  { describe, it },
);

const scope = { projectId: 'p' };
const byWord = { mode: 'text', text: 'tide', filters: {}, limit: 10 } as const;

describe('qdrant', () => {
  it('makes a collection for many tenants, with an index on every field that filters', async () => {
    await index.query(scope, byWord);
    const { body, indexed } = fake.collections.get('spandrel')!;
    expect(body).toEqual({
      vectors: { meaning: { size: 3, distance: 'Cosine' } },
      sparse_vectors: { words: { modifier: 'idf' } },
      hnsw_config: { m: 0, payload_m: 16 },
    });
    expect([...indexed].sort()).toEqual(
      'kind model project_id provider session_id started_at status tags terms trace_id'.split(' '),
    );
  });

  it('names points by UUIDs of project and span', async () => {
    const document = { id: 'a', text: 'x', fields: {} as never };
    await index.upsert(scope, [document]);
    await index.upsert({ projectId: 'q' }, [document]);
    const ids = [...fake.collections.get('spandrel')!.points.values()]
      .filter(({ payload }) => payload['project_id'] === 'p' || payload['project_id'] === 'q')
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('asks the collection for its shape once', async () => {
    fake.calls.length = 0;
    await index.query(scope, byWord);
    await index.query(scope, byWord);
    expect(fake.calls).toEqual(Array(2).fill('POST /collections/spandrel/points/query'));
  });

  it('does not need the server to start, and comes back with it', async () => {
    const own = await setUp({ collection: 'late' });
    fake.failWith = 503;
    await expect(own.query(scope, byWord)).rejects.toThrow('Qdrant answers HTTP 503: Error: out of order');
    fake.failWith = undefined;
    expect(await own.query(scope, byWord)).toEqual([]);
    const down = await setUp({ url: SOME_URL });
    await expect(down.query(scope, byWord)).rejects.toThrow();
  });

  it('says what cannot be taken, apart from what cannot be done now', async () => {
    const refused = async (status: number): Promise<unknown> => {
      fake.failWith = status;
      const error = await index.remove(scope, ['a']).catch((thrown: unknown) => thrown);
      fake.failWith = undefined;
      return (error as { refused?: unknown }).refused;
    };
    expect(await refused(400)).toBe(true);
    expect(await refused(500)).toBeUndefined();
    expect(await refused(429)).toBeUndefined();
  });

  it('shows its key to nobody but the server', async () => {
    const wrong = await setUp({ api_key: 'wrong-key-77' });
    const error = (await wrong.query(scope, byWord).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain('HTTP 401');
    expect(error.message).not.toContain('wrong-key-77');
  });

  it('says when the collection holds vectors of another length', async () => {
    const other = await setUp({ dimensions: 4 });
    await expect(other.query(scope, byWord)).rejects.toThrow(/holds vectors of 3 dimensions, config says 4/);
  });
});
