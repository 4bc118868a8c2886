import { SpandrelError, type Api, type ItemOf } from '@spandrel/sdk';
import { findNamed } from '../client/find-named.js';

const PAGE = 200;

type Connection = ItemOf<'listConnections'>;

/**
 * Finds a provider connection by its id, or else its name.
 * @throws SpandrelError `connection_not_found` when there is none; CommandFailure when several have the name.
 */
export async function findConnection(api: Api, nameOrId: string): Promise<Connection> {
  const found = await findNamed<Connection>(api.pages('listConnections', { query: { limit: PAGE } }), nameOrId, {
    many: 'provider connections',
    about: ({ provider }) => provider,
  });
  if (found) return found;
  const detail = `no provider connection has the name or the id "${nameOrId}"`;
  throw new SpandrelError({ status: 404, code: 'connection_not_found', detail });
}
