import type pg from 'pg';

/** What several servers that start at once wait for one another with. */
const LOCK = 0x5ea2c4;

/**
 * Makes schema, table and indexes where they are not there.
 * @throws Error when the table holds vectors of another length, and what Postgres throws.
 */
export async function createTable(
  pool: pg.Pool,
  { schema, dimensions }: { schema: string; dimensions: number },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    for (const statement of statementsOf(schema, dimensions)) await client.query(statement);
    await assertDimensions(client, schema, dimensions);
  });
}

/** Does work in a transaction on a connection of its own, which is closed where the transaction fails. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    isBroken = false;
    return result;
  } finally {
    client.release(isBroken);
  }
}

const statementsOf = (schema: string, dimensions: number): string[] => [
  'create extension if not exists vector',
  `create schema if not exists ${schema}`,
  `create table if not exists ${schema}.document (
     project_id text collate "C" not null, id text collate "C" not null, trace_id text collate "C" not null,
     session_id text, kind text not null, model text, provider text, status text not null, tags text[] not null,
     started_at bigint not null, terms tsvector not null, embedding halfvec(${dimensions}),
     primary key (project_id, id))`,
  `create index if not exists document_terms on ${schema}.document using gin (terms)`,
  `create index if not exists document_embedding on ${schema}.document using hnsw (embedding halfvec_cosine_ops)`,
  `create index if not exists document_trace on ${schema}.document (project_id, trace_id)`,
];

async function assertDimensions(client: pg.PoolClient, schema: string, dimensions: number): Promise<void> {
  const { rows } = await client.query<{ dimensions: number }>(
    `select atttypmod as dimensions from pg_attribute
     where attrelid = $1::regclass and attname = 'embedding' and not attisdropped`,
    [`${schema}.document`],
  );
  const there = rows[0]?.dimensions;
  if (there === dimensions) return;
  throw new Error(
    `${schema}.document holds vectors of ${there} dimensions, config says ${dimensions}: name another schema, or drop it`,
  );
}
