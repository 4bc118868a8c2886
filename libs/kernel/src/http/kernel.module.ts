import { Registry } from '@prometheus-io/client';
import { Global, Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../config/settings.js';
import { useFaultWords } from '../faults/fault-words.js';
import type { Feature } from '../features/feature.js';
import { LOGGER, type Logger } from '../log/logger.js';
import { METRICS } from '../metrics.js';
import { ClientAddresses } from '../net/client-address.js';
import { WrongCredentials } from '../net/wrong-credentials.js';
import { PLUGINS, type PluginRegistry } from '../plugins/plugin-registry.js';
import { AccessGuard } from './access/access.guard.js';
import { CredentialRefusals } from './access/credential-refusals.js';
import { LocalSessionController } from './access/local-session.controller.js';
import { RefusedRequests } from './access/refused-requests.js';
import { CapabilitiesController, GATEWAY_URL } from './capabilities/capabilities.controller.js';
import { Capabilities } from './capabilities/capabilities.js';
import { HealthController } from './health.controller.js';
import { InProcessApi } from './in-process/in-process-api.js';
import { InnerRequests } from './in-process/inner-requests.js';
import { MetricsController } from './metrics.controller.js';
import { NamesInterceptor } from './names/names.interceptor.js';
import { OpenApi } from './openapi/openapi.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { Readiness } from './readiness.js';
import { SchemaPipe } from './schema.pipe.js';

/** What the kernel is made of. */
export interface KernelParts {
  settings: Settings;
  plugins: PluginRegistry;
  logger: Logger;
  features: readonly Feature[];
  /** Modules below the features, such as storage. */
  modules: readonly (DynamicModule | Type)[];
  /** Where everything registers its metrics; one of its own when left out. */
  metrics?: Registry;
  /** Where the gateway beside it is, for requests that come here by mistake; asked at each. Not known when left out. */
  gatewayUrl?: () => string | null;
}

/**
 * What every feature injects (settings, plugins, log, metrics), and what every handler gets: the guard of cloud mode, the
 * pipe that checks arguments, the interceptor of unknown names and the filter that answers errors. Its guard, interceptor
 * and pipe run before those of features and plugins, its filter gets what none of theirs takes.
 */
@Global()
@Module({})
export class KernelModule {
  /** @param inner knows the requests that are made inside this process. */
  static forRoot(
    { settings, plugins, logger, features, modules, metrics = new Registry(), gatewayUrl = () => null }: KernelParts,
    inner = new InnerRequests(),
  ): DynamicModule {
    useFaultWords();
    const { core } = settings;
    const isCloud = core.mode === 'cloud';
    const addresses = new ClientAddresses(core.trustProxy);
    const wrong = new WrongCredentials(core.wrongCredentials);
    const providers = [
      ...settings.providers(),
      { provide: PLUGINS, useValue: plugins },
      { provide: LOGGER, useValue: logger },
      { provide: METRICS, useValue: metrics },
      { provide: CredentialRefusals, useValue: new CredentialRefusals(addresses, wrong) },
      { provide: RefusedRequests, useValue: new RefusedRequests(addresses) },
      { provide: GATEWAY_URL, useValue: gatewayUrl },
      {
        provide: OpenApi,
        useFactory: (container: ModulesContainer) => new OpenApi(container, features, isCloud),
        inject: [ModulesContainer],
      },
      {
        provide: InProcessApi,
        useFactory: ({ httpAdapter }: HttpAdapterHost, api: OpenApi) =>
          new InProcessApi({
            fastify: () => httpAdapter.getInstance<FastifyInstance>(),
            inner,
            addresses,
            routes: () => api.routes,
          }),
        inject: [HttpAdapterHost, OpenApi],
      },
      Readiness,
      Capabilities,
    ];
    return {
      module: KernelModule,
      imports: [...modules, ...features.map(({ module }) => module as Type)],
      controllers: [
        ...[HealthController, CapabilitiesController, MetricsController, OpenApiController],
        // In cloud mode the feature `access` has this route.
        ...(isCloud ? [] : [LocalSessionController]),
      ],
      providers: [...providers, ...ofEveryHandler(isCloud)],
      exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
    };
  }
}

/** What stands around every handler. */
const ofEveryHandler = (isCloud: boolean): Provider[] => [
  ...(isCloud ? [AccessGuard, { provide: APP_GUARD, useExisting: AccessGuard }] : []),
  { provide: APP_INTERCEPTOR, useClass: NamesInterceptor },
  { provide: APP_PIPE, useClass: SchemaPipe },
  { provide: APP_FILTER, useClass: ProblemFilter },
];
