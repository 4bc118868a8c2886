/** One line limits one route: `limit` of `@Operation` (docs/spec/limits.md#requests-of-a-route). */
import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Operation } from '@spandrel/http';
import { createLogger, defineFeature } from '@spandrel/kernel';
import { FEATURES, openServer, type OpenedServer } from '@spandrel/server';
import { z } from 'zod';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { testSettings } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, cloudEnvironment, createTenant } from '../support/tenant.ts';
import { Api } from '../support/api.ts';

@Controller('api/rare')
class RareController {
  @Get()
  @Operation({ id: 'readRarely', summary: 'Once a second', access: 'read', answer: z.object({}), limit: 1 })
  read() {
    return {};
  }
}

@Module({ controllers: [RareController] })
class RareModule {}

const rare = defineFeature({ name: 'rare', module: RareModule, entities: [], requires: [] });

describe('a limit of one route', () => {
  let postgres: TestPostgres;
  let server: OpenedServer;
  let url: string;
  let key: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    const settings = testSettings(cloudEnvironment(await createMigrated(postgres, 'route-limit')));
    server = await openServer(settings, {
      logger: createLogger('silent', 'test'),
      features: [...FEATURES, rare],
    });
    await server.app.listen({ port: 0, host: '127.0.0.1' });
    url = await server.app.getUrl();
    ({ key } = await createTenant(new Api(url).as(ADMIN_TOKEN), {}));
  });
  afterAll(async () => {
    await server?.close();
    await postgres?.stop();
  });

  const ask = (path: string): Promise<Response> => fetch(url + path, { headers: { authorization: `Bearer ${key}` } });

  it('is named by its answers, and touches no other route', async () => {
    const first = await ask('/api/rare');
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([
      200,
      expect.stringMatching(/^"org";q=\d+;w=1, "route";q=1;w=1$/),
    ]);
    let refused: Response | undefined;
    await until(async () => {
      const answers = await Promise.all([ask('/api/rare'), ask('/api/rare')]);
      refused = answers.find(({ status }) => status === 429);
      return refused !== undefined;
    });
    expect(refused?.headers.get('ratelimit')).toBe('"route";r=0;t=1');
    expect(await refused?.json()).toMatchObject({
      code: 'rate_limited',
      detail: 'this route has reached its limit of 1 request a second',
    });
    const other = await ask('/api/datasets');
    expect([other.status, other.headers.get('ratelimit-policy')]).toEqual([
      200,
      expect.stringMatching(/^"org";q=\d+;w=1$/),
    ]);
  });
});
