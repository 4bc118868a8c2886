/** The review queue on both databases. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { forUpdate, sql, type StorageConfig } from '@spandrel/storage';
import { startPostgres, type TestPostgres } from '../support/postgres.js';
import { QueueApp } from './queue-app.js';
import { queueLists } from './queue-lists.js';
import { queueModel } from './queue-model.js';
import { queueRaces } from './queue-races.js';
import { queueRules } from './queue-rules.js';
import { queueStaleClaims } from './queue-stale-claims.js';

const directory = mkdtempSync(join(tmpdir(), 'spandrel-queue-'));
let postgres: TestPostgres | undefined;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** What every database must do alike. @param instances that may be on one of it at once. */
function describeQueue(name: string, newDatabase: () => Promise<StorageConfig>, instances: number): void {
  describe(`the review queue on ${name}`, () => {
    const apps: QueueApp[] = [];

    beforeAll(async () => {
      const database = await newDatabase();
      for (let n = 0; n < instances; n++) apps.push(await QueueApp.open(database));
    });

    afterAll(async () => {
      for (const app of apps) await app.close();
    });

    const app = (): QueueApp => apps[0]!;
    queueRules(app);
    queueLists(app);
    queueRaces(() => apps);
    queueModel(app);
    queueStaleClaims(newDatabase, instances);
    if (instances > 1) nextAmongLocks(app);
  });
}

/** What only a database with many writers can show. */
function nextAmongLocks(app: () => QueueApp): void {
  const lock = async (item: string, meanwhile: () => Promise<void>): Promise<void> => {
    await app().storage.write(async (tx) => {
      await tx.all(
        sql`select q.id from queue_item q
          where q.project_id = ${LOCAL_SCOPE.projectId} and q.id = ${item}${forUpdate('q')}`,
      );
      await meanwhile();
    });
  };

  it('next passes over an item that another is at', async () => {
    const { id, items } = await app().queue(2);
    await lock(items[0]!, async () => {
      expect((await app().post(`/api/datasets/${id}/queue/next`)).body.id).toBe(items[1]);
    });
  });

  it('next waits for the last item rather than miss it', async () => {
    const { id, items } = await app().queue(1);
    let next: ReturnType<QueueApp['post']> | undefined;
    await lock(items[0]!, async () => {
      next = app().post(`/api/datasets/${id}/queue/next`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    const { status, body } = await next!;
    expect([status, body.id]).toEqual([200, items[0]]);
  });
}

describeQueue('SQLite', async () => ({ dialect: 'sqlite', file: join(directory, `${++databases}`, 'spandrel.db') }), 1);
describeQueue(
  'Postgres',
  async () => ({ dialect: 'postgres', url: await postgres!.createDatabase(`queue_${++databases}`) }),
  2,
);
