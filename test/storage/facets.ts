import { beforeAll, describe, expect, it } from '@jest/globals';
import { FACETS, type Facet, type FacetName } from '@spandrel/contract';
import { sampleTraces, samples, SAMPLE_COUNT, span, type Sample } from './samples.js';
import type { TracingApp } from './tracing-app.js';

const DAY = '2026-05-01T00:00:00.0';

/** Values that filters can take, on both databases. */
export function facets(app: () => TracingApp): void {
  describe('facets', () => {
    const all = samples(SAMPLE_COUNT);
    const named = sampleTraces.map((trace, i) => ({ ...trace, name: i % 3 === 2 ? null : `run ${i % 3}` }));

    beforeAll(async () => {
      await app().delete('/api/traces');
      const { body } = await app().post('/api/ingest', { traces: named, spans: all.map(span) });
      expect(body.rejected).toEqual([]);
      await app().analyze();
    });

    const values = async (query: string, limit = 2): Promise<string[]> =>
      (await app().pages<Facet>(`/api/facets?${query}`, 'facets', limit)).map(({ value, count }) => {
        expect(count).toBeNull();
        return value;
      });

    const ofSpans: Partial<Record<FacetName, (sample: Sample) => string | null>> = {
      model: ({ model }) => model,
      provider: ({ provider }) => provider,
      kind: ({ kindType }) => kindType,
      span_name: ({ name }) => name,
    };
    const ofTraces: Partial<Record<FacetName, (trace: (typeof named)[number]) => (string | null)[]>> = {
      tag: ({ tags }) => tags,
      trace_name: ({ name }) => [name],
      user: ({ user_id: user }) => [user],
      session: ({ session_id: session }) => [session],
    };
    const expected = (of: FacetName, from = 0, until = Infinity): string[] => {
      const within = (at: number): boolean => at >= from && at < until;
      const found =
        of in ofSpans
          ? all.filter(({ startedAt }) => within(startedAt)).map((sample) => ofSpans[of]!(sample))
          : named.filter(({ started_at: at }) => within(Date.parse(at))).flatMap((trace) => ofTraces[of]!(trace));
      return [...new Set(found.filter((value) => value !== null))].toSorted((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      );
    };

    it.each(FACETS)('of %s are all values, each once, page by page', async (of) => {
      expect(expected(of).length).toBeGreaterThan(1);
      expect(await values(`of=${of}`)).toEqual(expected(of));
      expect(await values(`of=${of}`, 1_000)).toEqual(expected(of));
    });

    it.each(FACETS)('of %s are those that began in a range', async (of) => {
      for (const [since, until] of [
        ['01Z', '04Z'],
        ['03Z', '90Z'],
        ['99Z', '99Z'],
      ]) {
        const query = `of=${of}&since=${DAY}${since}&until=${DAY}${until}`;
        expect(await values(query)).toEqual(expected(of, Date.parse(`${DAY}${since}`), Date.parse(`${DAY}${until}`)));
      }
    });

    it('begin with a prefix, letter by letter', async () => {
      for (const prefix of ['a', 'A', '100%', 'é', '', 'zz', 'nul\0']) {
        const wanted = expected('span_name').filter((value) => value.startsWith(prefix));
        expect(await values(`of=span_name&prefix=${encodeURIComponent(prefix)}`)).toEqual(wanted);
        const names = expected('trace_name').filter((value) => value.startsWith(prefix));
        expect(await values(`of=trace_name&prefix=${encodeURIComponent(prefix)}`)).toEqual(names);
      }
    });

    it('go on from wherever a cursor stands, before the prefix too', async () => {
      const { next_cursor: cursor } = (await app().get('/api/facets?of=span_name&limit=1')).body;
      const [last, ...others] = expected('span_name').toReversed();
      const query = `of=span_name&prefix=${encodeURIComponent(last!)}&cursor=${cursor}`;
      const { facets: found } = (await app().get(`/api/facets?${query}`)).body as unknown as { facets: Facet[] };
      expect(others.length).toBeGreaterThan(1);
      expect(found.map(({ value }) => value)).toEqual([last]);
    });

    it('refuse what they do not know', async () => {
      const { next_cursor: cursor } = (await app().get('/api/facets?of=kind&limit=1')).body;
      expect((await app().get(`/api/facets?of=model&cursor=${cursor}`)).body.code).toBe('invalid_cursor');
      for (const query of ['', 'of=input', 'of=model&prefix=a&prefix=b']) {
        expect((await app().get(`/api/facets?${query}`)).body.code).toBe('validation_failed');
      }
    });
  });
}
