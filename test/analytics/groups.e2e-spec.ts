/** Sums by any one or two keys (docs/spec/analytics.md#groups), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_WIDTHS, GROUP_KEYS, RANK_MEASURES, type GroupsAnswer, type TimedSums } from '@spandrel/contract';
import { describeOnBothDatabases } from '../support/databases.ts';
import { naiveGroups, type GroupsQuestion } from '../support/naive-analytics.ts';
import { repetitions } from '../support/repetitions.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { AnalyticsApp } from './analytics-app.js';
import { expectPercentiles, withoutPercentiles } from './expect-recounted.js';
import { MODELS, moment, PROVIDERS, sendAtOnce, USERS, write } from './random-writes.js';

const maybe = <T>(value: fc.Arbitrary<T>, freq = 1): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq });
/** Filters in the form of a body; most of the time few. */
const filters = fc.record({
  since: maybe(moment),
  until: maybe(moment),
  model: maybe(fc.constantFrom(...MODELS, 'none\0')),
  provider: maybe(fc.constantFrom(...PROVIDERS)),
  kind: maybe(fc.constantFrom('llm_call', 'custom')),
  status: maybe(fc.constantFrom('running', 'completed', 'failed')),
  user_id: maybe(fc.constantFrom(...USERS)),
  tag: maybe(fc.subarray(['a', 'b'])),
  trace_id: maybe(fc.constantFrom('t0', 't1')),
  name_contains: maybe(fc.constantFrom('a', 'S')),
  tokens_min: maybe(fc.nat(100_000)),
  error_contains: maybe(fc.constant('e')),
});
const few = fc
  .tuple(
    filters,
    fc.subarray(
      [
        'since',
        'until',
        'model',
        'status',
        'kind',
        'user_id',
        'tag',
        'name_contains',
        'tokens_min',
        'error_contains',
        'trace_id',
        'provider',
      ],
      { maxLength: 2 },
    ),
  )
  .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all]])));
const key = fc.constantFrom(...GROUP_KEYS, 'metadata.env' as const);
const question: fc.Arbitrary<GroupsQuestion> = fc.record({
  group_by: maybe(fc.uniqueArray(key, { maxLength: 2 }), 4),
  bucket: maybe(fc.constantFrom(...BUCKET_WIDTHS.filter((width) => width !== 'minute'))),
  order_by: maybe(fc.constantFrom(...RANK_MEASURES.filter((measure) => measure !== 'score_mean'))),
  top: maybe(fc.integer({ min: 1, max: 4 })),
  percentiles: maybe(fc.boolean()),
});

describeOnBothDatabases('groups of spans', ({ newDatabase }) => {
  let app: AnalyticsApp;
  let server: ServerApp;
  let projects = 0;
  beforeAll(async () => {
    app = await AnalyticsApp.open(await newDatabase('groups'));
    server = await startServerApp(await newDatabase('group_scores'));
  });
  afterAll(async () => {
    await app?.close();
    await server?.close();
  });

  it('are those of spans that the list has for the same filters, counted one by one', async () => {
    let fromSums = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constant(0), write), { minLength: 8, maxLength: 30 }),
        fc.array(fc.tuple(question, few), { minLength: 5, maxLength: 10 }),
        async (writes, questions) => {
          const project = `groups-${projects++}`;
          await sendAtOnce([app], [project], writes);
          const traces = await app.traces(project);
          for (const [asked, wanted] of questions) {
            const spans = await app.spans(project, wanted);
            const { status, body } = await app.call<GroupsAnswer>(
              'POST',
              '/api/analytics/query',
              { ...asked, filters: wanted },
              project,
            );
            const right = naiveGroups(asked, spans, traces);
            const shown = ({ groups, other, total }: typeof right): unknown => [
              groups.map(withoutPercentiles),
              withoutPercentiles(other),
              withoutPercentiles(total),
            ];
            expect([asked, wanted, status, shown(body)]).toEqual([asked, wanted, 200, shown(right)]);
            const pairs: [TimedSums, TimedSums][] = [[body.total, right.total]];
            body.groups.forEach((group, at) => pairs.push([group, right.groups[at]!]));
            for (const [found, exact] of pairs) expectPercentiles(found, exact);
            if (body.source === 'sums') fromSums++;
          }
        },
      ),
      { numRuns: repetitions(25), endOnFailure: true },
    );
    expect(fromSums).toBeGreaterThan(0);
  }, 240_000);

  const call = async <Answer>(path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const ask = (body: unknown) =>
    call<GroupsAnswer & { code: string; errors: { path: string }[] }>('/api/analytics/query', body);

  it('have the time to the first token, and scores of spans and traces', async () => {
    const at = '2026-03-02T10:00:00Z';
    const firsts: unknown[] = [100, 200.4, 300, '400', -5, 1e300, undefined];
    const spans = firsts.map((first, n) => ({
      ...{ id: `s${n}`, trace_id: n < 3 ? 't' : 'u', name: 's', started_at: at, ended_at: at },
      kind: { type: 'llm_call', model: n < 2 ? 'fast' : 'slow' },
      ...(first !== undefined && { metadata: { time_to_first_token_ms: first } }),
    }));
    const traces = [
      { id: 't', user_id: 'ada', started_at: at },
      { id: 'u', started_at: at },
    ];
    const score = (value: number, about: object) => ({
      ...{ id: `score-${value}`, name: 'helpful', value },
      ...about,
    });
    const scores = [
      ...[score(1, { span_id: 's0' }), score(0, { span_id: 's1' }), score(0.2, { span_id: 's3' })],
      score(0.6, { trace_id: 't' }),
    ];
    expect((await call<{ rejected: unknown }>('/api/ingest', { traces, spans, scores })).body.rejected).toEqual([]);
    const byModel = await ask({ group_by: ['model'], order_by: 'score_mean', first_token: true, score: 'helpful' });
    expect(
      byModel.body.groups.map((one) => [
        ...[one.keys[0], one.span_count, one.first_token_p50_ms, one.first_token_p99_ms],
        ...[one.score_count, one.score_mean],
      ]),
    ).toEqual([
      [null, 0, null, null, 1, 0.6],
      ['fast', 2, expect.closeTo(100, -1), expect.closeTo(200, -1), 2, 0.5],
      ['slow', 5, expect.closeTo(300, -1), expect.closeTo(300, -1), 1, 0.2],
    ]);
    expect(byModel.body.total).toMatchObject({ span_count: 7, score_count: 4, score_mean: 0.45 });
    const byUser = await ask({ group_by: ['user'], score: 'helpful', order_by: 'count', filters: { user_id: 'ada' } });
    expect(byUser.body.groups.map(({ keys, score_count: count }) => [keys, count])).toEqual([[['ada'], 3]]);
    const ofModel = await ask({ group_by: ['user'], score: 'helpful', filters: { model: 'slow', tokens_min: 0 } });
    expect(ofModel.body.total).toMatchObject({ span_count: 0, score_count: 0, score_mean: null });
    expect((await ask({ score: 'none\0' })).body.total).toMatchObject({ score_count: 0, score_mean: null });
  });

  it('take spans by scores that many have', async () => {
    const at = '2026-03-03T10:00:00Z';
    const SPANS = 1_500;
    const spans = Array.from({ length: SPANS }, (_, n) => ({
      ...{ id: `many${n}`, trace_id: 'many', name: 'many', started_at: at, ended_at: at },
    }));
    const scores = spans.flatMap(({ id }, n) => [
      { id: `good-${n}`, name: 'good', value: n < 1_300 ? 1 : 0, span_id: id },
      { id: `fast-${n}`, name: 'fast', value: n < 1_400 ? 1 : 0, span_id: id },
    ]);
    const traces = [{ id: 'many', started_at: at }];
    expect((await call<{ rejected: unknown }>('/api/ingest', { traces, spans, scores })).body.rejected).toEqual([]);
    const countOf = async (score: string[]) =>
      (await ask({ group_by: ['name'], filters: { score, since: at } })).body.total.span_count;
    expect(await countOf(['good>0.5'])).toBe(1_300);
    expect(await countOf(['fast>0.5', 'good>0.5'])).toBe(1_300);
    expect(await countOf(['fast>0.5', 'good<0.5'])).toBe(100);
  });

  it('look for texts first, and refuse what cannot be asked', async () => {
    const spans = ['zebra one', 'zebra two', 'horse'].map((input, n) => ({
      ...{ id: `text-${n}`, trace_id: 'texts', name: `n${n}`, input, metadata: { team: n === 0 ? 'x' : 'y' } },
    }));
    await call('/api/ingest', { traces: [{ id: 'texts' }], spans });
    const found = await ask({ group_by: ['name'], filters: { text_contains: 'ZEBRA' } });
    expect(found.body.groups.map(({ keys }) => keys)).toEqual([['n0'], ['n1']]);
    const ofTeam = await ask({ group_by: ['name'], filters: { trace_id: 'texts', metadata: { team: 'y' } } });
    expect(ofTeam.body.groups.map(({ keys }) => keys)).toEqual([['n1'], ['n2']]);
    expect((await ask({ filters: { text_contains: 'none' } })).body).toMatchObject({ groups: [], other: null });
    for (const [body, path] of [
      [{ group_by: ['model', 'model'] }, 'group_by'],
      [{ group_by: ['model', 'kind', 'name'] }, 'group_by'],
      [{ group_by: ['colour'] }, 'group_by[0]'],
      [{ order_by: 'score_mean' }, 'score'],
      [{ top: 101 }, 'top'],
      [{ filters: { tokens_min: 'many' } }, 'filters.tokens_min'],
      [{ filters: [] }, 'filters'],
      [{ bucket: 'minute' }, 'bucket'],
    ] as const) {
      const { status, body: problem } = await ask(body);
      expect([body, status, problem.code, problem.errors?.[0]?.path]).toEqual([body, 400, 'validation_failed', path]);
    }
  });
});
