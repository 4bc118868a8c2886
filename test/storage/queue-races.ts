import { describe, expect, it } from '@jest/globals';
import { generic, type QueueAnswer, type QueueApp } from './queue-app.js';

const CALLERS = 50;
/** Callers that would deadlock do so in one round of seven; on a database that one instance has alone they cannot. */
const ROUNDS_OF_NEXT = { alone: 2, together: 8 };
const fromAll = (call: (n: number) => Promise<QueueAnswer>): Promise<QueueAnswer[]> =>
  Promise.all(Array.from({ length: CALLERS }, (_, n) => call(n)));
const statuses = (answers: readonly QueueAnswer[], status: number): QueueAnswer[] =>
  answers.filter((answer) => answer.status === status);

/** @param apps instances on one database; one where it takes one alone. */
export function queueRaces(apps: () => readonly QueueApp[]): void {
  const app = (n = 0): QueueApp => apps()[n % apps().length]!;

  describe('at once', () => {
    it('one of many claims wins', async () => {
      const { id, items } = await app().queue(1);
      const answers = await fromAll((n) => app(n).post(`/api/queue/${items[0]}/claim`, { claimed_by: `r${n}` }));
      const won = statuses(answers, 200);
      const lost = statuses(answers, 409);
      expect([won.length, lost.length]).toEqual([1, CALLERS - 1]);
      expect(new Set(lost.map(({ body }) => body.code))).toEqual(new Set(['queue_item_already_claimed']));
      expect((await app().get(`/api/queue/${items[0]}`)).body).toEqual(won[0]!.body);
      expect(await app().events(id)).toEqual([won[0]!.body]);
    });

    it('one of many submits wins', async () => {
      const { id, items } = await app().queue(1);
      await app().post(`/api/queue/${items[0]}/claim`);
      const submit = (n: number) => {
        const query = n % 2 === 0 ? '?apply=true' : '';
        return app(n).post(`/api/queue/${items[0]}/submit${query}`, { edited_data: generic(n) });
      };
      const won = statuses(await fromAll(submit), 200);
      expect(won).toHaveLength(1);
      expect((await app().get(`/api/queue/${items[0]}`)).body).toEqual(won[0]!.body);
      expect(await app().events(id)).toHaveLength(2);
    });

    it('each caller of next gets an item of its own', async () => {
      const retries = (): Promise<number[]> => Promise.all(apps().map((one) => one.retries()));
      const before = await retries();
      for (let round = 0; round < ROUNDS_OF_NEXT[apps().length > 1 ? 'together' : 'alone']; round++) {
        const { id, items } = await app().queue(30);
        const answers = await fromAll((n) => app(n).post(`/api/datasets/${id}/queue/next`, { claimed_by: `r${n}` }));
        const given = statuses(answers, 200).map(({ body }) => body.id);
        expect(given.toSorted()).toEqual(items);
        const codes = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
        expect(codes).toEqual(Array.from({ length: CALLERS - items.length }, () => 'queue_item_not_found'));
        expect((await app().events(id)).map((item) => item.id).toSorted()).toEqual(items);
      }
      // They waited for one another: none was a victim of a deadlock, which would have cost it a second.
      expect(await retries()).toEqual(before);
    });

    it('reviewers who skip get each item once between them, and never one that they left out', async () => {
      const { id, items } = await app().queue(30);
      const skipped = items.slice(0, 10);
      const next = (n: number) =>
        app(n).post(`/api/datasets/${id}/queue/next`, { claimed_by: `r${n}`, exclude: n % 2 === 0 ? skipped : [] });
      const answers = await fromAll(next);
      const given = statuses(answers, 200).map(({ body }) => body.id);
      expect(given.toSorted()).toEqual(items);
      const toSkippers = statuses(answers, 200).filter(({ body }) => Number(body.claimed_by!.slice(1)) % 2 === 0);
      expect(toSkippers.length).toBeGreaterThan(0);
      expect(toSkippers.filter(({ body }) => skipped.includes(body.id))).toEqual([]);
    });

    it('next and refused actions on the same items leave none behind', async () => {
      const { id, items } = await app().queue(20);
      const answers = await Promise.all([
        ...items.map((_, n) => app(n).post(`/api/datasets/${id}/queue/next`)),
        ...items.map((item, n) => app(n + 1).post(`/api/queue/${item}/release`)),
      ]);
      const given = answers.slice(0, items.length);
      // A release may hand an item back behind a claim; nobody hears that none is left while one is.
      expect(new Set(given.map(({ status }) => status))).toEqual(new Set([200]));
    });

    it('many enqueues make one item for a datapoint', async () => {
      const { id, ids } = await app().dataset(20);
      const enqueue = (n: number) =>
        app(n).post(`/api/datasets/${id}/queue`, { datapoint_ids: n % 2 === 0 ? ids : ids.toReversed() });
      const answers = await fromAll(enqueue);
      expect(statuses(answers, 201)).toHaveLength(CALLERS);
      const made = answers.flatMap(({ body }) => body.items.map((item) => item.id));
      expect(new Set(made).size).toBe(ids.length);
      expect((await app().get(`/api/datasets/${id}/queue`)).body.count).toBe(ids.length);
    });

    it('deletes and actions leave no item without its datapoint', async () => {
      const { id, ids } = await app().queue(20);
      await Promise.all([
        ...ids.map((datapoint, n) => app(n).deleteDatapoint(id, datapoint)),
        ...ids.map((datapoint, n) => app(n + 1).post(`/api/datasets/${id}/queue`, { datapoint_ids: [datapoint] })),
        ...ids.map(async (_, n) => {
          const { status, body } = await app(n + 1).post(`/api/datasets/${id}/queue/next`);
          if (status !== 200) return;
          const kind = { edited_data: generic('edited') };
          const submitted = await app(n).post(`/api/queue/${body.id}/submit?apply=true`, kind);
          expect([200, 404]).toContain(submitted.status);
        }),
      ]);
      expect((await app().get(`/api/datasets/${id}/queue`)).body.count).toBe(0);
    });
  });
}
