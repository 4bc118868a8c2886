import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CoreSettings } from '../config/core-settings.js';
import type { Settings } from '../config/settings.js';
import { DomainError } from '../errors/domain-error.js';
import { StartError } from '../errors/start-error.js';
import type { Feature } from '../features/feature.js';
import { useFaultWords } from '../faults/fault-words.js';
import { LOGGER, type Logger } from '../log/logger.js';
import type { AccessLog } from '../log/access-log.js';
import { METRICS } from '../metrics.js';
import { PLUGINS, type PluginRegistry } from '../plugins/plugin-registry.js';
import { GATEKEEPER, type Gatekeeper } from './access/caller.js';
import { RefusedRequests } from './access/refused-requests.js';
import { LocalSessionController } from './access/local-session.controller.js';
import { ClientAddresses } from '../net/client-address.js';
import { WrongCredentials } from '../net/wrong-credentials.js';
import { answerHeaders } from './answer-headers.js';
import { CredentialRefusals } from './access/credential-refusals.js';
import { admitRequests } from './access/admit-requests.js';
import { ForeignPaths } from './foreign/foreign-requests.js';
import { Capabilities } from './capabilities/capabilities.js';
import { CapabilitiesController, GATEWAY_URL } from './capabilities/capabilities.controller.js';
import { contextOfAuditedRoutes } from './audited-routes.js';
import { limitArrival } from './intake/arrival.js';
import { endWith, guardRequests, IntakeRequest } from './intake/connection-intake.js';
import { framingFault } from './intake/framing.js';
import { HealthController } from './health.controller.js';
import { InProcessApi } from './in-process/in-process-api.js';
import { InnerRequests } from './in-process/inner-requests.js';
import { namesOneHost } from './intake/host-header.js';
import { registerJsonBody } from './json-body.js';
import { Http2Notice } from './intake/http2-notice.js';
import { localRequestFault } from './intake/local-request.js';
import { isPageRoute } from './open-route.js';
import { refuseMalformed } from './intake/malformed-http.js';
import { answerWrongMethods } from './intake/wrong-method.js';
import { HttpMetrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { checkNames } from './names/check-names.js';
import { handleDirectly } from './nest/direct-handlers.js';
import { LeanAdapter } from './nest/lean-adapter.js';
import { registerDocsPage } from './openapi/docs-page.js';
import { OpenApi } from './openapi/openapi.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ProblemFilter, sendProblem } from './problem.filter.js';
import { Readiness } from './readiness.js';
import { requestId } from './request-id.js';
import { RequestTurns } from './intake/request-turns.js';
import { RequestWatch } from './intake/request-watch.js';
import { SchemaPipe } from './schema.pipe.js';
import { registerStreamedBodies } from './streamed-body.js';
import { collectionsOf, misspeltPathOf, wrongDoorOf } from './wrong-door.js';

/** What the app is made of. */
export interface HttpAppParts {
  settings: Settings;
  plugins: PluginRegistry;
  logger: Logger;
  features: readonly Feature[];
  /** Modules below the features, such as storage. */
  modules: readonly (DynamicModule | Type)[];
  /** Where everything registers its metrics; one of its own when left out. */
  metrics?: Registry;
  /** Gets a line a request; none is written when left out. */
  accessLog?: AccessLog;
  /** Where the gateway beside it is, for requests that come here by mistake; asked at each. Not known when left out. */
  gatewayUrl?: () => string | null;
}

/**
 * The API server: features loaded into one Nest application on Fastify, with the rules of every request (body, ids,
 * errors, who may call) applied in one place. Not listening yet; the caller closes it.
 * @throws Error naming a route that nobody described.
 */
export async function createHttpApp(parts: HttpAppParts): Promise<NestFastifyApplication> {
  const { logger, metrics = new Registry() } = parts;
  useFaultWords();
  const { core } = parts.settings;
  const addresses = new ClientAddresses(core.trustProxy);
  const watch = new RequestWatch(new HttpMetrics(metrics), addresses, parts.accessLog);
  const foreign: ForeignPaths = new ForeignPaths(() => app.get(OpenApi).routes);
  const http2 = new Http2Notice(logger);
  const headers = answerHeaders(core.hstsSeconds);
  const adapter: LeanAdapter = new LeanAdapter({
    bodyLimit: core.bodyBytes,
    genReqId: (request: IncomingMessage) => requestId(request.headers),
    requestIdHeader: false,
    rewriteUrl: ({ url }: IncomingMessage): string => foreign.rewrite(url ?? '/'),
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
  });
  const fastify: FastifyInstance = adapter.getInstance();
  guardRequests(fastify.server);
  // An unknown expectation counts as none (RFC 9110, 10.1.1); Node's own answer to it has no request id.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  const collections = collectionsOf(fastify);
  const inner = new InnerRequests();
  const inProcess = new InProcessApi({ fastify, inner, addresses, routes: () => app.get(OpenApi).routes });
  const gatewayUrl = (): string | null => parts.gatewayUrl?.() ?? null;
  addRequestRules(fastify, core, watch, {
    headers,
    inner,
    mark: (request) => foreign.mark(request),
    takesTarget: (url) => adapter.takesTarget(url),
    wrongDoor: (request) => wrongDoorOf(request, collections, gatewayUrl),
  });
  if (core.mode === 'cloud') {
    admitRequests(fastify, () => ({
      routes: app.get(OpenApi).routes,
      gatekeeper: app.get<Gatekeeper>(GATEKEEPER),
      refusals: app.get(CredentialRefusals),
    }));
  }
  answerWrongMethods(fastify, (request) => misspeltPathOf(request, collections));
  const app = await NestFactory.create<NestFastifyApplication>(
    kernelModule(parts, metrics, addresses, inProcess),
    adapter,
    { bodyParser: false, logger: false, abortOnError: false },
  );
  if (core.mode === 'cloud') assertGuarded(app);
  registerJsonBody(fastify, core.bodyValues);
  limitArrival(fastify);
  registerStreamedBodies(fastify);
  checkNames(fastify, () => app.get(OpenApi).routes);
  // Local mode has no audit log.
  if (core.mode === 'cloud') contextOfAuditedRoutes(fastify, addresses, () => app.get(OpenApi).routes);
  registerDocsPage(fastify);
  const pipe = new SchemaPipe();
  const filter = new ProblemFilter(logger, app.get(RefusedRequests));
  app.useGlobalPipes(pipe);
  app.useGlobalFilters(filter);
  const send = (reply: FastifyReply, body: unknown): void => void adapter.reply(reply as never, body);
  handleDirectly(fastify, () => app.get(OpenApi).routes, { pipe, filter }, send);
  return app;
}

/** @throws StartError in cloud mode without somebody who lets requests in. */
function assertGuarded(app: NestFastifyApplication): void {
  try {
    app.get(GATEKEEPER);
  } catch {
    throw new StartError(['features: cloud mode needs the feature "access", which checks credentials']);
  }
}

/** Session ids stand in paths, percent-encoded. */
const PARAM_LENGTH_MAX = 8_192;
const HEADER_BYTES_MAX = 32_768;

/** Routes that tell whether the process is well: they are answered however much is going on, behind no other request. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/api/health']);

/** What every request is looked at for, beside what it says of its host. */
interface RequestRules {
  headers: OutgoingHttpHeaders;
  inner: InnerRequests;
  mark: (request: FastifyRequest) => void;
  takesTarget: (url: string) => boolean;
  wrongDoor: (request: FastifyRequest) => Error | undefined;
}

/** One hook for all that is done before a credential is asked for: each hook costs every request. */
function addRequestRules(
  fastify: FastifyInstance,
  { mode }: CoreSettings,
  watch: RequestWatch,
  { headers, inner, mark, takesTarget, wrongDoor }: RequestRules,
): void {
  const turns = new RequestTurns(fastify.server);
  const isLocal = mode === 'local';
  fastify.addHook('onRequest', (request, reply, done) => {
    if (inner.take(request)) return done();
    mark(request);
    watch.begin(request, reply);
    void reply.headers(headers).header('x-request-id', request.id);
    const framing = framingFault(request.raw);
    const foreign = isLocal ? localRequestFault(request.headers, isPageRoute(request.routeOptions.config)) : undefined;
    if (!namesOneHost(request.raw)) {
      done(new DomainError('malformed_request', 'the request must have exactly one Host'));
    } else if (framing !== undefined) {
      endWith(reply.raw);
      done(new DomainError(framing.code, framing.message));
    } else if (foreign !== undefined) {
      done(new DomainError('host_not_allowed', foreign));
    } else if (request.is404) {
      turns.begin(() => done(wrongDoor(request) as Error));
    } else if (!takesTarget(request.raw.url!)) {
      reply.callNotFound();
    } else if (PROBES.has(request.routeOptions.url) && reply.raw.socket !== null) {
      done();
    } else {
      turns.begin(done);
    }
  });
}

function kernelModule(
  { settings, plugins, logger, features, modules, gatewayUrl = () => null }: HttpAppParts,
  metrics: Registry,
  addresses: ClientAddresses,
  inProcess: InProcessApi,
): DynamicModule {
  class Kernel {}
  const wrong = new WrongCredentials(settings.core.wrongCredentials);
  Module({})(Kernel);
  const providers = [
    ...settings.providers(),
    { provide: PLUGINS, useValue: plugins },
    { provide: LOGGER, useValue: logger },
    { provide: METRICS, useValue: metrics },
    { provide: CredentialRefusals, useValue: new CredentialRefusals(addresses, wrong) },
    { provide: RefusedRequests, useValue: new RefusedRequests(addresses) },
    { provide: GATEWAY_URL, useValue: gatewayUrl },
    { provide: InProcessApi, useValue: inProcess },
    {
      provide: OpenApi,
      useFactory: (container: ModulesContainer) => new OpenApi(container, features, settings.core.mode === 'cloud'),
      inject: [ModulesContainer],
    },
    Readiness,
    Capabilities,
  ];
  return {
    module: Kernel,
    global: true,
    imports: [...modules, ...features.map(({ module }) => module as Type)],
    controllers: [
      ...[HealthController, CapabilitiesController, MetricsController, OpenApiController],
      // In cloud mode the feature `access` has this route.
      ...(settings.core.mode === 'local' ? [LocalSessionController] : []),
    ],
    providers,
    exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
  };
}
