import { describe, expect, it } from '@jest/globals';
import type { TraceListItem } from '@spandrel/contract';
import type { TracingApp } from './tracing-app.js';

const at = (second: number): string => `2026-03-01T00:00:${String(second).padStart(2, '0')}.000Z`;

export function traceRules(app: () => TracingApp): void {
  describe('traces', () => {
    it('are stored and answered whole', async () => {
      const bare = await app().post('/api/traces', {});
      expect(bare.status).toBe(201);
      expect(bare.body).toEqual({
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        name: null,
        tags: [],
        session_id: null,
        user_id: null,
        metadata: {},
        started_at: expect.any(String),
        ended_at: null,
      });
      const body = {
        name: 'chat',
        tags: ['b', 'a', 'b'],
        session_id: ' S',
        user_id: 'u',
        metadata: { k: [1, null] },
        started_at: '2026-03-01T02:00:00+02:00',
      };
      const { body: trace } = await app().post('/api/traces', body);
      expect(trace).toEqual({ ...body, id: trace.id, started_at: at(0), ended_at: null });
      expect((await app().get(`/api/traces/${trace.id}`)).body).toMatchObject({ trace, spans: [], count: 0 });
    });

    it('are made once per client-chosen id', async () => {
      const body = { id: 'replayed', name: 'n', metadata: { a: 1, b: 2 } };
      const first = await app().post('/api/traces', body);
      const again = await app().post('/api/traces', {
        metadata: { b: 2, a: 1 },
        name: 'n',
        id: 'replayed',
        tags: null,
      });
      expect([again.status, again.body]).toEqual([201, first.body]);
      const other = await app().post('/api/traces', { ...body, name: 'm' });
      expect([other.status, other.body.code]).toEqual([409, 'id_conflict']);
      const count = (await app().pages('/api/traces?name_contains=n', 'traces', 100)).filter(
        ({ id }) => id === 'replayed',
      );
      expect(count).toHaveLength(1);
    });

    it('are made once also when the same create comes many times at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app().post('/api/traces', { id: 'at-once', name: 'n' })),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    });

    it('change only the members given', async () => {
      const { body: trace } = await app().post('/api/traces', {
        name: 'n',
        tags: ['x', 'y'],
        session_id: 's-p',
        metadata: { a: 1 },
      });
      const patched = await app().patch(`/api/traces/${trace.id}`, { tags: ['z'], session_id: null });
      expect(patched.body).toEqual({ ...trace, tags: ['z'], session_id: null });
      expect((await app().pages('/api/traces?tag=x', 'traces', 10)).map(({ id }) => id)).not.toContain(trace.id);
      expect((await app().pages('/api/traces?tag=z', 'traces', 10)).map(({ id }) => id)).toContain(trace.id);
      expect((await app().get('/api/sessions/s-p')).status).toBe(404);
      expect((await app().patch('/api/traces/nowhere', {})).body.code).toBe('trace_not_found');
    });

    it('end with their last span, and open again with a new one', async () => {
      const { body: trace } = await app().post('/api/traces', { started_at: at(0) });
      const of = { trace_id: trace.id, name: 's' };
      const { body: a } = await app().post('/api/spans', { ...of, started_at: at(1) });
      const { body: b } = await app().post('/api/spans', { ...of, started_at: at(2) });
      await app().post(`/api/spans/${a.id}/complete`, { ended_at: at(9) });
      const read = async (): Promise<TraceListItem> => (await app().get(`/api/traces/${trace.id}`)).body.trace;
      expect(await read()).toMatchObject({ ended_at: null, status: 'running', duration_ms: null });
      await app().post(`/api/spans/${b.id}/fail`, { error: 'x', ended_at: at(5) });
      expect(await read()).toMatchObject({ ended_at: at(9), status: 'failed', error_count: 1, duration_ms: 9000 });
      const { body: c } = await app().post('/api/spans', { ...of, started_at: at(10) });
      expect(await read()).toMatchObject({ ended_at: null, status: 'running' });
      await app().delete(`/api/spans/${c.id}`);
      await app().delete(`/api/spans/${a.id}`);
      expect(await read()).toMatchObject({ ended_at: at(5), span_count: 1 });
    });

    it('are found by each filter and all of them together', async () => {
      const make = (body: object): Promise<string> =>
        app()
          .post('/api/traces', body)
          .then((answer) => answer.body.id);
      const a = await make({
        name: 'Find 100%_"\\ me',
        tags: ['f1', 'f2'],
        user_id: 'fu',
        session_id: 'fs',
        started_at: at(1),
      });
      const b = await make({ name: 'find other', tags: ['f1'], user_id: 'fu', started_at: at(2) });
      const ids = async (query: string): Promise<string[]> =>
        (await app().pages(`/api/traces?${query}`, 'traces', 1)).map(({ id }) => id);
      expect(await ids('tag=f1')).toEqual([b, a]);
      expect(await ids('tag=f1&tag=f2')).toEqual([a]);
      expect(await ids('tag=f1&tag=none')).toEqual([]);
      expect(await ids('user_id=fu')).toEqual([b, a]);
      expect(await ids('session_id=fs')).toEqual([a]);
      expect(await ids(`name_contains=${encodeURIComponent('100%_"\\ ME')}`)).toEqual([a]);
      expect(await ids(`tag=f1&since=${at(2)}`)).toEqual([b]);
      expect(await ids(`tag=f1&until=${at(2)}`)).toEqual([a]);
      expect(await ids('tag=f1&status=running')).toEqual([b, a]);
      expect(await ids('tag=f1&status=completed')).toEqual([]);
      expect(await ids('user_id=%00')).toEqual([]);
    });

    it('form sessions by the exact text of their session id', async () => {
      for (const [session, second] of [
        ['A', 1],
        ['a', 2],
        [' a', 3],
        ['A', 4],
      ] as const) {
        const { body } = await app().post('/api/traces', {
          session_id: session,
          started_at: `2020-${at(second).slice(5)}`,
        });
        await app().post('/api/ingest', {
          spans: [
            {
              id: `in-${body.id}`,
              trace_id: body.id,
              name: 's',
              kind: { type: 'llm_call', model: 'm', input_tokens: 3, cost: 0.1 },
              ended_at: at(9),
              started_at: at(8),
            },
          ],
        });
      }
      const sessions = (await app().pages('/api/sessions', 'sessions', 1)).filter(({ session_id: id }) =>
        /^\s?[Aa]$/.test(id),
      );
      expect(sessions.map(({ session_id: id }) => id)).toEqual([' a', 'a', 'A']);
      expect(sessions[2]).toEqual({
        session_id: 'A',
        trace_count: 2,
        span_count: 2,
        error_count: 0,
        total_tokens: 6,
        total_cost: 0.2,
        unpriced_count: 0,
        user_ids: [],
        started_at: '2020-03-01T00:00:01.000Z',
        ended_at: at(9),
      });
      expect((await app().get('/api/sessions/A')).body).toMatchObject({ session_id: 'A', count: 2, next_cursor: null });
      expect((await app().get('/api/sessions/%20a')).body.count).toBe(1);
      expect((await app().get('/api/sessions/a%20')).body.code).toBe('session_not_found');
    });

    it('are deleted with all of their spans, however many', async () => {
      const spans = Array.from({ length: 2_100 }, (_, i) => ({
        id: `big-${i}`,
        trace_id: 'big',
        name: 's',
        started_at: at(i % 60),
      }));
      await app().post('/api/ingest', { traces: [{ id: 'big', tags: ['bigtag'], started_at: at(0) }], spans });
      await app().analyze();
      const read = await app().get('/api/traces/big');
      expect(read.body.count).toBe(2_100);
      const order = read.body.spans.map(({ started_at: start, id }) => `${start} ${id}`);
      expect(order).toEqual([...order].toSorted());
      expect((await app().delete('/api/traces/big')).body).toEqual({ trace_id: 'big', spans_deleted: 2_100 });
      expect((await app().get('/api/spans/big-7')).status).toBe(404);
      expect((await app().get('/api/spans?trace_id=big')).body).toEqual({ spans: [], count: 0, next_cursor: null });
      expect((await app().get('/api/traces?tag=bigtag')).body.count).toBe(0);
      expect((await app().delete('/api/traces/big')).body.code).toBe('trace_not_found');
      expect((await app().post('/api/traces', { id: 'big' })).status).toBe(201);
    });
  });
}
