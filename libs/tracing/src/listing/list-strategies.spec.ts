import { describe, expect, it } from '@jest/globals';
import { listSpansSchema } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { renderSql, sql, type Sorting, type Sql, type Storage } from '@spandrel/storage';
import type { ScoredOrder } from '../reading/scores-port.js';
import { LIST_LIMITS, ListRequest } from './list-request.sql.js';
import { planList, STRATEGIES } from './list-strategies.sql.js';
import type { OfTraces } from './trace-filter.sql.js';

/** What the database says when a strategy asks it. */
interface Answers {
  /** Spans that a filter leaves, by a word of the statement that counts them. */
  counts?: Record<string, number>;
  /** Names that contain what `name_contains` asks for. */
  names?: readonly string[];
  ofTraces?: OfTraces;
  scoredOrder?: ScoredOrder;
  scoreSort?: ScoredOrder;
}

const MANY = 1_000_000;

/** Plans a list over a database that gives these answers, and keeps what it was asked. */
async function planOf(query: object, { counts = {}, names = [], ofTraces, ...scores }: Answers = {}) {
  const asked: string[] = [];
  const readLong = (read: Sql): Promise<unknown[]> => {
    const { text, params } = renderSql(read, 'sqlite');
    asked.push(text);
    if (text.includes('names(name, number)')) {
      return Promise.resolve(names.map((name, index) => ({ name, number: index + 1 })));
    }
    const [, count] = Object.entries(counts).find(([word]) => text.includes(word)) ?? ['', MANY];
    const limit = Number(params.at(-1));
    if (text.includes('count(*)')) return Promise.resolve([{ number: Math.min(count, limit) }]);
    return Promise.resolve(Array.from({ length: Math.min(count, limit) }, (_, id) => ({ bucket: 1, id: String(id) })));
  };
  const parsed = listSpansSchema.parse(query);
  const sorting: Sorting = {
    list: 'spans',
    column: 's.started_at',
    idColumn: 's.id',
    type: 'integer',
    nullable: false,
    order: parsed.sort_order,
  };
  const storage = { dialect: 'sqlite' as const, readLong: readLong as Storage['readLong'] };
  const list = new ListRequest(storage, LOCAL_SCOPE, { ...parsed, ...scores }, sorting, ofTraces, LIST_LIMITS);
  const plan = await planList(list);
  return { strategy: plan?.strategy, asked };
}

const SCORES = { from: sql`score c`, where: sql`1 = 1`, at: 'c.target_at', id: 'c.span_id' };

const FOUND: [what: string, query: object, answers: Answers, strategy: string][] = [
  ['no filter, newest first', {}, {}, 'sort-index'],
  ['no filter, by name', { sort_by: 'name' }, {}, 'sort-index'],
  ['no filter, by cost', { sort_by: 'cost' }, {}, 'value-order'],
  ['a range of starts', { since: '2026-01-01T00:00:00Z' }, {}, 'sort-index'],
  ['one filter, in start order', { model: 'gpt' }, {}, 'filter-index'],
  ['completed spans, which are most', { status: 'completed' }, {}, 'sort-index'],
  ['two filters that leave many', { model: 'gpt', provider: 'openai' }, {}, 'filter-index'],
  ['two filters, one leaves few', { model: 'gpt', status: 'failed' }, { counts: { 's.status': 5 } }, 'small-filter'],
  [
    'one filter that leaves few, sorted',
    { model: 'gpt', sort_by: 'cost' },
    { counts: { 's.model': 20_000 } },
    'small-filter',
  ],
  ['one that leaves many, sorted', { model: 'gpt', sort_by: 'cost' }, { counts: { 's.model': 20_001 } }, 'value-order'],
  ['spans named by their ids, by cost', { ids: ['a', 'b'], trace_id: 't', sort_by: 'cost' }, {}, 'named-spans'],
  ['spans of a trace', { trace_id: 't', model: 'gpt' }, {}, 'trace-index'],
  ['spans of a large trace, by cost', { trace_id: 't', sort_by: 'cost' }, {}, 'trace-index'],
  ['a name, few of them', { name_contains: 'a' }, { names: ['ab', 'ba'] }, 'names-in-order'],
  ['a name, too many of them', { name_contains: 'a' }, { names: Array(65).fill('a') as string[] }, 'sort-index'],
  ['a name and a model', { name_contains: 'a', model: 'gpt' }, { names: ['ab'] }, 'names-in-order'],
  ['a number', { cost_min: '1' }, {}, 'value-range'],
  ['a number and a model', { cost_min: '1', model: 'gpt' }, {}, 'filter-index'],
  ['a number few spans have, and a model', { cost_min: '1', model: 'gpt' }, { counts: { buckets: 3 } }, 'small-filter'],
  ['scores that many spans have', {}, { scoredOrder: SCORES }, 'score-order'],
  ['a score, by its value', { model: 'gpt' }, { scoreSort: SCORES }, 'score-sort'],
  ['a session of few traces', { model: 'gpt' }, { ofTraces: { condition: sql`1 = 1`, few: true } }, 'small-trace-set'],
  ['a session of many traces', { model: 'gpt' }, { ofTraces: { condition: sql`1 = 1`, few: false } }, 'filter-index'],
];

describe('planList', () => {
  it.each(FOUND)('finds %s (%j, %j) by %s', async (_what, query, answers, strategy) => {
    expect((await planOf(query, answers)).strategy).toBe(strategy);
  });

  it.each<[what: string, query: object, answers: Answers]>([
    ['no name contains the text', { name_contains: 'a' }, {}],
    ['no name contains the text, in another order', { name_contains: 'a', sort_by: 'cost' }, {}],
    ['a filter leaves none', { model: 'gpt', provider: 'openai' }, { counts: { 's.model': 0 } }],
    ['a text cannot be in any column', { model: 'a\u0000b' }, {}],
  ])('says that nothing matches when %s', async (_what, query, answers) => {
    expect((await planOf(query, answers)).strategy).toBeUndefined();
  });

  it('distinguishes strategies by their names, each of which finds some list above', () => {
    const names = STRATEGIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(FOUND.map(([, , , strategy]) => strategy))).toEqual(new Set(names));
  });

  it('asks nothing where one strategy alone can find the list', async () => {
    expect((await planOf({ model: 'gpt' })).asked).toEqual([]);
    expect((await planOf({ sort_by: 'duration' })).asked).toEqual([]);
  });

  it('counts no further than it needs to know', async () => {
    const { asked } = await planOf({ model: 'gpt', provider: 'openai' });
    expect(asked).toHaveLength(2);
    for (const text of asked) expect(text).toMatch(/limit \+\?\) taken$/);
  });

  it('looks names up once, no matter who asks', async () => {
    const { asked } = await planOf({ name_contains: 'a', model: 'gpt' }, { names: ['ab'] });
    expect(asked.filter((text) => text.includes('names(name, number)'))).toHaveLength(1);
  });
});
