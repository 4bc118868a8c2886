import { describe, expect, it } from '@jest/globals';
import type { EvalRunResource, Problem } from '@spandrel/contract';
import { sql } from '@spandrel/storage';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';

export function lifeOfRuns(lab: () => EvalsLab): void {
  describe('the life of a run', () => {
    const slow = (count: number, ms: number) => Array.from({ length: count }, (_, i) => `fake:slow:${ms} ${i}`);

    it('is followed by events: started, one progress an item, completed', async () => {
      const { id } = await lab().dataset(...slow(9, 5));
      const run = await lab().run(id);
      const events = lab().eventsOf(run.id);
      expect(events).toEqual([
        { type: 'eval_started', run_id: run.id, dataset_id: id },
        ...Array.from({ length: 9 }, (_, i) => ({
          ...{ type: 'eval_progress', run_id: run.id, progress: i + 1, total: 9 },
          ...{ sample_progress: i + 1, sample_total: 9 },
        })),
        { type: 'eval_completed', run_id: run.id },
      ]);
      expect(Date.parse(run.ended_at!)).toBeGreaterThanOrEqual(Date.parse(run.started_at!));
    });

    it('calls so many at once and no more, and shows what is running', async () => {
      const { id } = await lab().dataset(...Array.from({ length: 12 }, (_, i) => `fake:held ${i}`));
      const { body } = await lab().start(id);
      const running: number[] = [];
      await until(async () => {
        if (running.includes(4)) lab().provider.release();
        const { status, result_items } = await lab().read(body.id);
        running.push(result_items.filter((item) => item.status === 'running').length);
        expect(result_items).toHaveLength(12);
        return status === 'completed';
      });
      expect(Math.max(...running)).toBe(4);
    });

    it('is cancelled at once; what is in flight is kept, nothing new begins', async () => {
      const { id } = await lab().dataset(...slow(100, 200));
      const { body } = await lab().start(id);
      await until(async () => (await lab().summary(body.id)).progress >= 4);
      lab().provider.requests.length = 0;
      const { status, body: cancelled } = await lab().api.post<EvalRunResource>(`/api/eval/${body.id}/cancel`);
      expect([status, cancelled.status]).toEqual([200, 'cancelled']);
      const before = cancelled.progress;
      await until(async () => (await lab().read(body.id)).result_items.every((item) => item.status !== 'running'));
      const run = await lab().read(body.id);
      expect(run.progress).toBeGreaterThanOrEqual(before);
      expect(run.progress).toBeLessThanOrEqual(before + 8);
      expect(run.result_items.filter((item) => item.status === 'completed')).toHaveLength(run.progress);
      expect(run.result_items.filter((item) => item.status === 'pending')).toHaveLength(100 - run.progress);
      expect(run.ended_at).not.toBeNull();
      expect(
        lab()
          .eventsOf(body.id)
          .filter(({ type }) => type === 'eval_cancelled'),
      ).toHaveLength(1);
      expect(
        lab()
          .eventsOf(body.id)
          .some(({ type }) => type === 'eval_completed'),
      ).toBe(false);
      const again = await lab().api.post<Problem>(`/api/eval/${body.id}/cancel`);
      expect([again.status, again.body.code]).toEqual([400, 'eval_run_not_running']);
    });

    it('cannot be cancelled once it is over', async () => {
      const { id } = await lab().dataset('x');
      const run = await lab().run(id);
      const { status, body } = await lab().api.post<Problem>(`/api/eval/${run.id}/cancel`);
      expect([status, body.code]).toEqual([400, 'eval_run_not_running']);
    });

    it('ends with its deletion, also in the middle', async () => {
      const { id } = await lab().dataset(...slow(40, 100));
      const { body } = await lab().start(id);
      await until(async () => (await lab().summary(body.id)).progress >= 1);
      const { status, body: deleted } = await lab().api.delete(`/api/eval/${body.id}`);
      expect([status, deleted]).toEqual([200, { id: body.id, deleted: true }]);
      const asked = lab().asked().size;
      expect((await lab().api.get<Problem>(`/api/eval/${body.id}`)).body.code).toBe('eval_run_not_found');
      expect(await lab().runs(id)).toEqual([]);
      // Two of the waits that a slot would need for a further item.
      await new Promise((resolve) => setTimeout(resolve, 250));
      // What had begun when the run was deleted may still have been sent.
      expect(lab().asked().size).toBeLessThanOrEqual(asked + 4);
      expect((await lab().run(id)).status).toBe('completed');
    });

    it('keeps its snapshot when another run is deleted while it starts', async () => {
      const { id, datapointIds } = await lab().dataset('as it was');
      const other = await lab().run(id);
      const { storage } = lab().server;
      const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = storage.write(async (tx) => {
        await tx.run(sql`update dataset set name = 'held' where id = ${id}`);
        locked.resolve();
        await held.promise;
      });
      await locked.promise;
      const started = lab().start(id);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const deleted = lab().api.delete(`/api/eval/${other.id}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      held.resolve();
      await holding;
      expect([(await started).status, (await deleted).status]).toEqual([201, 200]);
      await lab().ended((await started).body.id);
      const edited = { kind: { Generic: { input: 'edited' } } };
      await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${datapointIds[0]}`, edited);
      const { result_items: items } = await lab().read((await started).body.id);
      expect(items.map(({ input }) => input)).toEqual(['as it was']);
    });

    it('ends with its dataset', async () => {
      const { id } = await lab().dataset(...slow(12, 60));
      const { body } = await lab().start(id);
      await until(async () => (await lab().summary(body.id)).progress >= 1);
      expect((await lab().api.delete(`/api/datasets/${id}`)).status).toBe(200);
      expect((await lab().api.get<Problem>(`/api/eval/${body.id}`)).status).toBe(404);
    });

    it('holds its connection', async () => {
      const { body: connection } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        name: 'held',
        provider: 'custom',
        api_key: '',
        base_url: `${lab().provider.url}/v1`,
      });
      const { id } = await lab().dataset('fake:held one', 'fake:held two');
      for (const config of [
        { connection_id: connection.id, model: 'm' },
        { model: 'm', judge: { connection_id: connection.id } },
      ]) {
        const { body } = await lab().start(id, { config });
        const refused = await lab().api.delete<Problem>(`/api/provider-connections/${connection.id}`);
        expect([refused.status, refused.body.code]).toEqual([409, 'connection_in_use']);
        const releasing = setInterval(() => lab().provider.release(), 20);
        await lab().ended(body.id);
        clearInterval(releasing);
      }
      expect((await lab().api.delete(`/api/provider-connections/${connection.id}`)).status).toBe(200);
      const runs = await lab().runs(id);
      expect(runs).toHaveLength(2);
    });

    it('goes on beside many others, and beside other requests', async () => {
      const { id } = await lab().dataset(...slow(10, 20));
      const runs = await Promise.all(Array.from({ length: 12 }, () => lab().start(id)));
      for (const { status, body } of runs) {
        expect(status).toBe(201);
        expect(await lab().ended(body.id)).toMatchObject({ status: 'completed', progress: 10, failed_count: 0 });
      }
    });
  });
}
