import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Facet, SpanResource, TraceListItem } from '@spandrel/contract';
import { sql } from '@spandrel/storage';
import { IndexMetadataTask } from '../../libs/tracing/src/metadata/index-metadata-task.js';
import { MetadataIndex } from '../../libs/tracing/src/metadata/metadata-index.store.js';
import { NO_METADATA_VALUES } from '../../libs/tracing/src/metadata/metadata.entity.js';
import type { TracingSettings } from '../../libs/tracing/src/tracing.settings.js';
import type { TracingApp } from './tracing-app.js';

type Facets = { facets: Facet[]; next_cursor: string | null };

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

    describe('with an index', () => {
      beforeAll(() => app().provided(IndexMetadataTask).run(new AbortController().signal));
      rules();

      it('are all of the facet of a key, of traces and spans', async () => {
        await app().post('/api/spans', { trace_id: 't2', name: 'late', metadata: { environment: 'Only a span' } });
        const facet = async (query: string) =>
          (await app().get(`/api/facets?of=metadata.${query}`)).body as unknown as Facets;
        const values = (query: string) => facet(query).then(({ facets }) => facets.map(({ value }) => value));
        const environments = ['Only a span', ...ENVIRONMENTS.toSorted()];
        expect(await values('environment')).toEqual(environments);
        expect(await values('environment&prefix=prod')).toEqual(['production']);
        expect(await values(`environment&until=${startOf(1)}`)).toEqual(['production']);
        const paged: string[] = [];
        for (let cursor = ''; ;) {
          const page = await facet(`environment&limit=1${cursor}`);
          paged.push(...page.facets.map(({ value }) => value));
          if (page.next_cursor === null) break;
          cursor = `&cursor=${page.next_cursor}`;
        }
        expect(paged).toEqual(environments);
        const refused = await app().get('/api/facets?of=metadata.customer');
        expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed']);
      });

      it('follow what changes and what goes', async () => {
        const indexed = async (): Promise<string[]> => {
          const rows = await app().get('/api/spans?metadata.environment=moved&limit=10');
          const traces = await app().get('/api/traces?metadata.environment=moved&limit=10');
          return [...rows.body.spans.map(({ id }) => id), ...traces.body.traces.map(({ id }) => id)];
        };
        await app().call('PATCH', '/api/traces/t1', { metadata: { environment: 'moved' } });
        await app().post('/api/spans', { id: 'new', trace_id: 't1', name: 'new', metadata: { environment: 'first' } });
        await app().post('/api/spans/new/complete', { metadata: { environment: 'moved' } });
        expect(await indexed()).toEqual(['new', 't1']);
        expect((await app().get('/api/spans?metadata.environment=first')).body.spans).toEqual([]);
        await app().delete('/api/spans/new');
        expect(await indexed()).toEqual(['t1']);
        await app().delete('/api/traces/t1');
        expect(await indexed()).toEqual([]);
        await app().post('/api/ingest', {
          traces: [{ id: 't1', name: 'run 1', started_at: startOf(1), metadata: metadataOf(1) }],
          spans: [{ id: 's1', trace_id: 't1', name: 'step 1', started_at: startOf(1), metadata: metadataOf(1) }],
        });
        const range = `since=${startOf(1)}&until=${startOf(2)}`;
        expect((await app().get(`/api/spans?metadata.environment=staging&${range}`)).body.spans).toHaveLength(1);
      });

      it('find nothing of another project', async () => {
        const other = await app().call('GET', '/api/spans?metadata.environment=staging', undefined, 'other');
        expect(other.body.spans).toEqual([]);
      });
    });

    describe('for what was written before the index, or under another key', () => {
      beforeAll(async () => {
        await app().storage.write(async (tx) => {
          await tx.run(sql`update span set metadata1 = null, metadata2 = 'stale'`);
          await tx.run(sql`update trace set metadata1 = 'stale', metadata2 = null`);
          await tx.run(sql`update metadata_key set complete = 0`);
        });
        await app().provided(MetadataIndex).findIncomplete();
      });
      const staging = expected((i) => i % 4 === 1);

      it('look at all until they are indexed, and then find the same', async () => {
        expect((await app().get('/api/facets?of=metadata.environment')).status).toBe(400);
        expect(await found({ 'metadata.environment': 'staging' })).toEqual(staging);
        await app().provided(IndexMetadataTask).run(new AbortController().signal);
        expect(await app().provided(MetadataIndex).findIncomplete()).toEqual([]);
        expect(await found({ 'metadata.environment': 'staging' })).toEqual(staging);
        for (const key of ['environment', 'release', 'version']) {
          expect(await found({ [`metadata.${key}`]: 'stale' })).toEqual([[], []]);
        }
      });
    });

    it('give columns to keys that are added, and look at all for those that are not', async () => {
      const { storage } = app();
      const indexOf = async (...indexedMetadata: string[]): Promise<MetadataIndex> => {
        const index = new MetadataIndex(storage, { indexedMetadata } as TracingSettings);
        await index.onModuleInit();
        return index;
      };
      const columns = (index: MetadataIndex, ...keys: string[]) => keys.map((key) => index.columnOf(key));
      const other = await indexOf('release', 'customer', 'version');
      // The column that was of `environment` has its values, until all were looked at.
      expect(columns(other, 'release', 'customer', 'version', 'environment')).toEqual([
        ...['metadata2', undefined, 'metadata3', undefined],
      ]);
      expect(await other.findIncomplete()).toEqual(['customer']);
      expect(
        other.fillColumns({ ...NO_METADATA_VALUES, metadata: '{"customer":"c","environment":"e"}' }),
      ).toMatchObject({
        ...{ metadata1: 'c', metadata2: null },
      });
      await other.setComplete(['customer']);
      expect(columns(other, 'customer')).toEqual(['metadata1']);
      const again = await indexOf('environment', 'release', 'version');
      expect(await again.findIncomplete()).toEqual(['environment']);
    });

    it('refuse a key that comes twice, and an empty one', async () => {
      for (const query of ['metadata.a=1&metadata.a=2', 'metadata.=1', 'metadata=1']) {
        expect((await app().get(`/api/traces?${query}`)).body.code).toBe('validation_failed');
        expect((await app().get(`/api/count/spans?${query}`)).body.code).toBe('validation_failed');
      }
    });
  });
}
