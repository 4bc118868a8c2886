import { Controller, Get, Header, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../operation.js';
import { OpenApi } from './openapi.js';

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
  @Operation({ id: 'getOpenApi', summary: 'This description', answer: documentSchema, access: 'open' })
  read(): Buffer {
    return this.openApi.json;
  }
}
