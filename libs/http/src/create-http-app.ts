import type { IncomingMessage, OutgoingHttpHeaders, Server, IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  fastify,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { type CoreSettings, DomainError, ClientAddresses, newId } from '@spandrel/kernel';
import { clientIdSchema } from '@spandrel/contract';
import type { AccessLog } from './access-log.js';
import { AccessGuard, admitBeforeBody } from './access/access.guard.js';
import { withoutProject } from './access/project-address.js';
import { ThirdPartyPaths } from './third-party-protocols.js';
import { contextOfAuditedRoutes } from './audited-routes.js';
import { limitArrival } from './intake/arrival.js';
import { endWith, guardRequests, IntakeRequest } from './intake/connection-intake.js';
import { framingFault, namesOneHost, localRequestFault } from './intake/request-head.js';
import { takeInnerRequest } from './in-process/in-process-api.js';
import { HttpAdapter } from './text-answers.js';
import { ApiModule, type ApiParts } from './api.module.js';
import { registerJsonBody, registerStreamedBodies } from './request-bodies.js';
import { Http2Notice, refuseMalformed } from './intake/malformed-http.js';
import { isPageRoute } from './operation.js';
import { findNotFoundPage } from './not-found-page.js';
import { answerWrongMethods } from './intake/wrong-method.js';
import { HttpMetrics, RequestWatch } from './intake/request-watch.js';
import { refuseParametersOutsideNest } from './names/names.interceptor.js';
import { registerDocsPage } from './openapi/docs-page.js';
import type { RouteFacts } from './openapi/find-routes.js';
import { OpenApi } from './openapi/openapi.controller.js';
import { sendProblem } from './problem.filter.js';
import { RequestScheduler } from './intake/request-scheduler.js';
import { collectionsOf, checkMisspelt, checkMisdirected } from './misdirected-request.js';

export interface HttpAppParts extends ApiParts {
  accessLog?: AccessLog;
}

/** The API server, not listening yet. @throws Error naming a route that nobody described. */
export async function createHttpApp(parts: HttpAppParts): Promise<NestFastifyApplication> {
  const { logger, metrics = new Registry() } = parts;
  const { core } = parts.settings;
  const addresses = new ClientAddresses(core.trustProxy);
  const watch = new RequestWatch(new HttpMetrics(metrics), addresses, parts.accessLog);
  const routes = (): readonly RouteFacts[] => app.get(OpenApi).routes;
  const foreign = new ThirdPartyPaths(routes);
  const http2 = new Http2Notice(logger);
  const headers = answerHeaders(core.hstsSeconds);
  const server = fastify({
    bodyLimit: core.bodyBytes,
    genReqId: (request: IncomingMessage) => requestId(request.headers),
    requestIdHeader: false,
    rewriteUrl: ({ url }: IncomingMessage): string => foreign.rewrite(withoutProject(url ?? '/')),
    // A request on a connection that was open when the stop began is served like any other, and its connection closed.
    return503OnClosing: false,
    // Bodies have limits of their own, see `limitArrival`.
    requestTimeout: 0,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    http: { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false, IncomingMessage: IntakeRequest },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      watch.begin(request, reply);
      void reply.headers(headers);
      sendProblem(error, request, reply, logger);
    },
    clientErrorHandler: (error: Error, socket: Socket) => {
      refuseMalformed(error, socket, (refused) => {
        watch.malformed(refused, socket);
        if (refused.isHttp2) http2.notice();
      });
    },
  } as FastifyHttpOptions<Server>) as unknown as FastifyInstance;
  guardRequests(server.server);
  // An unknown expectation counts as none (RFC 9110, 10.1.1); Node's own answer to it has no request id.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  const collections = collectionsOf(server);
  const gatewayUrl = (): string | null => parts.gatewayUrl?.() ?? null;
  addRequestRules(server, core, watch, {
    headers,
    mark: (request) => foreign.mark(request),
    findRightAddress: (request) => checkMisdirected(request, collections, gatewayUrl),
  });
  // What Nest and its middleware do at every request is behind these rules, and what a stranger sends does not come to it.
  const adapter = new HttpAdapter(server as never);
  if (core.mode === 'cloud') admitBeforeBody(server, () => ({ guard: app.get(AccessGuard), routes: routes() }));
  answerWrongMethods(server, (request) => checkMisspelt(request, collections));
  const app: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot({ ...parts, metrics }),
    adapter,
    { bodyParser: false, logger: false, abortOnError: false },
  );
  // A route that nobody described stops the start.
  routes();
  registerJsonBody(server, core.bodyValues);
  limitArrival(server);
  registerStreamedBodies(server);
  refuseParametersOutsideNest(server);
  if (core.mode === 'cloud') contextOfAuditedRoutes(server, addresses, routes);
  registerDocsPage(server);
  return app;
}

/** Session ids stand in paths, percent-encoded. */
const PARAM_LENGTH_MAX = 8_192;
const HEADER_BYTES_MAX = 32_768;

/** Routes that say whether the process is well: they are answered however much is going on, behind no other request. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/api/health']);

interface RequestRules {
  headers: OutgoingHttpHeaders;
  mark: (request: FastifyRequest) => void;
  findRightAddress: (request: FastifyRequest) => Error | undefined;
}

/** One hook for all that is done before a credential is asked for: each hook costs every request. */
function addRequestRules(
  fastify: FastifyInstance,
  { mode }: CoreSettings,
  watch: RequestWatch,
  { headers, mark, findRightAddress }: RequestRules,
): void {
  const turns = new RequestScheduler(fastify.server);
  const isLocal = mode === 'local';
  fastify.addHook('onRequest', (request, reply, done) => {
    if (takeInnerRequest(request)) return done();
    mark(request);
    watch.begin(request, reply);
    void reply.headers(headers).header('x-request-id', request.id);
    const framing = framingFault(request.raw);
    const sendPage = findNotFoundPage(request);
    const isPage = sendPage !== undefined || isPageRoute(request.routeOptions.config);
    const foreign = isLocal ? localRequestFault(request.headers, isPage) : undefined;
    if (!namesOneHost(request.raw)) {
      done(new DomainError('malformed_request', 'the request must have exactly one Host'));
    } else if (framing !== undefined) {
      endWith(reply.raw);
      done(new DomainError(framing.code, framing.message));
    } else if (foreign !== undefined) {
      done(new DomainError('host_not_allowed', foreign));
    } else if (sendPage !== undefined) {
      turns.begin(() => void sendPage(request, reply).catch(done));
    } else if (request.is404) {
      turns.begin(() => done(findRightAddress(request) as Error));
    } else if (PROBES.has(request.routeOptions.url) && reply.raw.socket !== null) {
      done();
    } else {
      turns.begin(done);
    }
  });
}

/** Headers that every answer begins with (docs/spec/general.md#headers-of-every-answer); a route may overwrite them. */
const answerHeaders = (hstsSeconds: number | null): OutgoingHttpHeaders => ({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  ...(hstsSeconds !== null && { 'strict-transport-security': `max-age=${hstsSeconds}` }),
});

/** The caller's `X-Request-Id` when it is well-formed, else a new one (docs/spec/general.md#request-ids). */
function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return given !== undefined && clientIdSchema.safeParse(given).success ? (given as string) : newId();
}
