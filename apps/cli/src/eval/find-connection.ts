import { SpandrelError, type Api, type ItemOf } from '@spandrel/sdk';
import { CommandFailure } from '../client/exit-codes.js';

const PAGE = 200;

type Connection = ItemOf<'listConnections'>;

/**
 * Finds a provider connection by its id, or else its name.
 * @throws SpandrelError `connection_not_found` when there is none; CommandFailure when several have the name.
 */
export async function findConnection(api: Api, nameOrId: string): Promise<Connection> {
  const named: Connection[] = [];
  for await (const connection of api.pages('listConnections', { query: { limit: PAGE } })) {
    if (connection.id === nameOrId) return connection;
    if (connection.name === nameOrId) named.push(connection);
  }
  const [first, ...others] = named;
  if (first === undefined) {
    const detail = `no provider connection has the name or the id "${nameOrId}"`;
    throw new SpandrelError({ status: 404, code: 'connection_not_found', detail });
  }
  if (others.length === 0) return first;
  const lines = named.map(({ id, provider }) => `  ${id}  ${provider}`);
  throw new CommandFailure(
    [`${named.length} provider connections are called "${nameOrId}"; give the id of one:`, ...lines].join('\n'),
  );
}
