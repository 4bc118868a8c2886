import { Body, Controller, Get, Global, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadSettings, defineFeature, createLogger } from '@spandrel/kernel';
import { GATEKEEPER } from '../access/caller.js';
import { createHttpApp } from '../create-http-app.js';
import { Operation } from '../operation.js';
import { OpenApi } from './openapi.controller.js';

const probeSchema = z.object({ id: z.string() }).meta({ id: 'Thing' });

@Controller('api/probes')
class DescribedController {
  @Post(':id/act')
  @Operation({ id: 'actOnProbe', access: 'write', summary: 'Act', answer: probeSchema, problems: ['trace_not_found'] })
  act(@Body({ schema: z.object({ note: z.string().optional() }) }) body: unknown) {
    return body as { id: string };
  }
}

@Controller('api/forgotten')
class ForgottenController {
  @Get()
  read() {
    return {};
  }
}

@Module({ controllers: [DescribedController] })
class DescribedModule {}

@Module({ controllers: [ForgottenController] })
class ForgottenModule {}

@Global()
@Module({ providers: [{ provide: GATEKEEPER, useValue: {} }], exports: [GATEKEEPER] })
class GateModule {}

let app: NestFastifyApplication | undefined;
afterEach(() => app?.close());

async function openApiOf(module: new () => object, mode: 'local' | 'cloud' = 'local'): Promise<OpenApi> {
  const settings = loadSettings([], { args: [], env: {}, cwd: '/' });
  settings.core.mode = mode;
  app = await createHttpApp({
    settings,
    plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
    logger: createLogger('silent', 'test'),
    features: [
      defineFeature({
        name: 'probe',
        tag: { name: 'Probes', description: 'Of tests.' },
        module,
        entities: [],
        requires: [],
      }),
    ],
    modules: mode === 'cloud' ? [GateModule] : [],
  });
  return app.get(OpenApi);
}

describe('the OpenAPI document of an app', () => {
  it('describes the routes of its features', async () => {
    const { document } = await openApiOf(DescribedModule);
    expect(document.tags.map(({ name }) => name).toSorted()).toEqual(['Operations', 'Probes']);
    expect(document.paths['/api/probes/{id}/act']).toEqual({
      post: {
        operationId: 'actOnProbe',
        summary: 'Act',
        tags: ['Probes'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { type: 'object', properties: { note: { type: 'string' } } } } },
        },
        responses: expect.objectContaining({
          201: expect.objectContaining({
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          }),
          404: { $ref: '#/components/responses/TraceNotFound' },
        }),
        security: [{}, { bearer: [] }],
      },
    });
  });

  it('says that cloud mode needs a credential', async () => {
    const { document } = await openApiOf(DescribedModule, 'cloud');
    expect(document.paths['/api/probes/{id}/act']!['post']!.security).toEqual([{ bearer: [] }]);
    expect(document.paths['/api/health']!['get']!.security).toEqual([]);
  });

  it.each(['local', 'cloud'] as const)('stops the start in %s mode when nobody described a route', async (mode) => {
    await expect(openApiOf(ForgottenModule, mode)).rejects.toThrow('ForgottenController.read has no @Operation');
  });
});
