import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { sql } from '@spandrel/storage';
import type { TracingChange } from '@spandrel/tracing';
import type { TracingApp } from './tracing-app.js';

export function participants(app: () => TracingApp): void {
  describe('participants', () => {
    const committed: TracingChange[] = [];
    let poisoned: string | undefined;

    beforeAll(() => {
      app().register({
        name: 'witness',
        async onCommit(tx, changes) {
          if (poisoned && JSON.stringify(changes).includes(poisoned)) throw new Error('poison');
          await tx.run(
            sql`update trace set user_id = 'seen' where project_id = ${LOCAL_SCOPE.projectId} and id = 'pa'`,
          );
        },
        afterCommit: (changes) => void committed.push(...changes),
      });
    });

    afterAll(() => {
      poisoned = undefined;
    });

    const types = (): string[] => committed.splice(0).map(({ type }) => type);

    it('hear of every change once, in order, and of nothing that changed nothing', async () => {
      await app().post('/api/traces', { id: 'pa' });
      await app().post('/api/spans', { id: 'pa-1', trace_id: 'pa', name: 's' });
      await app().post('/api/spans', { id: 'pa-1', trace_id: 'pa', name: 's' });
      await app().post('/api/spans/pa-1/complete', {});
      await app().post('/api/spans/pa-1/complete', {});
      expect(types()).toEqual(['trace_created', 'span_created', 'span_completed']);
      const finished = { id: 'pa-2', trace_id: 'pa', name: 's', ended_at: '2026-01-01T00:00:00Z' };
      await app().post('/api/ingest', { spans: [finished, finished] });
      expect(types()).toEqual(['span_created', 'span_completed']);
      await app().post('/api/ingest', { spans: [{ ...finished, name: 't' }] });
      await app().delete('/api/spans/pa-2');
      await app().patch('/api/traces/pa', { name: 'x' });
      await app().patch('/api/traces/pa', { name: 'x' });
      expect(types()).toEqual(['span_corrected', 'span_deleted', 'trace_updated']);
      expect((await app().get('/api/traces/pa')).body.trace.user_id).toBe('seen');
      await app().delete('/api/traces/pa');
      expect(types()).toEqual(['trace_deleted']);
    });

    it('that fail lose only the write they fail on, whole', async () => {
      await app().post('/api/traces', { id: 'po' });
      poisoned = 'poisonous';
      const answers = await Promise.all(
        ['po-1', 'poisonous', 'po-2', 'po-3'].map((id) => app().post('/api/spans', { id, trace_id: 'po', name: 's' })),
      );
      poisoned = undefined;
      expect(answers.map(({ status }) => status)).toEqual([201, 500, 201, 201]);
      expect((await app().get('/api/spans/poisonous')).status).toBe(404);
      expect((await app().get('/api/traces/po')).body.trace.span_count).toBe(3);
    });

    it('that fail once it is durable hurt nobody', async () => {
      types();
      app().register({
        name: 'stumbling',
        afterCommit: () => {
          throw new Error('after all');
        },
      });
      app().register({ name: 'last', afterCommit: (changes) => void committed.push(...changes) });
      expect((await app().post('/api/traces', { id: 'st' })).status).toBe(201);
      expect((await app().delete('/api/traces/st')).status).toBe(200);
      expect(types()).toEqual(['trace_created', 'trace_created', 'trace_deleted', 'trace_deleted']);
    });

    it('hear of a clearing as one change', async () => {
      types();
      const { status, body } = await app().delete('/api/traces');
      expect([status, typeof body.message]).toEqual([200, 'string']);
      expect(types()).toEqual(['cleared', 'cleared']);
      expect((await app().get('/api/traces')).body.count).toBe(0);
      expect((await app().get('/api/spans')).body.count).toBe(0);
      expect((await app().get('/api/sessions')).body.count).toBe(0);
    });
  });
}
