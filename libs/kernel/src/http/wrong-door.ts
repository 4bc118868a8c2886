import type { FastifyInstance } from 'fastify';
import { modelCallAddress, modelCallOf, shownPath, type ModelClient } from '../addresses/model-call.js';
import { NotFound } from '../errors/domain-error.js';

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
 * @param isApiPath whether the API has something at a path.
 * @returns `undefined` where nothing more can be said than that there is nothing.
 */
export function wrongDoor(
  path: string,
  gatewayUrl: string | null,
  isApiPath: (path: string) => boolean,
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
  if (!path.startsWith('/api/') && isApiPath(`/api${path}`)) {
    return new WrongDoor(`paths of the API begin with /api: the right one is /api${shownPath(path)}`);
  }
  return undefined;
}

/**
 * Answers requests for paths that no route has with the right address where it is known, in cloud mode without asking for
 * a credential: a client that was pointed at the wrong program has none for this one.
 * @param gatewayUrl asked at each, see {@link wrongDoor}.
 */
export function answerWrongDoors(fastify: FastifyInstance, gatewayUrl: () => string | null): void {
  const collections = new Set<string>();
  fastify.addHook('onRoute', ({ url }) => void collections.add(collectionOf(url)));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0]!;
    done(request.is404 ? wrongDoor(path, gatewayUrl(), (asked) => collections.has(collectionOf(asked))) : undefined);
  });
}

/** `/api/traces` of `/api/traces/:id`. */
const collectionOf = (path: string): string => path.split('/', 3).join('/');
