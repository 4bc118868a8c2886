import { Controller, Get, Header, Inject } from '@nestjs/common';
import { z } from 'zod';
import type { ModulesContainer } from '@nestjs/core';
import type { Feature } from '@spandrel/kernel';
import { Operation } from '../operation.js';
import { buildDocument } from './build-document.js';
import { findRoutes, type RouteFacts } from './find-routes.js';
import type { OpenApiDocument } from './schema-components.js';

/** The description of this app, made once, when it is first asked for. */
export class OpenApi {
  private found: readonly RouteFacts[] | undefined;
  private made: OpenApiDocument | undefined;
  private text: Buffer | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly features: readonly Feature[],
    private readonly authenticated: boolean,
  ) {}

  get routes(): readonly RouteFacts[] {
    return (this.found ??= findRoutes(this.modules));
  }

  get document(): OpenApiDocument {
    return (this.made ??= buildDocument({
      routes: this.routes,
      features: this.features,
      authenticated: this.authenticated,
    }));
  }

  get json(): Buffer {
    return (this.text ??= Buffer.from(JSON.stringify(this.document)));
  }
}

const documentSchema = z
  .looseObject({
    openapi: z.string(),
    info: z.record(z.string(), z.unknown()),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.0 document.' });

/** `GET /api/openapi.json` (docs/spec/health.md#the-openapi-description); open to everyone. */
@Controller('api/openapi.json')
export class OpenApiController {
  constructor(@Inject(OpenApi) private readonly openApi: OpenApi) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation({ summary: 'This description', answer: documentSchema, access: 'open' })
  getOpenApi() {
    return this.openApi.json;
  }
}
