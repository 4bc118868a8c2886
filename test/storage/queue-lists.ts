import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { generic, type QueueApp } from './queue-app.js';

export function queueLists(app: () => QueueApp): void {
  describe('queue lists', () => {
    it('filter by status and reviewer, oldest first, in a dataset and over all', async () => {
      const one = await app().queue(4);
      const two = await app().queue(2);
      await app().post(`/api/queue/${one.items[1]}/claim`, { claimed_by: 'filter-ada' });
      await app().post(`/api/queue/${two.items[0]}/claim`, { claimed_by: 'filter-ada' });
      await app().post(`/api/queue/${one.items[2]}/claim`, { claimed_by: 'filter-bob' });
      await app().post(`/api/queue/${one.items[2]}/submit`, {});
      const ids = async (url: string): Promise<string[]> => (await app().pages(url, 1)).map(({ id }) => id);
      const of = (...numbers: number[]): string[] => numbers.map((n) => one.items[n]!);
      const dataset = `/api/datasets/${one.id}/queue`;
      expect(await ids(dataset)).toEqual(one.items);
      expect(await ids(`${dataset}?status=pending`)).toEqual(of(0, 3));
      expect(await ids(`${dataset}?status=completed`)).toEqual(of(2));
      expect(await ids(`${dataset}?claimed_by=filter-ada`)).toEqual(of(1));
      expect(await ids(`${dataset}?claimed_by=filter-bob&status=claimed`)).toEqual([]);
      expect(await ids('/api/queue?claimed_by=filter-ada')).toEqual([one.items[1], two.items[0]]);
      expect(await ids('/api/queue?claimed_by=FILTER-ADA')).toEqual([]);
      expect(await ids('/api/queue?claimed_by=a%00b')).toEqual([]);
      expect((await ids('/api/queue?status=completed')).filter((id) => one.items.includes(id))).toEqual(of(2));
    });

    it('are counted for each dataset, by status', async () => {
      const before = await app().counts();
      expect(before.every(({ pending, claimed, completed }) => pending + claimed + completed > 0)).toBe(true);
      const mixed = await app().queue(6);
      const done = await app().queue(1);
      const { id: empty } = await app().dataset(2);
      for (const n of [0, 1, 3]) await app().post(`/api/queue/${mixed.items[n]}/claim`, { claimed_by: 'ada' });
      for (const item of [mixed.items[1], done.items[0]]) {
        await app().post(`/api/queue/${item}/claim`);
        await app().post(`/api/queue/${item}/submit`);
      }
      const { body: oldest } = await app().get(`/api/queue/${mixed.items[2]}`);
      const after = await app().counts();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.slice(before.length)).toEqual([
        {
          ...{ dataset_id: mixed.id, name: 'd', pending: 3, claimed: 2, completed: 1 },
          oldest_pending_at: oldest.created_at,
        },
        { dataset_id: done.id, name: 'd', pending: 0, claimed: 0, completed: 1, oldest_pending_at: null },
      ]);
      expect(after.map(({ dataset_id: id }) => id)).not.toContain(empty);
      await app().deleteDataset(mixed.id);
      expect((await app().counts()).map(({ dataset_id: id }) => id)).toEqual([
        ...before.map(({ dataset_id: id }) => id),
        done.id,
      ]);
      expect((await app().get('/api/count/queue?limit=1')).status).toBe(400);
    });

    it('refuse parameters and cursors that are none', async () => {
      const { id } = await app().queue(2);
      for (const url of ['/api/queue', `/api/datasets/${id}/queue`]) {
        for (const query of ['status=open', 'limit=0', 'limit=1001', 'limit=x', 'status=pending&status=claimed']) {
          const { status, body } = await app().get(`${url}?${query}`);
          expect([query, status, body.code]).toEqual([query, 400, 'validation_failed']);
        }
        const foreign = Buffer.from(JSON.stringify(['datasets', 'x', 'x'])).toString('base64url');
        for (const cursor of ['x', foreign]) {
          const { status, body } = await app().get(`${url}?claimed_by=a%00b&cursor=${cursor}`);
          expect([status, body.code]).toEqual([400, 'invalid_cursor']);
        }
      }
    });

    it('show a thousand items unless given otherwise', async () => {
      const { id, items } = await app().queue(1_001);
      const { body } = await app().get(`/api/datasets/${id}/queue`);
      expect(body.items.map((item) => item.id)).toEqual(items.slice(0, 1_000));
      const rest = await app().get(`/api/datasets/${id}/queue?cursor=${body.next_cursor}`);
      expect([rest.body.items.map((item) => item.id), rest.body.next_cursor]).toEqual([[items[1_000]], null]);
    });

    it('stay stable while items arrive', async () => {
      const { id, ids } = await app().dataset(80);
      const arrive = async (count: number): Promise<string[]> => {
        const items = await app().enqueue(id, ids.splice(0, count));
        for (const item of items) await app().post(`/api/queue/${item}/claim`, { claimed_by: 'arrivals' });
        return items;
      };
      const first = await arrive(20);
      for (const url of [`/api/datasets/${id}/queue`, '/api/queue?claimed_by=arrivals']) {
        const seen = (await app().pages(url, 4, async () => void (await arrive(2)))).map((item) => item.id);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(seen.toSorted());
        expect(seen.slice(0, first.length)).toEqual(first);
        expect(seen.length).toBeGreaterThan(first.length);
      }
    });

    it('skip no item that matches all the while, however others come and go', async () => {
      const { id, items } = await app().queue(60);
      const steady = items.filter((_, n) => n % 3 === 0);
      const restless = items.filter((_, n) => n % 3 !== 0);
      const stop = new AbortController();
      const flip = async (mine: readonly string[]): Promise<void> => {
        for (let n = 0; !stop.signal.aborted; n++) {
          const item = mine[Math.floor(n / 2) % mine.length];
          await app().post(`/api/queue/${item}/${n % 2 === 0 ? 'claim' : 'release'}`);
          // Calls within the process would leave no turn to answers from other threads.
          await nextTurn();
        }
      };
      const flips = [0, 1, 2, 3].map((part) => flip(restless.filter((_, n) => n % 4 === part)));
      for (let round = 0; round < 4; round++) {
        const page = await app().pages(`/api/datasets/${id}/queue?status=pending`, 5);
        const seen = page.map((item) => item.id);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((item) => steady.includes(item))).toEqual(steady);
        expect(new Set(page.map(({ status }) => status))).toEqual(new Set(['pending']));
      }
      stop.abort();
      await Promise.all(flips);
    });

    it('end a page early when the items are large', async () => {
      // One read takes 16 MiB: both of these, were it not for the first, which has its text twice.
      const large = 'x'.repeat(5.5 * (1 << 20));
      const { id, items } = await app().queue([generic(`${large}0`), generic(`${large}1`)]);
      await app().post(`/api/queue/${items[0]}/claim`);
      await app().post(`/api/queue/${items[0]}/submit`, { edited_data: large });
      const { body } = await app().get(`/api/datasets/${id}/queue`);
      expect(body.count).toBe(1);
      expect(body.next_cursor).not.toBeNull();
      const all = await app().pages(`/api/datasets/${id}/queue`, 1_000);
      expect(all.map((item) => item.id)).toEqual(items);
    });
  });
}
