import assert from 'node:assert/strict';
import type { SearchIndexPlugin } from '../plugin.js';
import type {
  SearchDocument,
  SearchFields,
  SearchFilters,
  SearchIndex,
  SearchQuery,
  SearchScope,
} from '../search-index.js';
import { deepFreeze, type TestFunctions, describePlugin, type ConfigFixtures } from './set-up-plugin.js';

export interface SearchIndexContract<Config> {
  plugin: SearchIndexPlugin<Config>;
  configs: ConfigFixtures;
  /** One empty index for all tests, which takes vectors of three numbers; the caller closes it. */
  provide: () => Promise<SearchIndex>;
}

const TEXTS = {
  german: 'Die Rückerstattung für die Straße nach Köln wurde abgelehnt',
  chinese: '我们的退款政策是三十天内全额退款',
  japanese: '返金ポリシーについて教えてください',
  arabic: 'ما هي سياسة استرداد الأموال',
  hindi: 'धनवापसी नीति क्या है',
  emoji: 'shipped 🎉🚀 "quickly" & it\'s \\ done | ok:*!',
} as const;

const FINDS: [query: string, id: keyof typeof TEXTS][] = [
  ['rückerstattung KÖLN', 'german'],
  ['straße', 'german'],
  ['退款政策', 'chinese'],
  ['款', 'chinese'],
  ['ポリシー', 'japanese'],
  ['استرداد', 'arabic'],
  ['नीति', 'hindi'],
  ['🎉', 'emoji'],
  ['"Quickly" & (it\'s)', 'emoji'],
];

const FIELDS: SearchFields = {
  trace_id: 'trace-1',
  session_id: 'session-1',
  kind: 'llm_call',
  model: 'gpt-4o',
  provider: 'openai',
  status: 'completed',
  tags: ['prod', 'a "quoted" täg'],
  started_at: 1_700_000_000_000,
};

const OTHER_FIELDS: SearchFields = {
  trace_id: 'trace-2',
  session_id: null,
  kind: 'tool_call',
  model: null,
  provider: null,
  status: 'failed',
  tags: [],
  started_at: 1_800_000_000_000,
};

/** Each takes the document with {@link FIELDS} and not the one with {@link OTHER_FIELDS}. */
const FILTERS: SearchFilters[] = [
  { trace_id: 'trace-1' },
  { session_id: 'session-1' },
  { kind: 'llm_call' },
  { model: 'gpt-4o' },
  { provider: 'openai' },
  { status: 'completed' },
  { tag: 'a "quoted" täg' },
  { since: 1_700_000_000_000, until: 1_700_000_000_001 },
  { trace_id: 'trace-1', kind: 'llm_call', tag: 'prod', until: 1_800_000_000_000 },
];

/** Texts that no index may stumble over, in documents or in queries. */
const ODD_TEXTS = [
  '',
  ' \n\t',
  "'; drop table documents; --",
  "\\' \\\\ ' '' :* & | ! ( ) <-> {}[]\"",
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u202e \ufeff \uffff',
  `${'w'.repeat(3_000)} ${'漢'.repeat(3_000)}`,
  Array.from({ length: 4_000 }, (_, index) => `word${index}`).join(' '),
];

/** The tests every search index plugin must pass. */
export function describeSearchIndexContract<Config>(
  { plugin, configs, provide }: SearchIndexContract<Config>,
  test: TestFunctions,
): void {
  const { describe, it } = test;
  let projects = 0;
  const project = (): SearchScope => ({ projectId: `project-${++projects}` });

  describe(`search index plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'search-index', configs, test);

    it('finds words of any language', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(
        scope,
        Object.entries(TEXTS).map(([id, text]) => document(id, { text })),
      );
      for (const [query, id] of FINDS)
        assert.deepEqual([query, await idsOf(index, scope, words(query))], [query, [id]]);
      assert.deepEqual(await idsOf(index, scope, words('Rückerstattung Berlin')), [], 'all words must be there');
    });

    it('ranks by words, best first, and keeps to the limit', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(scope, [
        document('once', { text: 'tide and a good many other words that have nothing to do with it' }),
        document('often', { text: 'tide tide tide' }),
        document('never', { text: 'moon' }),
      ]);
      const hits = await index.query(scope, words('tide'));
      assert.deepEqual(
        hits.map(({ id }) => id),
        ['often', 'once'],
      );
      assert.ok(hits[0]!.score > hits[1]!.score, 'a higher score is better');
      assert.deepEqual(await idsOf(index, scope, { ...words('tide'), limit: 1 }), ['often']);
    });

    it('finds what is nearest to a vector, whatever its length, among documents that have one', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(scope, [
        document('east', { vector: [1, 0, 0] }),
        document('north-east', { vector: [5, 4, 0] }),
        document('up', { vector: [0, 0, 0.1] }),
        document('nowhere', {}),
      ]);
      const hits = await index.query(scope, near([3, 0.1, 0]));
      assert.deepEqual(
        hits.map(({ id }) => id),
        ['east', 'north-east', 'up'],
      );
      assert.ok(hits.every(({ score }, at) => Number.isFinite(score) && (at === 0 || score < hits[at - 1]!.score)));
      assert.deepEqual(await idsOf(index, scope, { ...near([3, 0.1, 0]), limit: 2 }), ['east', 'north-east']);
    });

    it('applies every filter, in both modes', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(scope, [
        document('other', { text: 'tide', vector: [1, 0, 0], fields: OTHER_FIELDS }),
        document('this', { text: 'tide', vector: [0.9, 0.1, 0] }),
      ]);
      for (const filters of FILTERS) {
        assert.deepEqual([filters, await idsOf(index, scope, { ...words('tide'), filters })], [filters, ['this']]);
        assert.deepEqual([filters, await idsOf(index, scope, { ...near([1, 0, 0]), filters })], [filters, ['this']]);
      }
      assert.deepEqual(await idsOf(index, scope, { ...words('tide'), filters: { tag: 'pro' } }), []);
    });

    it('replaces a document whole', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(scope, [document('a', { text: 'moon', vector: [1, 0, 0] })]);
      await index.upsert(scope, [document('a', { text: 'tide', fields: OTHER_FIELDS })]);
      assert.deepEqual(await idsOf(index, scope, words('moon')), []);
      assert.deepEqual(await idsOf(index, scope, near([1, 0, 0])), []);
      assert.deepEqual(await idsOf(index, scope, { ...words('tide'), filters: { kind: 'tool_call' } }), ['a']);
    });

    it('forgets by id, by trace and as a whole', async () => {
      const index = await provide();
      const scope = project();
      const left = () => idsOf(index, scope, words('tide')).then((ids) => ids.sort());
      await index.upsert(scope, [
        ...['a', 'b', 'c'].map((id) => document(id, { text: 'tide' })),
        document('old', { text: 'tide', fields: { ...FIELDS, trace_id: 'trace-0' } }),
        document('other', { text: 'tide', fields: OTHER_FIELDS }),
      ]);
      await index.remove(scope, ['a', 'unknown']);
      await index.remove(scope, ['a']);
      assert.deepEqual(await left(), ['b', 'c', 'old', 'other']);
      await index.removeTraces(scope, ['trace-2', 'trace-0', 'unknown']);
      assert.deepEqual(await left(), ['b', 'c']);
      await index.removeTraces(scope, []);
      assert.deepEqual(await left(), ['b', 'c']);
      await index.clear(scope);
      assert.deepEqual(await left(), []);
    });

    it('forgets some at a time, where it can', async () => {
      const index = await provide();
      if (!index.clearSome) return;
      const [scope, other] = [project(), project()];
      const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => document(id, { text: 'tide' }));
      for (const one of [scope, other]) await index.upsert(one, documents);
      const left = (one: SearchScope) => idsOf(index, one, words('tide')).then((ids) => ids.length);
      assert.equal(await index.clearSome(scope, 3), 3);
      assert.equal(await left(scope), 2);
      assert.equal(await index.clearSome(scope, 3), 2);
      assert.equal(await index.clearSome(scope, 3), 0);
      assert.deepEqual([await left(scope), await left(other)], [0, 5]);
    });

    it('keeps projects apart that have the same ids', async () => {
      const index = await provide();
      const [one, two] = [project(), project()];
      await index.upsert(one, [document('a', { text: 'tide', vector: [1, 0, 0] })]);
      await index.upsert(two, [document('a', { text: 'moon', vector: [0, 1, 0] }), document('b', { text: 'moon' })]);
      assert.deepEqual(await idsOf(index, one, words('moon')), []);
      assert.deepEqual(await idsOf(index, two, words('tide')), []);
      assert.deepEqual(await idsOf(index, one, near([0, 1, 0])), ['a']);
      await index.remove(one, ['b']);
      await index.removeTraces(one, ['trace-1']);
      await index.clear(one);
      assert.deepEqual(await idsOf(index, one, near([1, 0, 0])), []);
      assert.deepEqual((await idsOf(index, two, words('moon'))).sort(), ['a', 'b']);
    });

    it('takes texts as odd as they come', async () => {
      const index = await provide();
      const scope = project();
      await index.upsert(
        scope,
        ODD_TEXTS.map((text, at) => document(`odd-${at}`, { text: `${text} tide` })),
      );
      assert.equal((await index.query(scope, words('tide'))).length, ODD_TEXTS.length);
      for (const text of ODD_TEXTS) assert.ok(Array.isArray(await index.query(scope, words(text))));
      const filters = { trace_id: "' or '1'='1", model: '"', tag: '}' };
      assert.deepEqual(await index.query(scope, { ...words('tide'), filters }), []);
      assert.deepEqual(await index.query(scope, words('?!')), [], 'no words find nothing');
    });

    it('takes many documents at once, one of them twice, and none', async () => {
      const index = await provide();
      const scope = project();
      const many = Array.from({ length: 200 }, (_, at) => document(`many-${at}`, { text: 'tide', vector: [at, 1, 0] }));
      await index.upsert(scope, [document('many-7', { text: 'moon' }), ...many]);
      await index.upsert(scope, []);
      await index.remove(scope, []);
      assert.equal((await index.query(scope, { ...words('tide'), limit: 500 })).length, 200);
      assert.deepEqual(await idsOf(index, scope, words('moon')), []);
    });

    it('refuses vectors of another length, for good', async () => {
      const index = await provide();
      const scope = project();
      const refused = (error: { refused?: unknown }): boolean => error.refused === true;
      await assert.rejects(index.upsert(scope, [document('a', { text: 'tide', vector: [1, 0] })]), refused);
      await assert.rejects(index.query(scope, near([1, 0, 0, 0])), refused);
      assert.deepEqual(await idsOf(index, scope, words('tide')), []);
    });
  });
}

const document = (id: string, rest: Partial<SearchDocument>): SearchDocument =>
  deepFreeze({ id, text: 'text', fields: FIELDS, ...rest });

const words = (text: string): SearchQuery => ({ mode: 'text', text, filters: {}, limit: 100 });

const near = (vector: number[]): SearchQuery => ({ mode: 'vector', vector, filters: {}, limit: 100 });

const idsOf = async (index: SearchIndex, scope: SearchScope, query: SearchQuery): Promise<string[]> =>
  (await index.query(scope, query)).map(({ id }) => id);
