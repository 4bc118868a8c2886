import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { until } from '../support/spandrel.ts';
import { QueueApp } from './queue-app.js';

/** @param instances on one database at once. */
export function queueStaleClaims(newDatabase: () => Promise<StorageConfig>, instances: number): void {
  describe(`stale claims with ${instances} on the database`, () => {
    const apps: QueueApp[] = [];

    beforeAll(async () => {
      const database = await newDatabase();
      for (let n = 0; n < instances; n++) apps.push(await QueueApp.open(database, { claimTimeoutSeconds: 1 }));
    });

    afterAll(async () => {
      for (const app of apps) await app.close();
    });

    it('are released, each once and with an event; nothing else is', async () => {
      // More than are released in one round.
      const { id, items } = await apps[0]!.queue(130);
      const stale = items.slice(2);
      const claim = (item: string) => apps[0]!.post(`/api/queue/${item}/claim`, { claimed_by: 'ada' });
      // At once: the others take longer than a claim is good for on a busy machine.
      await claim(items[1]!);
      await apps[0]!.post(`/api/queue/${items[1]}/submit`, {});
      for (const item of stale) await claim(item);
      const pending = async (): Promise<number> =>
        (await apps[0]!.get(`/api/datasets/${id}/queue?status=pending`)).body.count;
      await until(async () => (await pending()) === stale.length + 1);
      const { body } = await apps[0]!.get(`/api/datasets/${id}/queue?status=pending`);
      for (const item of body.items) expect([item.claimed_by, item.claimed_at]).toEqual([null, null]);
      const reported = (await apps[0]!.events(id)).filter(({ status }) => status === 'pending');
      expect(reported.map((item) => item.id).toSorted()).toEqual(stale);
      expect((await apps[0]!.get(`/api/queue/${items[1]}`)).body.status).toBe('completed');
    });

    it('are not those that are young', async () => {
      const { id, items } = await apps[0]!.queue(1);
      const claimedAt = Date.now();
      await apps[0]!.post(`/api/queue/${items[0]}/claim`);
      await until(async () => (await apps[0]!.events(id)).length === 2);
      expect(Date.now() - claimedAt).toBeGreaterThanOrEqual(1_000);
    });
  });
}
