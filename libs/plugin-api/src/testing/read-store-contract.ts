import assert from 'node:assert/strict';
import type { ReadStorePlugin } from '../plugin.js';
import {
  READ_STORE_MEASURES,
  READ_STORE_RANKS,
  READ_STORE_SORTS,
  type ReadStore,
  type ReadStoreFilters,
  type ReadStoreGiven,
  type ReadStoreKey,
  type ReadStoreListQuery,
  type ReadStoreMeasures,
  type ReadStorePosition,
  type ReadStoreQuery,
  type ReadStoreSpan,
  type ReadStoreState,
  type ReadStoreTexts,
  type ReadStoreSumQuery,
  type ReadStoreTrace,
  type ReadStoreTraceFilters,
  type ReadStoreTraceListQuery,
} from '../read-store.js';
import { MemoryReadStore } from './memory-read-store.js';
import { describePlugin, type ConfigFixtures, type TestFunctions } from './set-up-plugin.js';

export interface ReadStoreContract<Config> {
  plugin: ReadStorePlugin<Config>;
  configs: ConfigFixtures;
  /** One store for all tests, whose content may go; the caller closes it. */
  provide: () => Promise<ReadStore>;
}

const AS_IS: ReadStoreQuery['instead'] = { gone: [], traces: [] };

type Place = Pick<ReadStoreListQuery, 'part' | 'behind'>;
type ListQuery = Omit<ReadStoreListQuery | ReadStoreTraceListQuery, 'part'>;

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
      cached_tokens: one([null, 2]),
      cost: one([null, 0, 0.1 + 0.2, 1e-9, 12.5]),
      started_at,
      ended_at: duration_ms === null ? null : started_at + duration_ms,
      duration_ms,
      first_token_ms: one([null, null, 0, 250, 2 ** 40]),
      input: one(TEXTS),
      output: one(TEXTS),
      error: status === 'failed' ? one(TEXTS) : null,
    };
  });
}

/** The traces of those spans, of which one is not there. */
function someTraces(): ReadStoreTrace[] {
  const cycle = <T>(values: readonly T[], at: number): T => values[at % values.length]!;
  return Array.from({ length: 8 }, (_, at) => ({
    id: `t${at}`,
    name: cycle([null, ...NAMES], at),
    session_id: cycle([null, 's1', "s'2"], at),
    user_id: cycle(['ada', null, '計画'], at >> 1),
    tags: cycle([[], ['blue'], ['', 'blue', 'red'], ["it's", 'red']], at),
    models: cycle([[], ['gpt', ''], ["o'1", 'gpt']], at),
    metadata: cycle<Record<string, string>>([{}, { env: 'prod', n: '1.50' }, { env: "te'st", 'a.b': '["x"]' }], at),
    status: cycle(['completed', 'failed', 'running'] as const, at >> 1),
    started_at: 1_790_000_000_000 + (at % 5) * 997,
    duration_ms: cycle([null, 0, 17, 2 ** 40], at),
    cost: cycle([null, 0.1 + 0.2, 0], at),
    total_tokens: cycle([0, 9, 2 ** 40], at),
    span_count: at % 3,
  }));
}

const TRACE_FILTERS: ReadStoreTraceFilters[] = [
  ...[{}, { session_id: "s'2" }, { user_id: 'ada' }, { tag: ['blue'] }, { tag: ['red', "it's"] }, { model: "o'1" }],
  ...[{ tag: [''] }, { model: '' }],
  ...[{ status: 'failed' as const }, { since: 1_790_000_000_997 }, { until: 1_790_000_000_997 }, { cost_min: 0.3 }],
  ...[
    { name_contains: 'PLAN' },
    { name_contains: '%_\\' },
    { duration_min: 1 },
    { duration_max: 17 },
    { tokens_min: 9 },
  ],
];
const GROUPINGS: ReadStoreKey[][] = [
  ...[[], ['model'], ['provider'], ['kind'], ['name'], ['status'], ['user'], ['session'], ['trace_name'], ['tag']],
  ...[['metadata.env'], ['metadata.n'], ['model', 'status'], ['tag', 'model'], ['user', 'tag'], ['status', 'session']],
  ...[
    ['metadata.a.b', 'name'],
    ['trace_name', 'user'],
  ],
] as ReadStoreKey[][];

const FILTERS: ReadStoreFilters[] = [
  {},
  ...[{ kind: 'Tool' }, { model: "o'1" }, { provider: 'openai' }, { status: 'failed' as const }],
  ...[{ since: 1_790_000_000_002 }, { until: 1_790_000_000_002 }, { since: 0, until: 1_790_000_000_000 }],
  ...['pLaN', 'T', 'é', '画', '😀', '%_\\', "'s"].map((name_contains) => ({ name_contains })),
  ...[{ duration_min: 1 }, { duration_max: 17 }, { duration_min: 0.5, duration_max: 2 ** 39 }],
  ...[{ tokens_min: 8 }, { tokens_min: 7.5 }, { cost_min: 0.3 }, { cost_min: 1e-10 }],
  { kind: 'llm_call', status: 'completed', model: 'gpt', cost_min: 0 },
  ...[
    { session_id: 's1' },
    { user_id: '計画', kind: 'Tool' },
    { tag: ['red'] },
    { tag: [''] },
    { tag: ['red', 'blue'] },
  ],
];
const TEXT_FILTERS = ['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const;

const NO_SUMS = Object.fromEntries(READ_STORE_MEASURES.map((name) => [name, 0])) as ReadStoreMeasures;

/** A span, and the scores of one and of a trace. */
const GIVEN: ReadStoreGiven[] = [
  {
    ...{
      ...NO_SUMS,
      started_at: 1_790_000_000_001,
      trace_id: 't2',
      name: 'plan',
      kind: 'Tool',
      model: 'gpt',
      provider: null,
    },
    ...{
      status: 'failed',
      spans: 1,
      finished: 1,
      errors: 1,
      duration_ms: 17,
      latency: 17,
      first_token: 5,
      usd: 3,
      pico: 5,
    },
  },
  {
    ...{
      ...NO_SUMS,
      started_at: 1_790_000_000_002,
      trace_id: 't8',
      name: "it's",
      kind: 'Tool',
      model: "o'1",
      provider: 'x',
    },
    ...{ status: 'completed', latency: null, first_token: null, scores: 2, score_sum: 1.25 },
  },
  {
    ...{
      ...NO_SUMS,
      started_at: 1_790_000_000_002,
      trace_id: 't3',
      name: null,
      kind: null,
      model: null,
      provider: null,
    },
    ...{ status: null, latency: null, first_token: null, scores: 1, score_sum: 0.5 },
  },
];

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
    const asked = (
      has: ReadStoreState,
      filters: ReadStoreFilters = {},
      instead: ReadStoreQuery['instead'] = AS_IS,
    ) => ({
      ...{ projectId: PROJECT, filters, except: { spans: [], traces: [] }, instead, has, limit: 1_000 },
    });
    const tracesOf = (traces: readonly ReadStoreTrace[], projectId = PROJECT) =>
      traces.map((trace) => ({ projectId, trace }));

    /** All of a list, page by page, of both parts. */
    async function listed<Query extends ListQuery>(
      list: (query: Query & Place) => Promise<ReadStorePosition[]>,
      query: Query,
    ): Promise<string[]> {
      const found: string[] = [];
      for (const part of ['valued', 'valueless'] as const) {
        for (let behind: ReadStoreListQuery['behind']; ;) {
          const page = await list({ ...query, part, behind });
          found.push(...page.map(({ value, id }) => `${value} ${id}`));
          if (page.length < query.limit) break;
          behind = page.at(-1);
        }
      }
      return found;
    }

    async function assertSame(
      [store, plain]: readonly [ReadStore, MemoryReadStore],
      has: ReadStoreState,
      instead: ReadStoreQuery['instead'] = AS_IS,
    ) {
      const { filters: declared, sorts } = store.capabilities;
      const texts = TEXT_FILTERS.flatMap((name) => NEEDLES.map((needle) => ({ [name]: needle })));
      for (const filters of [...FILTERS, ...texts]) {
        if (!Object.keys(filters).every((name) => (declared as readonly string[]).includes(name))) continue;
        assert.deepEqual(
          [filters, await store.count(asked(has, filters, instead))],
          [filters, await plain.count(asked(has, filters, instead))],
        );
      }
      await assertSameTraces([store, plain], has, instead);
      if (store.capabilities.sums) await assertSameSums([store, plain], has, instead);
      for (const sort_by of sorts) {
        for (const sort_order of ['asc', 'desc'] as const) {
          for (const limit of [13, 1_000]) {
            const query = { ...asked(has), sort_by, sort_order, limit };
            const [found, expected] = [store, plain].map((one) => listed((of) => one.list(of), query));
            assert.deepEqual([query, await found], [query, await expected]);
          }
        }
      }
    }

    async function assertSameTraces(
      [store, plain]: readonly [ReadStore, MemoryReadStore],
      has: ReadStoreState,
      instead: ReadStoreQuery['instead'],
    ) {
      const { traceFilters: declared, traceSorts } = store.capabilities;
      for (const filters of TRACE_FILTERS) {
        if (!Object.keys(filters).every((name) => (declared as readonly string[]).includes(name))) continue;
        const query = { ...asked(has, {}, instead), filters };
        assert.deepEqual([query, await store.countTraces(query)], [query, await plain.countTraces(query)]);
      }
      for (const sort_by of traceSorts) {
        for (const sort_order of ['asc', 'desc'] as const) {
          const query = { ...asked(has, {}, instead), sort_by, sort_order, limit: 3 };
          const [found, expected] = [store, plain].map((one) => listed((of) => one.listTraces(of), query));
          assert.deepEqual([query, await found], [query, await expected]);
        }
      }
    }

    async function assertSameSums(
      [store, plain]: readonly [ReadStore, MemoryReadStore],
      has: ReadStoreState,
      instead: ReadStoreQuery['instead'],
    ) {
      for (const [at, keys] of GROUPINGS.entries()) {
        const filters = FILTERS[at * 5 + 3 < FILTERS.length && at % 2 === 1 ? at * 5 + 3 : 0]!;
        const query: ReadStoreSumQuery = {
          ...{ ...asked(has, filters, instead), keys, has_none: at % 3 > 0, top: 1 + (at % 4) },
          bucket: [null, { width: 1_000, origin: 0 }, { width: 7 * DAY_MS, origin: -3 * DAY_MS }][at % 3]!,
          rank: READ_STORE_RANKS[at % READ_STORE_RANKS.length]!,
          given: at % 2 === 0 ? GIVEN : [],
          ...{ steps: [0, 1, 16, 18, 5_000, 1e10], latencies: at % 3 !== 1, first_tokens: at % 3 === 0 },
        };
        const [found, expected] = [await store.sum(query), await plain.sum(query)];
        assert.deepEqual([query, found], [query, expected]);
        assert.ok(filters !== FILTERS[0] || found.length > 0);
      }
    }

    it('lists and counts by every filter and in every order that it declares', async () => {
      const stores = await both('lists');
      assert.deepEqual(await stores[0].state(), { content: 'lists', batch: 0 });
      const spans = someSpans(300);
      const other = spans.slice(0, 50).map((span) => ({ ...span, name: 'of another project' }));
      const traces = [...tracesOf(someTraces()), ...tracesOf(someTraces().slice(2), 'other')];
      const batch = { content: 'lists', batch: 1, removed: [], traces };
      await apply(stores, { ...batch, spans: [...ofProject(spans), ...ofProject(other, 'other')] });
      await assertSame(stores, { content: 'lists', batch: 1 });
      assert.ok(Object.keys(READ_STORE_SORTS).length >= stores[0].capabilities.sorts.length);
    });

    it('has the newest version of each span, wherever it moved, and none that went', async () => {
      const stores = await both('versions');
      const spans = someSpans(120);
      const content = 'versions';
      await apply(stores, { content, batch: 1, removed: [], traces: tracesOf(someTraces()), spans: ofProject(spans) });
      const renamed = someTraces().map((trace) => ({ ...trace, name: 'renamed', user_id: null, tags: ['late'] }));
      const corrected = spans.slice(0, 40).map((span) => ({ ...span, name: 'corrected', status: 'failed' as const }));
      await apply(stores, {
        content,
        batch: 2,
        removed: [],
        traces: tracesOf(renamed.slice(3)),
        spans: ofProject(corrected),
      });
      const moved = spans.slice(30, 60).map((span) => ({ ...span, started_at: span.started_at + 40 * DAY_MS }));
      const gone = { projectId: PROJECT, spans: moved.map(({ id }) => id), traces: ['t1', 'unknown'] };
      await apply(stores, { content, batch: 3, removed: [gone], traces: [], spans: ofProject(moved) });
      await assertSame(stores, { content, batch: 3 });
      // A batch that comes late, as one may that was given up, and one that comes again.
      await apply(stores, {
        content,
        batch: 2,
        removed: [],
        traces: tracesOf(renamed.slice(3, 5)),
        spans: ofProject(corrected.slice(0, 20)),
      });
      await apply(stores, { content, batch: 3, removed: [gone], traces: [], spans: ofProject(moved) });
      await assertSame(stores, { content, batch: 3 });
      for (const store of stores) await store.clear(PROJECT);
      assert.equal(await stores[0].count(asked({ content, batch: 3 })), 0);
    });

    it('gives the texts of spans by id, and digests of them, where it declares that', async () => {
      const [store, plain] = await both('texts');
      if (store.capabilities.byId !== true) return;
      const has = { content: 'texts', batch: 2 };
      const spans = someSpans(200);
      await apply([store, plain], { content: 'texts', batch: 1, removed: [], traces: [], spans: ofProject(spans) });
      const gone = spans.slice(0, 20).map(({ id }) => id);
      const late = spans.slice(20, 60).map((span) => ({ ...span, output: '"corrected"' }));
      const removed = [{ projectId: PROJECT, spans: gone, traces: [] }];
      await apply([store, plain], { ...has, removed, traces: [], spans: ofProject(late) });
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

    it('takes traces and sums of others for what it does not have', async () => {
      const stores = await both('instead');
      const has = { content: 'instead', batch: 1 };
      await apply(stores, { ...has, removed: [], traces: tracesOf(someTraces()), spans: ofProject(someSpans(200)) });
      const other = someTraces().map((trace) => ({ ...trace, user_id: 'eve', tags: ['red', 'x'], metadata: {} }));
      await assertSame(stores, has, { gone: ['t1', "t'"], traces: [...other.slice(2, 5), { ...other[0]!, id: 't8' }] });
    });

    it('leaves out what somebody else answers for, and refuses to answer for what it does not have', async () => {
      const stores = await both('except');
      const spans = someSpans(60);
      await apply(stores, { content: 'except', batch: 5, removed: [], traces: [], spans: ofProject(spans) });
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
