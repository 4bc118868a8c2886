import assert from 'node:assert/strict';
import type { ReadStorePlugin } from '../plugin.js';
import {
  READ_STORE_SORTS,
  type ReadStore,
  type ReadStoreFilters,
  type ReadStoreListQuery,
  type ReadStoreSpan,
  type ReadStoreState,
  type ReadStoreTexts,
} from '../read-store.js';
import { MemoryReadStore } from './memory-read-store.js';
import { describePlugin, type ConfigFixtures, type TestFunctions } from './set-up-plugin.js';

export interface ReadStoreContract<Config> {
  plugin: ReadStorePlugin<Config>;
  configs: ConfigFixtures;
  /** One store for all tests, whose content may go; the caller closes it. */
  provide: () => Promise<ReadStore>;
}

const PROJECT = 'p';
const DAY_MS = 86_400_000;

/** Values that differ in case, script, size and presence. */
const NAMES = ['plan', 'Plan', 'été', 'ÉTÉ', '計画', '😀', '\uffff', '100%_\\', "it's"];
const TEXTS = [
  null,
  '"Hello"',
  '{"a":"say \\"Hi\\"","b":[1,2.5,true]}',
  '"100%_ \\\\ off"',
  '"Straße 計画 😀"',
  '"x\\ny"',
];
const NEEDLES = ['hello', 'say \\"hi', '100%_', '\\\\ off', 'straße', '計画', '😀', 'x\\ny', 'no such text', 'l', '"'];

/** Spans of which many share values; every run has the same. */
function someSpans(count: number): ReadStoreSpan[] {
  let state = 7;
  const next = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const one = <T>(values: readonly T[]): T => values[next(values.length * 7) % values.length]!;
  return Array.from({ length: count }, (_, at) => {
    const status = one(['running', 'completed', 'completed', 'failed'] as const);
    const started_at = 1_790_000_000_000 + next(12) * 997 * DAY_MS * (next(3) - 1) + next(5);
    const duration_ms = status === 'running' ? null : one([0, 1, 17, 5_000, 2 ** 40]);
    return {
      id: `${one(['s', 'S', 'x.'])}${at}`,
      trace_id: `t${next(9)}`,
      name: one(NAMES),
      kind: one(['llm_call', 'custom', 'Tool']),
      model: one([null, 'gpt', 'Claude', "o'1"]),
      provider: one([null, 'openai']),
      status,
      input_tokens: one([null, 3]),
      output_tokens: null,
      total_tokens: one([null, 0, 8, 1_000_000]),
      cost: one([null, 0, 0.1 + 0.2, 1e-9, 12.5]),
      started_at,
      ended_at: duration_ms === null ? null : started_at + duration_ms,
      duration_ms,
      input: one(TEXTS),
      output: one(TEXTS),
      error: status === 'failed' ? one(TEXTS) : null,
    };
  });
}

const FILTERS: ReadStoreFilters[] = [
  {},
  ...[{ kind: 'Tool' }, { model: "o'1" }, { provider: 'openai' }, { status: 'failed' as const }],
  ...[{ since: 1_790_000_000_002 }, { until: 1_790_000_000_002 }, { since: 0, until: 1_790_000_000_000 }],
  ...['pLaN', 'T', 'é', '画', '😀', '%_\\', "'s"].map((name_contains) => ({ name_contains })),
  ...[{ duration_min: 1 }, { duration_max: 17 }, { duration_min: 0.5, duration_max: 2 ** 39 }],
  ...[{ tokens_min: 8 }, { tokens_min: 7.5 }, { cost_min: 0.3 }, { cost_min: 1e-10 }],
  { kind: 'llm_call', status: 'completed', model: 'gpt', cost_min: 0 },
];
const TEXT_FILTERS = ['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const;

/** The tests every read store plugin must pass: it answers as the plain one in memory does. */
export function describeReadStoreContract<Config>(
  { plugin, configs, provide }: ReadStoreContract<Config>,
  test: TestFunctions,
): void {
  const { describe, it } = test;
  describe(`read store plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'read-store', configs, test);

    /** The store and the plain one, both with new content. */
    async function both(content: string): Promise<[ReadStore, MemoryReadStore]> {
      const stores: [ReadStore, MemoryReadStore] = [await provide(), new MemoryReadStore()];
      for (const store of stores) {
        await store.open();
        await store.begin(content);
      }
      return stores;
    }
    const apply = async (stores: readonly ReadStore[], batch: Parameters<ReadStore['apply']>[0]): Promise<void> => {
      for (const store of stores) await store.apply(batch);
    };
    const ofProject = (spans: readonly ReadStoreSpan[], projectId = PROJECT) =>
      spans.map((span) => ({ projectId, span }));
    const asked = (has: ReadStoreState, filters: ReadStoreFilters = {}) => ({
      ...{ projectId: PROJECT, filters, except: { spans: [], traces: [] }, has, limit: 1_000 },
    });

    /** All of a list, page by page, of both parts. */
    async function listed(store: ReadStore, query: Omit<ReadStoreListQuery, 'part'>): Promise<string[]> {
      const found: string[] = [];
      for (const part of ['valued', 'valueless'] as const) {
        for (let behind: ReadStoreListQuery['behind']; ;) {
          const page = await store.list({ ...query, part, behind });
          found.push(...page.map(({ value, id }) => `${value} ${id}`));
          if (page.length < query.limit) break;
          behind = page.at(-1);
        }
      }
      return found;
    }

    async function assertSame([store, plain]: readonly [ReadStore, MemoryReadStore], has: ReadStoreState) {
      const { filters: declared, sorts } = store.capabilities;
      const texts = TEXT_FILTERS.flatMap((name) => NEEDLES.map((needle) => ({ [name]: needle })));
      for (const filters of [...FILTERS, ...texts]) {
        if (!Object.keys(filters).every((name) => (declared as readonly string[]).includes(name))) continue;
        assert.deepEqual(
          [filters, await store.count(asked(has, filters))],
          [filters, await plain.count(asked(has, filters))],
        );
      }
      for (const sort_by of sorts) {
        for (const sort_order of ['asc', 'desc'] as const) {
          for (const limit of [13, 1_000]) {
            const query = { ...asked(has), sort_by, sort_order, limit };
            assert.deepEqual([query, await listed(store, query)], [query, await listed(plain, query)]);
          }
        }
      }
    }

    it('lists and counts by every filter and in every order that it declares', async () => {
      const stores = await both('lists');
      assert.deepEqual(await stores[0].state(), { content: 'lists', batch: 0 });
      const spans = someSpans(300);
      const other = spans.slice(0, 50).map((span) => ({ ...span, name: 'of another project' }));
      const batch = { content: 'lists', batch: 1, removed: [] };
      await apply(stores, { ...batch, spans: [...ofProject(spans), ...ofProject(other, 'other')] });
      await assertSame(stores, { content: 'lists', batch: 1 });
      assert.ok(Object.keys(READ_STORE_SORTS).length >= stores[0].capabilities.sorts.length);
    });

    it('has the newest version of each span, wherever it moved, and none that went', async () => {
      const stores = await both('versions');
      const spans = someSpans(120);
      const content = 'versions';
      await apply(stores, { content, batch: 1, removed: [], spans: ofProject(spans) });
      const corrected = spans.slice(0, 40).map((span) => ({ ...span, name: 'corrected', status: 'failed' as const }));
      await apply(stores, { content, batch: 2, removed: [], spans: ofProject(corrected) });
      const moved = spans.slice(30, 60).map((span) => ({ ...span, started_at: span.started_at + 40 * DAY_MS }));
      const gone = { projectId: PROJECT, spans: moved.map(({ id }) => id), traces: ['t1', 'unknown'] };
      await apply(stores, { content, batch: 3, removed: [gone], spans: ofProject(moved) });
      await assertSame(stores, { content, batch: 3 });
      // A batch that comes late, as one may that was given up, and one that comes again.
      await apply(stores, { content, batch: 2, removed: [], spans: ofProject(corrected.slice(0, 20)) });
      await apply(stores, { content, batch: 3, removed: [gone], spans: ofProject(moved) });
      await assertSame(stores, { content, batch: 3 });
      for (const store of stores) await store.clear(PROJECT);
      assert.equal(await stores[0].count(asked({ content, batch: 3 })), 0);
    });

    it('gives the texts of spans by id, and digests of them, where it declares that', async () => {
      const [store, plain] = await both('texts');
      if (store.capabilities.byId !== true) return;
      const has = { content: 'texts', batch: 2 };
      const spans = someSpans(200);
      await apply([store, plain], { content: 'texts', batch: 1, removed: [], spans: ofProject(spans) });
      const gone = spans.slice(0, 20).map(({ id }) => id);
      const late = spans.slice(20, 60).map((span) => ({ ...span, output: '"corrected"' }));
      const removed = [{ projectId: PROJECT, spans: gone, traces: [] }];
      await apply([store, plain], { ...has, removed, spans: ofProject(late) });
      const byId = (texts: readonly ReadStoreTexts[] = []) => texts.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const query = { projectId: PROJECT, has, spans };
      assert.deepEqual(byId(await store.texts?.(query)), byId(await plain.texts(query)));
      assert.equal((await store.texts?.(query))?.length, 180);
      for (const since of [0, ...spans.slice(0, 5).map(({ started_at: start }) => start)]) {
        const range = { projectId: PROJECT, has, since, until: since === 0 ? 4e12 : since + 1 };
        assert.deepEqual(await store.digest?.(range), await plain.digest(range));
      }
      await store.purge?.();
      assert.deepEqual(byId(await store.texts?.(query)), byId(await plain.texts(query)));
      await assert.rejects(async () => store.texts?.({ ...query, has: { content: 'other', batch: 0 } }));
    });

    it('leaves out what somebody else answers for, and refuses to answer for what it does not have', async () => {
      const stores = await both('except');
      const spans = someSpans(60);
      await apply(stores, { content: 'except', batch: 5, removed: [], spans: ofProject(spans) });
      const except = { spans: spans.slice(0, 20).map(({ id }) => id), traces: ['t2', "t'"] };
      const query = { ...asked({ content: 'except', batch: 5 }), except };
      assert.equal(await stores[0].count(query), await stores[1].count(query));
      for (const has of [
        { content: 'except', batch: 6 },
        { content: 'other', batch: 0 },
      ]) {
        await assert.rejects(stores[0].count(asked(has)));
        await assert.rejects(stores[0].list({ ...asked(has), sort_by: 'name', sort_order: 'asc', part: 'valued' }));
      }
      await stores[0].begin('other');
      await assert.rejects(stores[0].count(asked({ content: 'except', batch: 5 })), 'what it had is gone');
      assert.deepEqual(await stores[0].state(), { content: 'other', batch: 0 });
      assert.equal(await stores[0].count(asked({ content: 'other', batch: 0 })), 0);
    });
  });
}
