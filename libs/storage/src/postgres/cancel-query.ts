import { Client, type Connection, type PoolClient } from 'pg';
import { withinMs } from '@spandrel/kernel';

/** Longest time for handing the cancellation to the server. */
const CANCEL_MS_MAX = 5_000;

/** What pg has and its types do not say. */
interface Cancellable {
  processID: number;
  secretKey: number;
}
interface Telling {
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
 * Asks the server to give up the statement that a connection is at, by the protocol's own request, which PgBouncer passes
 * on. The connection must be closed afterwards: the request may come late, when it would hit the next statement.
 * @returns when the server has been told, or could not be.
 */
export async function cancelQuery(client: PoolClient, url: string): Promise<void> {
  const { processID, secretKey } = client as unknown as Cancellable;
  const { host, port, ssl, connection } = new Client({ connectionString: url }) as unknown as Telling;
  const { promise, resolve } = Promise.withResolvers<void>();
  const tell = (): void => connection.cancel(processID, secretKey);
  connection.once('connect', () => (ssl ? connection.requestSsl() : tell()));
  connection.once('sslconnect', tell);
  connection.on('error', () => resolve());
  connection.once('end', resolve);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await withinMs(CANCEL_MS_MAX, promise, () => undefined);
  connection.stream.destroy();
}
