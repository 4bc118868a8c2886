import type { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SearchIndex } from '@spandrel/plugin-api';
import { describeSearchIndexContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import { openVectorPostgres } from '../../../test/support/vector-postgres.js';
import pgvector from './index.js';

let database: PGlite;
let server: PGLiteSocketServer;
let url: string;
let index: SearchIndex;

const setUp = (config: object): Promise<SearchIndex> =>
  setUpPlugin(pgvector, { url, dimensions: 3, pool_max: 1, ...config });

beforeAll(async () => {
  database = await openVectorPostgres();
  server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1', maxConnections: 8 });
  await server.start();
  url = `postgres://postgres@${server.getServerConn()}/postgres`;
  index = await setUp({});
});
afterAll(async () => {
  await index?.close();
  await server?.stop();
  await database?.close();
});

const SOME_URL = 'postgres://localhost:1/none';

describeSearchIndexContract(
  {
    plugin: pgvector,
    configs: {
      accepted: [
        { url: SOME_URL, dimensions: 3 },
        { url: SOME_URL },
        { url: SOME_URL, schema: 'elsewhere', pool_max: 1 },
      ],
      refused: [{ url: SOME_URL, dimensions: 0 }, { url: SOME_URL, schema: 'a"; drop' }, { uri: SOME_URL }],
    },
    provide: async () => index,
  },
  { describe, it },
);

const scope = { projectId: 'p' };
const byWord = { mode: 'text', text: 'tide', filters: {}, limit: 10 } as const;

describe('pgvector', () => {
  it('wants a URL', async () => {
    const { DATABASE_URL: before } = process.env;
    delete process.env['DATABASE_URL'];
    try {
      await expect(async () => setUpPlugin(pgvector, {})).rejects.toThrow(/DATABASE_URL/);
    } finally {
      if (before !== undefined) process.env['DATABASE_URL'] = before;
    }
  });

  it('does not need the database to start', async () => {
    const down = await setUp({ url: SOME_URL });
    await expect(down.query(scope, byWord)).rejects.toThrow(/ECONNREFUSED/);
    await down.close();
  });

  it('says when the table holds vectors of another length', async () => {
    await index.query(scope, byWord);
    const other = await setUp({ dimensions: 4 });
    await expect(other.query(scope, byWord)).rejects.toThrow(/holds vectors of 3 dimensions, config says 4/);
    await other.close();
  });

  it('looks for words and vectors by indexes', async () => {
    await index.query(scope, byWord);
    const { rows } = await database.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = 'spandrel_search'`,
    );
    const definitions = rows.map(({ indexdef }) => indexdef).join('\n');
    expect(definitions).toContain('USING gin (terms)');
    expect(definitions).toContain('USING hnsw (embedding halfvec_cosine_ops)');
  });
});
