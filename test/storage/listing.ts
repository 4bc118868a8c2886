import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { SpanResource } from '@spandrel/contract';
import { span, type Sample, SAMPLE_COUNT, sampleTraces, samples } from './samples.js';
import type { TracingApp } from './tracing-app.js';
import { repetitions } from '../support/repetitions.ts';

export const SORTS = ['started_at', 'duration', 'tokens', 'cost', 'name'] as const;

export function listing(app: () => TracingApp): void {
  describe('lists', () => {
    const all = samples(SAMPLE_COUNT);

    beforeAll(async () => {
      await app().delete('/api/traces');
      const { body } = await app().post('/api/ingest', { traces: sampleTraces, spans: all.map(span) });
      expect(body.rejected).toEqual([]);
      await app().analyze();
    });

    const ids = (query: string, limit: number, between?: () => Promise<void>): Promise<string[]> =>
      app()
        .pages<SpanResource>(`/api/spans?${query}`, 'spans', limit, between)
        .then((items) => items.map(({ id }) => id));

    describe.each(SORTS)('by %s', (sort) => {
      it.each(['asc', 'desc'] as const)('%s are whole, in order, values missing last', async (order) => {
        const expected = all.toSorted(compareBy(sort, order)).map(({ id }) => id);
        for (const limit of [23, 1000])
          expect(await ids(`sort_by=${sort}&sort_order=${order}`, limit)).toEqual(expected);
      });
    });

    it('stay stable while rows arrive', async () => {
      const expected = new Set(all.map(({ id }) => id));
      let arrived = 0;
      const arrive = async (): Promise<void> => {
        const late = samples(5).map((sample) => ({
          ...span(sample),
          id: `zz-late-${++arrived}`,
          trace_id: 'late',
        }));
        await app().post('/api/ingest', { traces: [{ id: 'late' }], spans: late });
      };
      for (const sort of SORTS) {
        const seen = await ids(`sort_by=${sort}`, 40, arrive);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => expected.has(id))).toHaveLength(expected.size);
      }
      await app().delete('/api/traces/late');
    });

    it('take any filters together', async () => {
      await fc.assert(
        fc.asyncProperty(filters, async (filter) => {
          const query = new URLSearchParams(filter as Record<string, string>).toString();
          const expected = all.filter((sample) => matches(sample, filter)).toSorted(compareBy('started_at', 'desc'));
          expect(await ids(query, 30)).toEqual(expected.map(({ id }) => id));
        }),
        { numRuns: repetitions(40) },
      );
    });

    it('take a tag many times, which must all match', async () => {
      const expected = all.filter(({ traceId }) => traceId === 'sample-0').toSorted(compareBy('started_at', 'desc'));
      expect(await ids('tag=even&tag=third', 30)).toEqual(expected.map(({ id }) => id));
    });

    it('find text as it reads, whatever it is', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom('text', 'input', 'output'), needles, async (where, needle) => {
          const expected = all
            .filter(({ input, output }) =>
              containsText(where === 'input' ? [input] : where === 'output' ? [output] : [input, output], needle),
            )
            .toSorted(compareBy('started_at', 'desc'));
          expect(await ids(`${where}_contains=${encodeURIComponent(needle)}`, 25)).toEqual(
            expected.map(({ id }) => id),
          );
        }),
        { numRuns: repetitions(30) },
      );
    });

    it('refuse cursors that are not theirs', async () => {
      const { body } = await app().get('/api/spans?limit=1');
      const { body: traces } = await app().get('/api/traces?limit=1');
      const forged = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
      const bad = [
        ['sort_order=asc', body.next_cursor],
        ['sort_by=cost', body.next_cursor],
        ['', traces.next_cursor],
        ['', `${body.next_cursor}x`],
        ['', 'garbage'],
        ['', forged(['spans:started_at:desc', '1', 'x'])],
        ['', forged(['spans:started_at:desc', 1.5, 'x'])],
        ['', forged(['spans:started_at:desc', 1, 'nul\0'])],
        ['', forged(['spans:started_at:desc', 1])],
        ['sort_by=name', forged(['spans:name:desc', 'nul\0', 'x'])],
      ];
      for (const [query, cursor] of bad) {
        const answer = await app().get(`/api/spans?${query}&cursor=${cursor}`);
        expect([answer.status, answer.body.code]).toEqual([400, 'invalid_cursor']);
      }
    });

    // The last one: what it makes stays.
    it('take a tag and a session of more traces than are looked up beforehand', async () => {
      const start = '2026-05-02T00:00:00.000Z';
      const numbers = Array.from({ length: 1_100 }, (_, n) => String(n).padStart(4, '0'));
      const traces = numbers.map((n) => ({
        id: `crowd-${n}`,
        tags: ['crowd', ...(n.endsWith('7') ? ['seven'] : [])],
        session_id: 'crowd',
        started_at: start,
      }));
      const crowd = numbers.map((n) => ({ id: `crowd-${n}`, trace_id: `crowd-${n}`, name: 'c', started_at: start }));
      await app().post('/api/ingest', { traces, spans: crowd });
      const expected = crowd.map(({ id }) => id).toReversed();
      expect(await ids('tag=crowd', 400)).toEqual(expected);
      expect(await ids('session_id=crowd&tag=crowd', 1000)).toEqual(expected);
      expect(await ids('tag=crowd&tag=seven', 50)).toEqual(expected.filter((id) => id.endsWith('7')));
    });
  });
}

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

export const filters = fc
  .record({
    trace_id: optional(fc.constantFrom('sample-0', 'sample-1', 'unknown')),
    ids: optional(fc.constantFrom('sample-span-3', 'sample-span-40', 'nothing')),
    session_id: optional(fc.constantFrom('s0', 's1', 'S0')),
    user_id: optional(fc.constantFrom('u0', 'u1', 'U0')),
    tag: optional(fc.constantFrom('even', 'third', 'none')),
    kind: optional(fc.constantFrom('llm_call', 'tool_call')),
    model: optional(fc.constantFrom('m0', 'm1')),
    provider: optional(fc.constantFrom('p0', 'P0')),
    parent_id: optional(fc.constantFrom('sample-span-1', 'x')),
    status: optional(fc.constantFrom('running', 'completed', 'failed')),
    since: optional(fc.constantFrom('2026-05-01T00:00:00.010Z', '2026-05-01T00:00:00.011Z', '2026-05-01T04:00:00Z')),
    until: optional(fc.constantFrom('2026-05-01T00:00:00.030Z', '2026-05-01T00:00:00.011Z', '2026-05-01T13:59:59Z')),
    name_contains: optional(fc.constantFrom('a', 'B', '%', '_', '\\', 'É')),
    error_contains: optional(fc.constantFrom('E', '"used"', '_', 'x')),
    duration_min: optional(fc.constantFrom('0', '3', '2.5')),
    duration_max: optional(fc.constantFrom('5', '4.5', '-1')),
    tokens_min: optional(fc.constantFrom('0', '5', '1e30')),
    cost_min: optional(fc.constantFrom('0', '0.25')),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));

const needles = fc.oneof(
  fc.constantFrom(
    'hello',
    'HELLO',
    '100%',
    '_',
    '\\',
    '"',
    '\n',
    '12',
    'true',
    'é',
    'É',
    'key',
    '{',
    ',',
    '\0',
    '\u0001',
    'u0001',
    '😀',
    'null',
  ),
  fc.string({ minLength: 1, maxLength: 3 }),
);

export function matches(sample: Sample, filter: Record<string, string | undefined>): boolean {
  const trace = sampleTraces.find(({ id }) => id === sample.traceId)!;
  const tests: Record<string, (value: string) => boolean> = {
    trace_id: (value) => sample.traceId === value,
    ids: (value) => sample.id === value,
    session_id: (value) => trace.session_id === value,
    user_id: (value) => trace.user_id === value,
    tag: (value) => trace.tags.includes(value),
    kind: (value) => sample.kindType === value,
    model: (value) => sample.model === value,
    provider: (value) => sample.provider === value,
    parent_id: (value) => sample.parentId === value,
    status: (value) => sample.status === value,
    since: (value) => sample.startedAt >= Date.parse(value),
    until: (value) => sample.startedAt < Date.parse(value),
    name_contains: (value) => fold(sample.name).includes(fold(value)),
    error_contains: (value) => fold(sample.error ?? '').includes(fold(value)),
    duration_min: (value) => sample.duration !== null && sample.duration >= Number(value),
    duration_max: (value) => sample.duration !== null && sample.duration <= Number(value),
    tokens_min: (value) => sample.tokens !== null && sample.tokens >= Number(value),
    cost_min: (value) => sample.cost !== null && sample.cost >= Number(value),
  };
  return Object.entries(filter).every(([name, value]) => value === undefined || tests[name]!(value));
}

export function compareBy(sort: (typeof SORTS)[number], order: 'asc' | 'desc'): (a: Sample, b: Sample) => number {
  const valueOf = (sample: Sample): number | string | null => (sort === 'started_at' ? sample.startedAt : sample[sort]);
  const sign = order === 'asc' ? 1 : -1;
  const bytewise = (a: number | string, b: number | string): number =>
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
  return (a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left !== null && right !== null && left !== right) return sign * bytewise(left, right);
    if ((left === null) !== (right === null)) return left === null ? 1 : -1;
    return sign * bytewise(a.id, b.id);
  };
}

const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether a text anywhere in some values contains a needle. */
export const containsText = (values: unknown[], needle: string): boolean =>
  values.flatMap(textsIn).some((text) => fold(text).includes(fold(needle)));

function textsIn(value: unknown): string[] {
  if (value === null) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [String(value)];
}
