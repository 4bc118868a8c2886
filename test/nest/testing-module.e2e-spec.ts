/** A feature's module under `@nestjs/testing`, one of its providers replaced (CONTRIBUTING.md#run-and-test). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuditTrailModule } from '@spandrel/audit';
import { ApiModule, HttpAdapter } from '@spandrel/http';
import { createLogger } from '@spandrel/kernel';
import { MaskingModule } from '@spandrel/masking';
import { openDatabase } from '@spandrel/server';
import { StorageModule, type Storage } from '@spandrel/storage';
import { CountQueues } from '../../libs/queue/src/count-queues.js';
import { QueueModule } from '../../libs/queue/src/queue.module.js';
import { testSettings } from '../support/server-app.ts';

const counts = { dataset_id: 'd', name: 'made up', pending: 1, claimed: 2, completed: 3, oldest_pending_at: null };

let storage: Storage;
let app: NestFastifyApplication;

beforeAll(async () => {
  const settings = testSettings();
  const logger = createLogger('silent', 'test');
  storage = await openDatabase(settings, { logger });
  const plugins = { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] };
  const modules = [StorageModule.forRoot(storage, []), AuditTrailModule, MaskingModule];
  const tested = await Test.createTestingModule({
    imports: [ApiModule.forRoot({ settings, plugins, logger, features: [], modules }), QueueModule],
  })
    .overrideProvider(CountQueues)
    .useValue({ execute: async () => ({ datasets: [counts], count: 1 }) })
    .compile();
  app = tested.createNestApplication<NestFastifyApplication>(new HttpAdapter());
  await app.init();
});
afterAll(async () => {
  await app?.close();
  await storage?.close();
});

describe("a feature's module in a testing module", () => {
  it('answers with the provider that a test puts in the place of its own', async () => {
    const answer = await app.inject({ method: 'GET', url: '/api/count/queue' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { datasets: [counts], count: 1 }]);
  });

  it('has all its other providers, over a database', async () => {
    const made = await app.inject({ method: 'POST', url: '/api/datasets', payload: { name: 'some' } });
    const { id } = made.json<{ id: string }>();
    const answer = await app.inject({ method: 'GET', url: `/api/datasets/${id}/queue` });
    expect([made.statusCode, answer.statusCode, answer.json().count]).toEqual([201, 200, 0]);
  });
});
