import { Controller, Get, Module } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadSettings, DomainError, defineFeature, createLogger } from '@spandrel/kernel';
import { AccessGuard } from './access/access.guard.js';
import { ApiModule } from './api.module.js';
import { GATEKEEPER, type Gatekeeper } from './access/caller.js';
import { CurrentScope } from './request-decorators.js';
import { HttpAdapter, writtenPage } from './text-answers.js';
import { Operation } from './operation.js';

const described = (id: string, access: 'read' | 'write' | 'open') =>
  Operation({ id, summary: id, access, answer: z.unknown() });

@Controller('api/things')
class ThingsController {
  @Get()
  @described('listThings', 'read')
  list(@CurrentScope() { projectId }: { projectId: string }) {
    return writtenPage('things', [JSON.stringify(projectId)]);
  }

  @Get('changed')
  @described('changeThings', 'write')
  change() {
    return {};
  }

  @Get('open')
  @described('openThings', 'open')
  open() {
    return {};
  }
}

const gatekeeper: Gatekeeper = {
  authenticate: ({ text }) => {
    if (text !== 'key') throw new DomainError('unauthenticated', 'the credential is not valid');
    const scope = { orgId: 'o', projectId: 'p' };
    return { kind: 'api_key', id: 'k', scope, permissions: ['read'], expiresAt: null };
  },
  admit: () => undefined,
};

@Module({
  controllers: [ThingsController],
  providers: [{ provide: GATEKEEPER, useValue: gatekeeper }],
  exports: [GATEKEEPER],
})
class ThingsModule {}

let app: NestFastifyApplication | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

function testingModule(mode: 'local' | 'cloud', module: typeof ThingsModule | undefined): TestingModuleBuilder {
  const settings = loadSettings([], { args: [], env: {}, cwd: '/' });
  settings.core.mode = mode;
  const api = ApiModule.forRoot({
    settings,
    plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
    logger: createLogger('silent', 'test'),
    features: module ? [defineFeature({ name: 'things', module, entities: [], requires: [] })] : [],
    modules: [],
  });
  return Test.createTestingModule({ imports: [api] });
}

/** Nest's application over a testing module, with nothing of Fastify's that the program adds to it. */
async function ask(builder: TestingModuleBuilder, url: string, key?: string): Promise<[number, string]> {
  app = (await builder.compile()).createNestApplication<NestFastifyApplication>(new HttpAdapter());
  await app.init();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const { statusCode, body } = await app.inject({ method: 'GET', url, headers });
  return [statusCode, body];
}

describe('the module of the API in a testing module', () => {
  it.each([
    ['/api/things', 'key', 200, '{"things":["p"],"count":1}'],
    ['/api/things', undefined, 401, 'a credential is needed'],
    ['/api/things', 'other', 401, 'the credential is not valid'],
    ['/api/things/changed', 'key', 403, 'this needs a credential with the scope write'],
    ['/api/things/open', undefined, 200, '{}'],
    ['/api/things?page=2', 'key', 400, 'page is not a query parameter of this route'],
  ])('has its guard asked for %s with the key %s', async (url, key, status, text) => {
    const answer = await ask(testingModule('cloud', ThingsModule), url, key);
    expect(answer).toEqual([status, expect.stringContaining(text)]);
  });

  it('lets a test override the guard', async () => {
    const builder = testingModule('cloud', ThingsModule).overrideProvider(AccessGuard);
    expect(await ask(builder.useValue({ canActivate: () => true }), '/api/things/changed')).toEqual([200, '{}']);
  });

  it('asks for no credential in local mode', async () => {
    expect((await ask(testingModule('local', ThingsModule), '/api/things'))[0]).toBe(200);
  });

  it('refuses cloud mode without somebody who checks credentials', async () => {
    await expect(testingModule('cloud', undefined).compile()).rejects.toThrow('cloud mode needs the feature "access"');
  });
});
