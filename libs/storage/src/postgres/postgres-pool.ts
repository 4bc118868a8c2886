import { Pool, TypeOverrides } from 'pg';
import { StartError, type Logger } from '@spandrel/kernel';

const INT8 = 20;
const NUMERIC = 1700;

/**
 * The connection pool that everything shares. 64-bit integers and numerics come back as numbers.
 * @param url `postgres://…`, as DATABASE_URL has it.
 */
export function openPool(url: string, poolMax: number, logger: Logger): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  for (const oid of [1082, 1114, 1184, 1186]) types.setTypeParser(oid, (text: string) => text);
  const pool = new Pool({
    connectionString: url,
    max: poolMax,
    types,
    application_name: 'spandrel',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // Without listeners a connection that the server drops would end the process.
  pool.on('connect', (client) =>
    client.on('error', (error) => logger.warn({ err: error }, 'database connection lost')),
  );
  pool.on('error', (error) => logger.warn({ err: error }, 'idle database connection lost'));
  return pool;
}

/** @throws StartError when the server cannot be reached or its database cannot hold every text. */
export async function assertUsable(pool: Pool): Promise<void> {
  let encoding: string;
  try {
    const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding');
    encoding = rows[0]!.server_encoding;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw new StartError([`DATABASE_URL: the database cannot be reached: ${message || (code ?? 'unknown error')}`]);
  }
  if (encoding !== 'UTF8') {
    throw new StartError([`DATABASE_URL: the database must have the encoding UTF8, it has ${encoding}`]);
  }
}
