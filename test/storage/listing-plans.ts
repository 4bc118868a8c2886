import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { listSpansSchema } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { SpanStore } from '@spandrel/tracing';
import { SpanListStore } from '../../libs/tracing/src/listing/span-list.store.js';
import { compareBy, containsText, filters, matches, SORTS } from './listing.js';
import { sampleTraces, samples, SAMPLE_COUNT, span, type Sample } from './samples.js';
import type { TracingApp } from './tracing-app.js';
import { repetitions } from '../support/repetitions.ts';

const SLOT_MS = 2 ** 23;
/** Slots of time that the spans start in: some hold many of them, some few, and there are gaps. */
const SLOTS = [0, 0, 0, 0, 1, 2, 2, 5, 6, -3];

/** Lists are the same whichever way their spans are found: in each of these limits other ways are taken. */
const LIMITS = [
  { ofFilter: 0, toSort: 0, inBuckets: 0, searched: 0, hits: 3 },
  { ofFilter: 2, toSort: 2, inBuckets: 5, searched: 1, hits: 40 },
  { ofFilter: 30, toSort: 100, inBuckets: 60, searched: 1_000, hits: 10_000 },
  { ofFilter: 2_000, toSort: 20_000, inBuckets: 1_000, searched: 30_000, hits: 10_000 },
];

export function listingPlans(app: () => TracingApp): void {
  describe('lists, however their spans are found,', () => {
    const all = samples(SAMPLE_COUNT).map((sample, i): Sample => ({
      ...sample,
      startedAt: sample.startedAt + SLOTS[i % SLOTS.length]! * SLOT_MS,
    }));

    beforeAll(async () => {
      await app().delete('/api/traces');
      const { body } = await app().post('/api/ingest', { traces: sampleTraces, spans: all.map(span) });
      expect(body.rejected).toEqual([]);
      await app().analyze();
    });

    async function ids(
      query: object,
      limits: (typeof LIMITS)[number],
      between?: () => Promise<void>,
    ): Promise<string[]> {
      const store = new SpanListStore(app().storage, app().provided(SpanStore), limits);
      const found: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await store.list(LOCAL_SCOPE, listSpansSchema.parse({ ...query, cursor }));
        found.push(...page.items.map(({ id }) => id));
        if (page.nextCursor === null) return found;
        cursor = page.nextCursor;
        await between?.();
      }
    }

    const expectedOf = (filter: Record<string, string>, { text, sort, order }: Search): string[] =>
      all
        .filter((sample) => matches(sample, filter))
        .filter(({ input, output }) => text === undefined || containsText([input, output], text))
        .toSorted(compareBy(sort, order))
        .map(({ id }) => id);

    it.each(LIMITS)('equal a filter over all spans (%j)', async (limits) => {
      await fc.assert(
        fc.asyncProperty(fewFilters, searches, async (filter, search) => {
          const query = { ...filter, sort_by: search.sort, sort_order: search.order, limit: search.limit };
          const found = await ids(
            { ...query, ...(search.text !== undefined && { text_contains: search.text }) },
            limits,
          );
          expect(found).toEqual(expectedOf(filter, search));
        }),
        // Where a statement finds three spans at most, lists take many of them.
        { numRuns: repetitions(limits.hits === 3 ? 15 : 30) },
      );
    });

    it.each(LIMITS.slice(1, 3))('stay stable while rows arrive (%j)', async (limits) => {
      let arrived = 0;
      const arrive = async (): Promise<void> => {
        const late = all
          .slice(0, 20)
          .map((sample) => ({ ...span(sample), id: `zz-late-${++arrived}`, trace_id: 'late' }));
        await app().post('/api/ingest', { traces: [{ id: 'late' }], spans: late });
      };
      for (const sort of SORTS) {
        for (const filter of [{}, { duration_min: '1' }, { name_contains: 'a' }] as Record<string, string>[]) {
          const seen = await ids({ ...filter, sort_by: sort, limit: '60' }, limits, arrive);
          expect(new Set(seen).size).toBe(seen.length);
          const known = seen.filter((id) => !id.startsWith('zz-late'));
          expect(known).toEqual(expectedOf(filter, { sort, order: 'desc' }));
          await app().delete('/api/traces/late');
        }
      }
    });
  });
}

interface Search {
  sort: (typeof SORTS)[number];
  order: 'asc' | 'desc';
  text?: string | undefined;
  limit?: string;
}

/** Few filters together, so that most lists are not empty. */
const fewFilters = fc.tuple(filters, fc.nat(15), fc.nat(2)).map(([filter, from, count]): Record<string, string> => {
  const members = Object.entries(filter) as [string, string][];
  return Object.fromEntries([...members.slice(from % 8), ...members].slice(0, count));
});

const searches: fc.Arbitrary<Search> = fc.record({
  sort: fc.constantFrom(...SORTS),
  order: fc.constantFrom('asc', 'desc'),
  text: fc.option(fc.constantFrom('hello', 'zzz', '12'), { nil: undefined, freq: 2 }),
  limit: fc.constantFrom('40', '100', '1000'),
});
