/** The review queue on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { forUpdate } from '@spandrel/storage';
import { describeOnDatabase, forBothDatabases, showsAll, type TestDatabase } from '../support/databases.ts';
import { QueueApp } from './queue-app.js';
import { queueLists } from './queue-lists.js';
import { queueModel } from './queue-model.js';
import { queueRaces } from './queue-races.js';
import { queueRules, queueSizes } from './queue-rules.js';
import { queueStaleClaims } from './queue-stale-claims.js';
import { anyRows } from '../support/any-rows.ts';

/** What every database must do alike. @param instances that may be on one of it at once. */
function describeQueue(on: TestDatabase, instances: number): void {
  describeOnDatabase(on, 'the review queue', (suite) => {
    const newDatabase = () => suite.newDatabase('queue');
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
    if (showsAll(on.name)) queueSizes(app);
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
        anyRows()`select q.id from queue_item q
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

forBothDatabases((database) => describeQueue(database, database.name === 'Postgres' ? 2 : 1));
