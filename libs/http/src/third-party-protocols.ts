import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { RouteFacts } from './openapi/find-routes.js';
import type { ThirdPartyProtocol } from './operation.js';

const protocols = new WeakMap<IncomingMessage, ThirdPartyProtocol>();

/** The protocol of others that the path of a request speaks; `undefined` for all other paths. */
export const findThirdPartyProtocol = (request: IncomingMessage): ThirdPartyProtocol | undefined =>
  protocols.get(request);

export class ThirdPartyPaths {
  private known: ReadonlyMap<string, ThirdPartyProtocol> | undefined;

  /** @param routes every route of the app; called at the first request. */
  constructor(private readonly routes: () => readonly RouteFacts[]) {}

  /** The URL that is routed: a slash at the end of such a path is left out. */
  rewrite(url: string): string {
    const query = url.indexOf('?');
    const end = query === -1 ? url.length : query;
    if (url.charCodeAt(end - 1) !== SLASH) return url;
    const path = url.slice(0, end - 1);
    return this.protocols().has(path) ? path + url.slice(end) : url;
  }

  /** Notes which protocol the path of a request speaks: of every one, before whatever may refuse it. */
  mark(request: FastifyRequest): void {
    const path = request.is404 ? request.url.split('?', 1)[0] : request.routeOptions.url;
    const protocol = path === undefined ? undefined : this.protocols().get(path);
    if (protocol) protocols.set(request.raw, protocol);
  }

  private protocols(): ReadonlyMap<string, ThirdPartyProtocol> {
    this.known ??= new Map(
      this.routes().flatMap(({ path, operation }) => (operation.protocol ? [[path, operation.protocol] as const] : [])),
    );
    return this.known;
  }
}

const SLASH = 0x2f;
