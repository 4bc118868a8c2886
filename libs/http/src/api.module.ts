import { Global, Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import {
  ClientAddresses,
  KernelModule,
  Readiness,
  useFaultWords,
  type Feature,
  type KernelParts,
} from '@spandrel/kernel';
import type { FastifyInstance } from 'fastify';
import { AccessGuard } from './access/access.guard.js';
import { CredentialRefusals, WrongCredentials, RefusedRequests } from './access/wrong-credentials.js';
import { LocalSessionController } from './access/local-session.controller.js';
import {
  CapabilitiesController,
  FEATURE_NAMES,
  GATEWAY_URL,
  Capabilities,
} from './capabilities/capabilities.controller.js';
import { HealthController, MetricsController } from './health.controller.js';
import { InProcessApi } from './in-process/in-process-api.js';
import { NamesInterceptor } from './names/names.interceptor.js';
import { OpenApi, OpenApiController } from './openapi/openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { SchemaPipe } from './pipes.js';

export interface ApiParts extends KernelParts {
  features: readonly Feature[];
  modules: readonly (DynamicModule | Type)[];
  /** Where the gateway beside it is, for requests that come here by mistake; asked at each. Not known when left out. */
  gatewayUrl?: () => string | null;
}

/** The API: features, what of HTTP they inject, and what stands around every handler, before that of features. */
@Global()
@Module({})
export class ApiModule {
  static forRoot({ features, modules, gatewayUrl = () => null, ...kernel }: ApiParts): DynamicModule {
    useFaultWords();
    const { core } = kernel.settings;
    const isCloud = core.mode === 'cloud';
    const addresses = new ClientAddresses(core.trustProxy);
    const wrong = new WrongCredentials(core.wrongCredentials);
    const providers = [
      { provide: CredentialRefusals, useValue: new CredentialRefusals(addresses, wrong) },
      { provide: RefusedRequests, useValue: new RefusedRequests(addresses) },
      { provide: GATEWAY_URL, useValue: gatewayUrl },
      { provide: FEATURE_NAMES, useValue: features.map(({ name }) => name) },
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
            addresses,
            routes: () => api.routes,
          }),
        inject: [HttpAdapterHost, OpenApi],
      },
      Readiness,
      Capabilities,
    ];
    return {
      module: ApiModule,
      imports: [KernelModule.forRoot(kernel), ...modules, ...features.map(({ module }) => module as Type)],
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

const ofEveryHandler = (isCloud: boolean): Provider[] => [
  ...(isCloud ? [AccessGuard, { provide: APP_GUARD, useExisting: AccessGuard }] : []),
  { provide: APP_INTERCEPTOR, useClass: NamesInterceptor },
  { provide: APP_PIPE, useClass: SchemaPipe },
  { provide: APP_FILTER, useClass: ProblemFilter },
];
