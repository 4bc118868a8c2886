import type { FastifyInstance } from 'fastify';
import { modelCallAddress, modelCallOf, shownPath, type ModelClient } from '../addresses/model-call.js';
import { NotFound } from '../errors/domain-error.js';
import { foreignProtocolOf } from './foreign/foreign-requests.js';
import { nearestName } from '../nearest-name.js';

/** A request for a path that the API does not have, and whose right address is known. */
export class WrongDoor extends NotFound {
  /** Member `error` of the answer, in the form whose text the lost client shows; `undefined` for other callers. */
  readonly error: unknown;

  constructor(message: string, client?: ModelClient) {
    super('not_found', message);
    this.error =
      client && (client === 'ollama' ? message : { message, type: 'invalid_request_error', code: this.code });
  }
}

/**
 * What to answer a request for a path that no route has: model calls belong to the gateway, and paths of the API begin
 * with `/api` (docs/spec/general.md#wrong-doors).
 * @param gatewayUrl without a slash at its end; `null` where it is not known here.
 * @param collections the first two segments of the API's paths: `/api/traces`.
 * @returns `undefined` where nothing more can be said than that there is nothing.
 */
export function wrongDoor(
  path: string,
  gatewayUrl: string | null,
  collections: ReadonlySet<string>,
): WrongDoor | undefined {
  const gateway = gatewayUrl ?? 'at an address of its own';
  if (path === '/') {
    return new WrongDoor(
      `this is the API of Spandrel: its paths begin with /api and are described at /docs; model calls go to the gateway, ${gateway}`,
    );
  }
  const call = modelCallOf(path);
  if (call) {
    const address = modelCallAddress(call, gatewayUrl);
    return new WrongDoor(
      `this is the API, model calls go to the gateway: the right address is ${address}`,
      call.client,
    );
  }
  const hasCollection = (asked: string): boolean => collections.has(collectionOf(asked));
  if (!path.startsWith('/api/') && hasCollection(`/api${path}`)) {
    return new WrongDoor(`paths of the API begin with /api: the right one is /api${shownPath(path)}`);
  }
  if (path.endsWith('/') && hasCollection(path)) {
    return new WrongDoor(`there is nothing at ${shownPath(path)}: paths of the API have no slash at their end`);
  }
  if (!path.startsWith('/api/') || hasCollection(path)) return undefined;
  const nearest = nearestName(
    path.split('/', 3)[2]!,
    [...collections].map((known) => known.slice('/api/'.length)),
  );
  return nearest === undefined
    ? undefined
    : new WrongDoor(`there is nothing at this path; did you mean /api/${nearest}?`);
}

/**
 * Answers requests for paths that no route has with the right address where it is known, in cloud mode without asking for
 * a credential: a client that was pointed at the wrong program has none for this one.
 * @param gatewayUrl asked at each, see {@link wrongDoor}.
 */
export function answerWrongDoors(fastify: FastifyInstance, gatewayUrl: () => string | null): void {
  const collections = new Set<string>();
  fastify.addHook('onRoute', ({ url }) => {
    if (url.startsWith('/api/')) collections.add(collectionOf(url));
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0]!;
    // A path that exists takes other methods.
    const isLost = request.is404 && foreignProtocolOf(request.raw) === undefined;
    done(isLost ? wrongDoor(path, gatewayUrl(), collections) : undefined);
  });
}

/** `/api/traces` of `/api/traces/:id`. */
const collectionOf = (path: string): string => path.split('/', 3).join('/');
