import { describe, expect, it } from '@jest/globals';
import type { Body, TracingApp } from './tracing-app.js';

const START = '2026-04-01T00:00:00.000Z';
const END = '2026-04-01T00:00:02.000Z';

export function ingestRules(app: () => TracingApp): void {
  const ingest = async (body: object): Promise<Body> => (await app().post('/api/ingest', body)).body;
  const span = async (id: string): Promise<Body> => (await app().get(`/api/spans/${id}`)).body;

  describe('ingest', () => {
    it('takes whole traces and spans, children before parents', async () => {
      const spans = [
        {
          id: 'ig-child',
          trace_id: 'ig',
          parent_id: 'ig-parent',
          name: 'c',
          started_at: START,
          ended_at: END,
          output: 1,
        },
        { id: 'ig-parent', trace_id: 'ig', name: 'p', started_at: START, error: 'bad', ended_at: END },
        { id: 'ig-run', trace_id: 'ig', name: 'r', kind: null, started_at: START },
      ];
      const result = await ingest({ traces: [{ id: 'ig', name: 't', tags: ['ig'], started_at: START }], spans });
      expect(result).toEqual({ accepted: { traces: 1, spans: 3 }, rejected: [] });
      expect(await span('ig-child')).toMatchObject({ status: 'completed', metadata: { duration_ms: 2000 }, output: 1 });
      expect(await span('ig-parent')).toMatchObject({ status: { failed: { error: 'bad' } }, ended_at: END });
      expect(await span('ig-run')).toMatchObject({ status: 'running', ended_at: null });
      expect((await app().get('/api/traces/ig')).body.trace).toMatchObject({
        name: 't',
        status: 'running',
        span_count: 3,
      });
    });

    it('rejects items one by one and says which', async () => {
      await ingest({ traces: [{ id: 'ir-a' }, { id: 'ir-b' }], spans: [{ id: 'ir-1', trace_id: 'ir-a', name: 's' }] });
      const { accepted, rejected } = await ingest({
        traces: [{ id: 'ir-c' }, { id: 'bad id' }, 7],
        spans: [
          { id: 'ir-2', trace_id: 'ir-c', name: 's' },
          { id: 'ir-3', trace_id: 'unknown', name: 's' },
          { id: 'ir-1', trace_id: 'ir-b', name: 's' },
          { id: 'ir-4', trace_id: 'ir-c' },
          { id: 'ir-5', trace_id: 'ir-c', name: 's', started_at: END, ended_at: START },
          { id: 'ir-6', trace_id: 'ir-c', name: 's', status: 'running', ended_at: END },
          { id: 'ir-7', trace_id: 'nul\0', name: 's' },
          { id: 'ir-8', trace_id: 'ir-c', name: 's', kind: { type: 'llm_call' } },
        ],
      });
      expect(accepted).toEqual({ traces: 1, spans: 1 });
      expect(rejected.map(({ collection, index, code }) => [collection, index, code])).toEqual([
        ['traces', 1, 'validation_failed'],
        ['traces', 2, 'validation_failed'],
        ['spans', 1, 'trace_not_found'],
        ['spans', 2, 'id_conflict'],
        ['spans', 3, 'validation_failed'],
        ['spans', 4, 'validation_failed'],
        ['spans', 5, 'validation_failed'],
        ['spans', 6, 'validation_failed'],
        ['spans', 7, 'validation_failed'],
      ]);
      expect(rejected.every(({ message }) => message.length > 0)).toBe(true);
      expect((await app().get('/api/traces/ir-c')).body.count).toBe(1);
    });

    it('never lets a finished span run again, and takes other values for a correction', async () => {
      const finished = {
        id: 'if',
        trace_id: 'if',
        name: 's',
        input: 'in',
        output: 'out',
        started_at: START,
        ended_at: END,
      };
      await ingest({ traces: [{ id: 'if', started_at: START }], spans: [finished] });
      const before = await span('if');
      await ingest({ spans: [{ id: 'if', trace_id: 'if', name: 'late', input: 'other', started_at: START }] });
      expect(await span('if')).toEqual(before);
      await ingest({ spans: [finished, finished] });
      expect(await span('if')).toEqual(before);
      const corrected = {
        id: 'if',
        trace_id: 'if',
        name: 's2',
        status: 'failed',
        error: 'no',
        ended_at: '2026-04-01T00:00:01Z',
      };
      await ingest({ spans: [corrected] });
      expect(await span('if')).toMatchObject({
        name: 's2',
        input: 'in',
        output: 'out',
        error: 'no',
        metadata: { duration_ms: 1000 },
      });
      expect((await app().get('/api/traces/if')).body.trace).toMatchObject({
        span_count: 1,
        error_count: 1,
        status: 'failed',
        ended_at: '2026-04-01T00:00:01.000Z',
      });
    });

    it('comes to the same whatever the order of start and end', async () => {
      const start = { trace_id: 'io', name: 's', input: 'in', parent_id: 'p', started_at: START };
      const end = { trace_id: 'io', name: 's', output: 'out', started_at: START, ended_at: END };
      await ingest({
        traces: [{ id: 'io' }],
        spans: [
          { id: 'io-1', ...start },
          { id: 'io-1', ...end },
        ],
      });
      await ingest({ spans: [{ id: 'io-2', ...end }] });
      await ingest({ spans: [{ id: 'io-2', ...start }] });
      expect({ ...(await span('io-2')), id: 'io-1' }).toEqual(await span('io-1'));
    });

    it('replaces the given members of a trace, and takes defaults only when it makes one', async () => {
      await ingest({ traces: [{ id: 'it', defaults: { name: 'default', started_at: START } }] });
      expect((await app().get('/api/traces/it')).body.trace).toMatchObject({ name: 'default', started_at: START });
      await ingest({ traces: [{ id: 'it', tags: ['x'], defaults: { name: 'unused', started_at: END } }] });
      expect((await app().get('/api/traces/it')).body.trace).toMatchObject({
        name: 'default',
        tags: ['x'],
        started_at: START,
      });
      await ingest({ traces: [{ id: 'it', started_at: END }] });
      expect((await app().get(`/api/traces?tag=x&since=${END}`)).body.traces.map(({ id }) => id)).toContain('it');
    });

    it('is idempotent when the same batch comes many times at once', async () => {
      const spans = Array.from({ length: 300 }, (_, i) => ({
        id: `same-${i}`,
        trace_id: `same-${i % 3}`,
        name: 's',
        started_at: START,
        ended_at: END,
      }));
      const batch = { traces: [0, 1, 2].map((i) => ({ id: `same-${i}` })), spans };
      const results = await Promise.all(
        [batch, { ...batch, spans: spans.toReversed() }, batch, batch].map((body) => ingest(body)),
      );
      for (const result of results) expect(result).toEqual({ accepted: { traces: 3, spans: 300 }, rejected: [] });
      expect((await app().get('/api/traces/same-1')).body.trace.span_count).toBe(100);
    });
  });
}
