import { beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import type { TracingApp } from './tracing-app.js';

const LONG = 'x'.repeat(300);
const startOf = (i: number): string => new Date(Date.parse('2026-05-01T00:00:00Z') + i * 3_600_000).toISOString();
const ENVIRONMENTS = ['production', 'staging', 'a "quoted" \\ üñí 🙂'];

/** What traces and spans of this test have as metadata: of `environment` every value thrice, others rarer. */
const metadataOf = (i: number) => ({
  ...(i % 4 !== 3 && { environment: ENVIRONMENTS[i % 4] }),
  version: i % 2 === 0 ? 3 : '3',
  release: i % 3 === 0 ? true : { major: i % 3 },
  customer: `customer ${i % 5}`,
  nested: { environment: 'production', customer: 'nobody' },
  ...(i === 7 && { long: LONG, environment: LONG }),
});
const COUNT = 40;
const NUMBERS = Array.from({ length: COUNT }, (_, i) => i);

/** Filters on metadata of traces and spans, with an index and without. */
export function metadataFilters(app: () => TracingApp): void {
  describe('filters on metadata', () => {
    beforeAll(async () => {
      await app().delete('/api/traces');
      const traces = NUMBERS.map((i) => ({
        ...{ id: `t${i}`, name: `run ${i % 2}`, started_at: startOf(i), metadata: metadataOf(i) },
        ...{ tags: [`tag${i % 2}`], user_id: `u${i % 3}` },
      }));
      const spans = NUMBERS.map((i) => ({
        ...{ id: `s${i}`, trace_id: `t${i}`, name: `step ${i % 2}`, metadata: metadataOf(i) },
        ...{
          started_at: startOf(i),
          ended_at: startOf(i + 1),
          kind: { type: 'llm_call', model: `m${i % 2}`, cost: i },
        },
      }));
      const { body } = await app().post('/api/ingest', { traces, spans });
      expect(body.rejected).toEqual([]);
    });

    const found = async (query: Record<string, string>, limit = 7): Promise<[traces: string[], spans: string[]]> => {
      const all = new URLSearchParams(query).toString();
      const { sort_by: _by, sort_order: _order, ...filters } = query;
      const traces = await app().pages<TraceListItem>(`/api/traces?${all}`, 'traces', limit);
      const spans = await app().pages<SpanResource>(`/api/spans?${all}`, 'spans', limit);
      const counts = await Promise.all(
        ['traces', 'spans'].map(
          async (of) => (await app().get(`/api/count/${of}?${new URLSearchParams(filters).toString()}`)).body.count,
        ),
      );
      expect(counts).toEqual([traces.length, spans.length]);
      return [traces.map(({ id }) => id), spans.map(({ id }) => id)];
    };
    const expected = (takes: (i: number) => boolean): [string[], string[]] => {
      const taken = NUMBERS.filter(takes).toReversed();
      return [taken.map((i) => `t${i}`), taken.map((i) => `s${i}`)];
    };
    type Case = [title: string, query: Record<string, string>, takes: (i: number) => boolean];
    const cases: Case[] = [
      ...ENVIRONMENTS.map((value, at): Case => {
        return [`the value ${value}`, { 'metadata.environment': value }, (i) => i % 4 === at && i !== 7];
      }),
      ['a number and the same text', { 'metadata.version': '3' }, () => true],
      ['true', { 'metadata.release': 'true' }, (i) => i % 3 === 0],
      ['an object', { 'metadata.release': '{"major":2}' }, (i) => i % 3 === 2],
      ['a key without an index', { 'metadata.customer': 'customer 2' }, (i) => i % 5 === 2],
      ['a value too long for the index', { 'metadata.environment': LONG }, (i) => i === 7],
      ['no value that is there', { 'metadata.environment': 'prod' }, () => false],
      ['another case of letters', { 'metadata.customer': 'Customer 2' }, () => false],
      ['a member deeper within', { 'metadata.customer': 'nobody' }, () => false],
      [
        'several keys',
        { 'metadata.environment': 'staging', 'metadata.release': 'true', 'metadata.customer': 'customer 1' },
        (i) => i % 4 === 1 && i % 3 === 0 && i % 5 === 1,
      ],
      ['a tag', { 'metadata.environment': 'staging', tag: 'tag1' }, (i) => i % 4 === 1],
      ['a user', { 'metadata.environment': 'staging', user_id: 'u2' }, (i) => i % 4 === 1 && i % 3 === 2],
      ['a model', { 'metadata.environment': 'production', model: 'm0' }, (i) => i % 4 === 0],
      ['a name', { 'metadata.environment': 'production', name_contains: '0' }, (i) => i % 4 === 0],
      [
        'a range of time',
        { 'metadata.environment': 'production', since: startOf(5), until: startOf(20) },
        (i) => i % 4 === 0 && i >= 5 && i < 20,
      ],
    ];

    const rules = (): void => {
      it.each(cases)('take those with %s', async (_title, query, takes) => {
        expect(await found(query)).toEqual(expected(takes));
        expect(await found(query, 1_000)).toEqual(expected(takes));
      });

      it('keep every order', async () => {
        const [traces, spans] = await found({ 'metadata.environment': 'staging', sort_order: 'asc' });
        expect([traces, spans]).toEqual(expected((i) => i % 4 === 1).map((ids) => ids.toReversed()));
        for (const key of ['environment', 'customer']) {
          const query = { [`metadata.${key}`]: key === 'customer' ? 'customer 1' : 'staging', sort_by: 'cost' };
          const takes = (i: number): boolean => (key === 'customer' ? i % 5 === 1 : i % 4 === 1);
          expect(await found(query)).toEqual(expected(takes));
        }
      });
    };

    rules();

    it('refuse a key that comes twice, and an empty one', async () => {
      for (const query of ['metadata.a=1&metadata.a=2', 'metadata.=1', 'metadata=1']) {
        expect((await app().get(`/api/traces?${query}`)).body.code).toBe('validation_failed');
        expect((await app().get(`/api/count/spans?${query}`)).body.code).toBe('validation_failed');
      }
    });
  });
}
