import type { FastifyInstance, FastifyRequest } from 'fastify';
import { lostExportAdvice, lostExportOf } from './addresses/lost-export.js';
import { modelCallAddress, modelCallOf, shownPath, type ModelClient } from './addresses/model-call.js';
import { NotFound, nearestName } from '@spandrel/kernel';
import { findThirdPartyProtocol } from './third-party-protocols/third-party-requests.js';

/** A request for a path that the API does not have, and whose right address is known. */
export class MisdirectedRequest extends NotFound {
  /** Member `error` of the answer, in the form whose text the lost client shows; `undefined` for other callers. */
  readonly error: unknown;

  constructor(message: string, client?: ModelClient) {
    super('not_found', message);
    this.error =
      client && (client === 'ollama' ? message : { message, type: 'invalid_request_error', code: this.code });
  }
}

/**
 * What to answer a request for a path that no route has: exports of OpenTelemetry have paths of their own, model calls
 * belong to the gateway, and paths of the API begin with `/api` (docs/spec/general.md#misdirected-requests).
 * @param contentType of the request, as it came.
 * @param gatewayUrl without a slash at its end; `null` where it is not known here.
 * @param collections the first two segments of the API's paths: `/api/traces`.
 * @returns `undefined` where nothing more can be said than that there is nothing.
 */
export function findRightAddress(
  path: string,
  contentType: string | undefined,
  gatewayUrl: string | null,
  collections: ReadonlySet<string>,
): MisdirectedRequest | undefined {
  const lost = lostExportOf(path, contentType);
  if (lost) return new MisdirectedRequest(`there is nothing at this path; ${lostExportAdvice(lost)}`);
  const gateway = gatewayUrl ?? 'at an address of its own';
  if (path === '/') {
    return new MisdirectedRequest(
      `this is the API of Spandrel: its paths begin with /api and are described at /docs; model calls go to the gateway, ${gateway}, and exports of OpenTelemetry to /v1/traces`,
    );
  }
  const call = modelCallOf(path);
  if (call) {
    const address = modelCallAddress(call, gatewayUrl);
    return new MisdirectedRequest(
      `this is the API, model calls go to the gateway: the right address is ${address}`,
      call.client,
    );
  }
  if (!path.startsWith('/api/') && collections.has(collectionOf(`/api${path}`))) {
    return new MisdirectedRequest(`paths of the API begin with /api: the right one is /api${shownPath(path)}`);
  }
  return undefined;
}

/**
 * What to answer a request for a path under `/api` that no route has: the nearest one that there is.
 * @param collections the first two segments of the API's paths.
 * @returns `undefined` where nothing more can be said than that there is nothing.
 */
export function findNearestPath(path: string, collections: ReadonlySet<string>): MisdirectedRequest | undefined {
  const isKnown = collections.has(collectionOf(path));
  if (path.endsWith('/') && isKnown) {
    return new MisdirectedRequest(
      `there is nothing at ${shownPath(path)}: paths of the API have no slash at their end`,
    );
  }
  if (!path.startsWith('/api/') || isKnown) return undefined;
  const nearest = nearestName(
    path.split('/', 3)[2]!,
    [...collections].map((known) => known.slice('/api/'.length)),
  );
  return nearest === undefined
    ? undefined
    : new MisdirectedRequest(`there is nothing at this path; did you mean /api/${nearest}?`);
}

/** The first two segments of the paths of all routes under `/api`, which come to be known as they are registered. */
export function collectionsOf(fastify: FastifyInstance): ReadonlySet<string> {
  const collections = new Set<string>();
  fastify.addHook('onRoute', ({ url }) => {
    if (url.startsWith('/api/')) collections.add(collectionOf(url));
  });
  return collections;
}

/**
 * {@link findRightAddress} of a request that matches no route. Asked before there must be a credential: a client that was
 * pointed at the wrong program has none for this one.
 * @param gatewayUrl asked at each.
 */
export const checkMisdirected = (
  request: FastifyRequest,
  collections: ReadonlySet<string>,
  gatewayUrl: () => string | null,
): MisdirectedRequest | undefined =>
  isLost(request)
    ? findRightAddress(pathOf(request.url), request.headers['content-type'], gatewayUrl(), collections)
    : undefined;

/** {@link findNearestPath} of a request that matches no route. Asked of those alone that showed their credential. */
export const checkMisspelt = (
  request: FastifyRequest,
  collections: ReadonlySet<string>,
): MisdirectedRequest | undefined => (isLost(request) ? findNearestPath(pathOf(request.url), collections) : undefined);

/** A path of a foreign protocol exists: it takes other methods. */
const isLost = (request: FastifyRequest): boolean => findThirdPartyProtocol(request.raw) === undefined;

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** `/api/traces` of `/api/traces/:id`. */
const collectionOf = (path: string): string => path.split('/', 3).join('/');
