import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NotFound, nearestName } from '@spandrel/kernel';
import { findThirdPartyProtocol } from './third-party-protocols.js';

type LostExport = 'http' | 'grpc';

const NEAR_PATH = /\/v1\/(?:traces?|logs?|metrics?)(?![\w-])/;
const EXPORT_MEDIA_TYPE = /^application\/(?:x-)?protobuf\s*(?:$|;)/i;
const GRPC_MEDIA_TYPE = /^application\/grpc/i;

/** The method of every call of gRPC to a collector ends so. */
const GRPC_METHOD = /^\/opentelemetry\.proto\.collector\.[a-z0-9.]+\.[A-Za-z]+Service\/Export$/;

/** Whether a request for a path that does not exist, or takes no exports, is an export that was set up wrongly. */
export function lostExportOf(path: string, contentType: string | undefined): LostExport | undefined {
  if (GRPC_METHOD.test(path) || GRPC_MEDIA_TYPE.test(contentType ?? '')) return 'grpc';
  return NEAR_PATH.test(path) || EXPORT_MEDIA_TYPE.test(contentType ?? '') ? 'http' : undefined;
}

/** What the sender of such an export is to set, as a clause of a sentence. */
export function lostExportAdvice(lost: LostExport): string {
  return lost === 'grpc'
    ? 'gRPC is not served; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, and OTEL_EXPORTER_OTLP_ENDPOINT to the address of the API'
    : 'exports of OpenTelemetry go to /v1/traces, which exporters put behind OTEL_EXPORTER_OTLP_ENDPOINT by themselves: set that to the address of the API without a path';
}

export type ModelClient = 'openai' | 'anthropic' | 'ollama';

/** A request that was meant for a model, by its path. */
export interface ModelCall {
  client: ModelClient;
  path: string;
  /** What stands before it without being known; empty for `/v1` left out or written twice. */
  prefix: string;
}

/** Ends of paths, so that nothing needs to look back: a path is as long as its sender likes. */
const OLLAMA = /\/api\/(?:chat|generate|embed|embeddings|tags|show|ps|version|pull)$/;
const ANTHROPIC = /\/messages(?:\/count_tokens|\/batches)?$/;
const OPENAI =
  /\/(?:chat\/completions|completions|embeddings|moderations|realtime|(?:images|audio)\/[a-z]+|(?:responses|models)(?:\/[^/]+)?)$/;
const ANY_OF_V1 = /^(?:\/v1)+(\/.*)?$/s;

/** Which client's request a path is: model calls sent to a wrong place are answered with where they belong. */
export function modelCallOf(path: string): ModelCall | undefined {
  const trimmed = withoutEnds(path, ['/']);
  const ollama = OLLAMA.exec(trimmed);
  if (ollama) {
    // Ends of a base URL, where a client of Ollama writes neither.
    return { client: 'ollama', path: ollama[0], prefix: withoutEnds(trimmed.slice(0, ollama.index), ['/v1', '/api']) };
  }
  const anthropic = ANTHROPIC.exec(trimmed);
  const known = anthropic ?? OPENAI.exec(trimmed);
  if (known) {
    const prefix = withoutEnds(trimmed.slice(0, known.index), ['/v1']);
    return { client: anthropic ? 'anthropic' : 'openai', path: `/v1${known[0]}`, prefix };
  }
  const other = ANY_OF_V1.exec(trimmed);
  return other ? { client: 'openai', path: `/v1${other[1] ?? ''}`, prefix: '' } : undefined;
}

function withoutEnds(path: string, ends: readonly string[]): string {
  let left = path;
  for (let end; (end = ends.find((candidate) => left.endsWith(candidate)));) left = left.slice(0, -end.length);
  return left;
}

const CLIENTS: Readonly<Record<ModelClient, { name: string; base: string }>> = {
  openai: { name: 'an OpenAI client', base: '/v1' },
  anthropic: { name: 'an Anthropic client', base: '' },
  ollama: { name: 'an Ollama client', base: '' },
};

const PATH_LENGTH_MAX = 200;

export const shownPath = (path: string): string =>
  path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}…` : path;

/** Where a model call belongs, as the end of a sentence. @param gatewayUrl without a slash at its end, if known. */
export function modelCallAddress({ client, path }: ModelCall, gatewayUrl: string | null): string {
  const { name, base } = CLIENTS[client];
  if (gatewayUrl !== null) {
    return `${gatewayUrl}${shownPath(path)} (the base URL of ${name} is ${gatewayUrl}${base})`;
  }
  const end = base === '' ? 'with no path behind it' : `followed by ${base}`;
  return `${shownPath(path)} of the gateway (the base URL of ${name} is the gateway's address ${end})`;
}

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
 * Finds where a request for a path without a route belongs (docs/spec/general.md#misdirected-requests), if anywhere.
 * @param gatewayUrl without a slash at its end; `null` where it is not known here.
 * @param collections the first two segments of the API's paths: `/api/traces`.
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

/** What to answer a request for a path under `/api` that no route has: the nearest one that there is, if any. */
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

export function collectionsOf(fastify: FastifyInstance): ReadonlySet<string> {
  const collections = new Set<string>();
  fastify.addHook('onRoute', ({ url }) => {
    if (url.startsWith('/api/')) collections.add(collectionOf(url));
  });
  return collections;
}

/** {@link findRightAddress} of a request without a route; a client that is lost has no credential for this server. */
export const checkMisdirected = (
  request: FastifyRequest,
  collections: ReadonlySet<string>,
  gatewayUrl: () => string | null,
): MisdirectedRequest | undefined =>
  isLost(request)
    ? findRightAddress(pathOf(request.url), request.headers['content-type'], gatewayUrl(), collections)
    : undefined;

/** {@link findNearestPath} of a request that matches no route, of those alone that showed their credential. */
export const checkMisspelt = (
  request: FastifyRequest,
  collections: ReadonlySet<string>,
): MisdirectedRequest | undefined => (isLost(request) ? findNearestPath(pathOf(request.url), collections) : undefined);

/** A path of a foreign protocol exists: it takes other methods. */
const isLost = (request: FastifyRequest): boolean => findThirdPartyProtocol(request.raw) === undefined;

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** `/api/traces` of `/api/traces/:id`. */
const collectionOf = (path: string): string => path.split('/', 3).join('/');
