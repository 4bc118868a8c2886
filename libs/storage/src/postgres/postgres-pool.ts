import { Pool, TypeOverrides, type ClientBase, Client, type Connection, type PoolClient } from 'pg';
import { StartError, type Logger, withinMs } from '@spandrel/kernel';

/** How long a statement waits for a lock that another transaction holds; a waiting migration lets others pass sooner. */
const LOCK_MS_MAX = 10_000;
const MIGRATION_LOCK_MS_MAX = 2_000;
/** How long a transaction may do nothing: this process is gone, or hangs, and must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

/** What is kept on a connection from one transaction to the next; a pooler in transaction mode would lose or mix it. */
export interface ConnectionKeeping {
  /** Sets the timeouts, on a new connection; nothing where nothing is kept. */
  onConnect: string;
  begin: string;
  prepares: boolean;
}

/** @param isPooled whether a pooler in transaction mode is on the way. @param statementTimeoutMs `null`: none. */
export function connectionKeeping(isPooled: boolean, statementTimeoutMs: number | null): ConnectionKeeping {
  if (!isPooled) return { onConnect: timeouts('set', statementTimeoutMs), begin: 'begin; ', prepares: true };
  return { onConnect: '', begin: `begin; ${timeouts('set local', statementTimeoutMs)}`, prepares: false };
}

function timeouts(set: 'set' | 'set local', statementTimeoutMs: number | null): string {
  const lockMs =
    statementTimeoutMs === null ? MIGRATION_LOCK_MS_MAX : Math.min(LOCK_MS_MAX, Math.ceil(statementTimeoutMs / 2));
  const idleMs = statementTimeoutMs === null ? 0 : IDLE_IN_TRANSACTION_MS_MAX;
  return `${set} statement_timeout = ${statementTimeoutMs ?? 0}; ${set} lock_timeout = ${lockMs};
    ${set} idle_in_transaction_session_timeout = ${idleMs}; `;
}

const INT8 = 20;
const NUMERIC = 1700;
/** The versions that the tests and the documentation speak of: 15 to 18. */
const VERSION_MIN = 15;
const VERSION_MAX = 18;
/** How long a statement waits for a connection, and a connection for its server. */
const CONNECT_MS_MAX = 5_000;
/** How much later than the server this process gives a statement up: the server may be out of reach. */
const CLIENT_LATER_MS = 5_000;

export interface PoolOptions {
  url: string;
  max: number;
  /** How long a statement may take; `null`: as long as it takes, for migrations, which wait but shortly for locks. */
  statementTimeoutMs: number | null;
  keeping: ConnectionKeeping;
  logger: Logger;
}

const serverLives = new WeakMap<ClientBase, string>();

/** What of the server changes when it may have lost transactions: it crashed, or another one took its place. */
export const SERVER_LIFE = "(select coalesce(stats_reset::text, '') from pg_stat_bgwriter)";

export const serverLifeOf = (client: ClientBase): string | undefined => serverLives.get(client);

/**
 * A connection pool. 64-bit integers and numerics come back as numbers. The timeouts are set by a statement on every
 * new connection: PgBouncer refuses a connection that brings them along.
 */
export function openPool({ url, max, statementTimeoutMs, keeping, logger }: PoolOptions): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  for (const oid of [1082, 1114, 1184, 1186]) types.setTypeParser(oid, (text: string) => text);
  const pool = new Pool({
    connectionString: url,
    max,
    types,
    application_name: 'spandrel',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    ...(statementTimeoutMs !== null && { query_timeout: statementTimeoutMs + CLIENT_LATER_MS }),
    keepAlive: true,
    // Statements that are sent together are on the way together: see `PostgresTx`.
    ...{ pipeline: true },
    // Awaited by the pool, whatever its types say.
    onConnect: (client) => prepare(client, keeping) as unknown as void,
  });
  // Without listeners a connection that the server drops would end the process. One that is being closed is not lost.
  const lost = (error: Error, message: string): void => {
    if (!pool.ending) logger.warn({ err: error }, message);
  };
  pool.on('connect', (client) => client.on('error', (error) => lost(error, 'database connection lost')));
  pool.on('error', (error) => lost(error, 'idle database connection lost'));
  return pool;
}

async function prepare(client: ClientBase, { onConnect }: ConnectionKeeping): Promise<void> {
  // An array where there are several statements.
  const results: unknown = await client.query(`${onConnect}select ${SERVER_LIFE} as life`);
  const last = (Array.isArray(results) ? results.at(-1) : results) as { rows: { life: string }[] };
  serverLives.set(client, last.rows[0]!.life);
}

/** @throws StartError, without a password, when the server cannot be reached, is too old, or cannot hold every text. */
export async function assertUsable(pool: Pick<Pool, 'query'>, url: string, logger: Logger): Promise<void> {
  if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new StartError(['DATABASE_URL: it must be like postgres://user:password@host:5432/name']);
  }
  let server: { encoding: string; version: string };
  try {
    const { rows } = await pool.query<typeof server>(
      "select current_setting('server_encoding') as encoding, current_setting('server_version') as version",
    );
    server = rows[0]!;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const reason = withoutPassword(message || (code ?? 'unknown error'), url);
    throw new StartError([`DATABASE_URL: the database cannot be reached: ${reason}`]);
  }
  const major = Number.parseInt(server.version, 10);
  if (major < VERSION_MIN) {
    throw new StartError([
      `DATABASE_URL: Spandrel needs Postgres ${VERSION_MIN} to ${VERSION_MAX}, the server is Postgres ${server.version}`,
    ]);
  }
  if (server.encoding !== 'UTF8') {
    throw new StartError([`DATABASE_URL: the database must have the encoding UTF8, it has ${server.encoding}`]);
  }
  if (major > VERSION_MAX) {
    logger.warn(
      { version: server.version },
      `this Postgres is newer than ${VERSION_MAX}, the newest Spandrel was tried with`,
    );
  }
}

function withoutPassword(text: string, url: string): string {
  const password = URL.parse(url)?.password ?? '';
  if (password === '') return text;
  return text.replaceAll(password, '***').replaceAll(decoded(password), '***');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longest time for handing the cancellation to the server. */
const CANCEL_MS_MAX = 5_000;

interface CancelClient {
  host: string;
  port: number;
  ssl: unknown;
  connection: Connection & {
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processId: number, secretKey: number): void;
  };
}

/**
 * Asks the server to give up the statement of a connection, by a request that PgBouncer passes on. The connection must
 * be closed afterwards: the request may come late, when it would hit the next statement.
 */
export async function cancelQuery(client: PoolClient, url: string): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const { host, port, ssl, connection } = new Client({ connectionString: url }) as unknown as CancelClient;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = (): void => connection.cancel(processID, secretKey);
  connection.once('connect', () => (ssl ? connection.requestSsl() : cancel()));
  connection.once('sslconnect', cancel);
  connection.on('error', () => resolve());
  connection.once('end', resolve);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await withinMs(CANCEL_MS_MAX, promise, () => undefined);
  connection.stream.destroy();
}
