import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TRACE_SORT_KEYS, type TraceListItem, type TraceSortKey } from '@spandrel/contract';
import { repetitions } from '../support/repetitions.ts';
import { sampleTraces, samples, SAMPLE_COUNT, span, type Sample } from './samples.js';
import type { TracingApp } from './tracing-app.js';

/** Spans of a provider that few spans have, and of one that more have than are looked up beforehand. */
const MANY = 2_001;
const COMMON = Array.from({ length: MANY }, (_, n) => ({
  id: `common-${n}`,
  trace_id: 'common',
  name: 'c',
  kind: { type: 'llm_call', model: 'say "[\\"m0\\",1]"', provider: 'common' },
  started_at: '2026-05-01T00:00:00.020Z',
  ended_at: '2026-05-01T00:00:00.030Z',
}));

/** Traces sorted by what their roll-ups say, and filtered by it, on both databases. */
export function traceLists(app: () => TracingApp): void {
  describe('lists of traces', () => {
    const all = samples(SAMPLE_COUNT);
    let traces: TraceListItem[];

    beforeAll(async () => {
      await app().delete('/api/traces');
      // Traces without spans have no duration and no cost; they end up last whichever the order.
      const others = ['common', 'empty-1', 'empty-2'].map((id) => ({ id, started_at: '2026-05-01T00:00:00Z' }));
      const ended = all.map((sample) => ({ ...sample, status: finished(sample), duration: sample.duration ?? 1 }));
      const spans = [...ended.map(span), ...COMMON];
      const { body } = await app().post('/api/ingest', { traces: [...sampleTraces, ...others], spans });
      expect(body.rejected).toEqual([]);
      await app().analyze();
      traces = (await app().get('/api/traces?limit=1000')).body.traces;
      expect(traces.length).toBe(sampleTraces.length + 3);
    });

    const ids = async (query: string, limit = 3): Promise<string[]> =>
      (await app().pages<TraceListItem>(`/api/traces?${query}`, 'traces', limit)).map(({ id }) => id);

    describe.each(TRACE_SORT_KEYS)('by %s', (sort) => {
      it.each(['asc', 'desc'] as const)('%s are whole, in order, values missing last', async (order) => {
        const expected = traces.toSorted(compareBy(sort, order)).map(({ id }) => id);
        expect(await ids(`sort_by=${sort}&sort_order=${order}`)).toEqual(expected);
        expect(await ids(`sort_by=${sort}&sort_order=${order}&tag=even`, 2)).toEqual(
          expected.filter((id) => traces.find((trace) => trace.id === id)!.tags.includes('even')),
        );
      });
    });

    it('take any filters together, and are counted by them', async () => {
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom(...TRACE_SORT_KEYS), async (filter, sort) => {
          const query = new URLSearchParams(filter as Record<string, string>).toString();
          const expected = traces.filter((trace) => matches(trace, filter)).toSorted(compareBy(sort, 'desc'));
          expect(await ids(`${query}&sort_by=${sort}`)).toEqual(expected.map(({ id }) => id));
          expect((await app().get(`/api/count/traces?${query}`)).body).toEqual({ count: expected.length, exact: true });
        }),
        { numRuns: repetitions(40) },
      );
    });

    it.each(['p0', 'common', 'P0'])('are found by their provider: %s', async (provider) => {
      const expected = traces.filter((trace) => matches(trace, { provider })).toSorted(compareBy('started_at', 'desc'));
      expect(expected.length > 0).toBe(provider !== 'P0');
      expect(await ids(`provider=${provider}`)).toEqual(expected.map(({ id }) => id));
    });

    it('have cursors that are good for one sort and order', async () => {
      const { next_cursor: cursor } = (await app().get('/api/traces?limit=1&sort_by=cost')).body;
      for (const query of ['', 'sort_by=tokens', 'sort_by=cost&sort_order=asc']) {
        expect((await app().get(`/api/traces?${query}&cursor=${cursor}`)).body).toMatchObject({
          code: 'invalid_cursor',
        });
      }
      expect((await app().get('/api/traces?sort_by=name')).status).toBe(400);
    });

    it('still find few by their name among more than are looked through in order', async () => {
      await app().delete('/api/traces');
      const many = Array.from({ length: 1_200 }, (_, n) => ({
        id: `many-${String(n).padStart(4, '0')}`,
        name: [3, 700, 1_150].includes(n) ? 'a needle' : 'hay',
        started_at: `2025-01-01T00:00:0${Math.floor(n / 400)}Z`,
      }));
      for (const half of [many.slice(0, 600), many.slice(600)]) {
        expect((await app().post('/api/ingest', { traces: half })).body.rejected).toEqual([]);
      }
      const needles = ['many-0003', 'many-0700', 'many-1150'];
      expect(await ids('name_contains=needle&sort_order=asc', 2)).toEqual(needles);
      expect(await ids('name_contains=needle', 2)).toEqual(needles.toReversed());
      expect(await ids('name_contains=needle', 1)).toEqual(needles.toReversed());
      expect(await ids('name_contains=hay', 400)).toEqual(
        many.flatMap(({ id, name }) => (name === 'hay' ? id : [])).toReversed(),
      );
    });

    function matches(trace: TraceListItem, filter: Record<string, string | undefined>): boolean {
      const tests: Record<string, (value: string) => boolean> = {
        model: (value) => trace.models.includes(value),
        provider: (value) =>
          trace.id === 'common'
            ? value === 'common'
            : all.some((one) => one.traceId === trace.id && one.provider === value),
        duration_min: (value) => trace.duration_ms !== null && trace.duration_ms >= Number(value),
        duration_max: (value) => trace.duration_ms !== null && trace.duration_ms <= Number(value),
        cost_min: (value) => trace.total_cost !== null && trace.total_cost >= Number(value),
        tokens_min: (value) => trace.total_tokens >= Number(value),
        status: (value) => trace.status === value,
        tag: (value) => trace.tags.includes(value),
        user_id: (value) => trace.user_id === value,
      };
      return Object.entries(filter).every(([name, value]) => value === undefined || tests[name]!(value));
    }
  });
}

const finished = ({ status }: Sample): Sample['status'] => (status === 'running' ? 'completed' : status);

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const filters = fc
  .record({
    model: optional(fc.constantFrom('m0', 'm', 'say "[\\"m0\\",1]"', 'nul\0')),
    provider: optional(fc.constantFrom('p0', 'P0', 'common', 'nul\0')),
    duration_min: optional(fc.constantFrom('0', '50.5', '1e30')),
    duration_max: optional(fc.constantFrom('52', '10', '-1')),
    cost_min: optional(fc.constantFrom('0', '5', '0.000000001')),
    tokens_min: optional(fc.constantFrom('1', '100.5', '1e30')),
    status: optional(fc.constantFrom('failed', 'completed', 'running')),
    tag: optional(fc.constantFrom('even', 'none')),
    user_id: optional(fc.constantFrom('u0', 'u1')),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));

const VALUES: Record<TraceSortKey, (trace: TraceListItem) => number | null> = {
  started_at: ({ started_at: at }) => Date.parse(at),
  duration: ({ duration_ms: ms }) => ms,
  cost: ({ total_cost: cost }) => cost,
  tokens: ({ total_tokens: tokens }) => tokens,
  spans: ({ span_count: count }) => count,
};

function compareBy(sort: TraceSortKey, order: 'asc' | 'desc'): (a: TraceListItem, b: TraceListItem) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const [left, right] = [VALUES[sort](a), VALUES[sort](b)];
    if (left === null || right === null) return left === right ? byId(a, b) * sign : left === null ? 1 : -1;
    return left === right ? byId(a, b) * sign : (left - right) * sign;
  };
}

const byId = (a: TraceListItem, b: TraceListItem): number => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
