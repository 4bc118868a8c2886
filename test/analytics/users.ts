/** Users, and splits by what traces say (docs/spec/users.md, docs/spec/analytics.md#scans). */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SpanResource, TimeBucket, TraceListItem, UserResource } from '@spandrel/contract';
import { addCost, costOf, toCostSum } from '@spandrel/tracing';
import type { AnalyticsApp } from './analytics-app.js';
import { sendAtOnce, USERS, write } from './random-writes.js';

interface Listed {
  users: UserResource[];
  next_cursor: string | null;
  code?: string;
  detail?: string;
}

/** Numbers that a user is sorted by. */
const SORTS = ['last_seen', 'cost', 'calls', 'tokens', 'errors'] as const;
const valueOf = (by: (typeof SORTS)[number], user: UserResource): number | null =>
  ({
    last_seen: Date.parse(user.last_seen_at),
    cost: user.total_cost,
    calls: user.call_count,
    tokens: user.total_tokens,
    errors: user.error_count,
  })[by];

/** The users of traces that started in a range, added up from the list of traces and that of spans. */
function naiveUsers(
  traces: readonly TraceListItem[],
  spans: readonly SpanResource[],
  isIn: (trace: TraceListItem) => boolean,
): UserResource[] {
  const byUser = Map.groupBy(
    traces.filter((trace) => trace.user_id !== null && isIn(trace)),
    ({ user_id: user }) => user!,
  );
  return [...byUser].map(([user_id, own]) => {
    const sum = (of: (trace: TraceListItem) => number): number => own.reduce((all, trace) => all + of(trace), 0);
    const starts = own.map(({ started_at: at }) => at).toSorted((a, b) => Date.parse(a) - Date.parse(b));
    const ids = new Set(own.map(({ id }) => id));
    const theirs = spans.filter(({ trace_id: id }) => ids.has(id));
    const costs = theirs.flatMap(({ kind: { cost } }) => (typeof cost === 'number' ? [toCostSum(cost)] : []));
    return {
      user_id,
      trace_count: own.length,
      session_count: new Set(own.flatMap(({ session_id: session }) => session ?? [])).size,
      span_count: sum(({ span_count: count }) => count),
      call_count: theirs.filter(({ kind }) => kind.type === 'llm_call').length,
      error_count: sum(({ error_count: count }) => count),
      total_tokens: sum(({ total_tokens: count }) => count),
      total_cost: costs.length === 0 ? null : costOf(costs.reduce(addCost)),
      unpriced_count: sum(({ unpriced_count: count }) => count),
      first_seen_at: starts[0]!,
      last_seen_at: starts.at(-1)!,
    };
  });
}

export function describeUsers(app: () => AnalyticsApp, newProject: () => string): void {
  const listed = async (project: string, query = '') =>
    (await app().call<Listed>('GET', `/api/users?${query}`, undefined, project)).body;

  it('have of each user what its traces come to, after any writes, in any order and page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constant(0), write), { minLength: 5, maxLength: 30 }), async (writes) => {
        const project = newProject();
        await sendAtOnce([app()], [project], writes);
        const [traces, spans] = [await app().traces(project), await app().spans(project)];
        const byId = (users: readonly UserResource[]): UserResource[] =>
          users.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));
        const { users } = await listed(project);
        expect(byId(users)).toEqual(byId(naiveUsers(traces, spans, () => true)));
        const since = '2026-01-04T12:00:00.000Z';
        const later = await listed(project, `since=${since}`);
        const isLater = ({ started_at: at }: TraceListItem): boolean => Date.parse(at) >= Date.parse(since);
        expect(byId(later.users)).toEqual(byId(naiveUsers(traces, spans, isLater)));
        for (const by of SORTS) {
          const sorted: UserResource[] = [];
          for (let cursor: string | null = ''; cursor !== null;) {
            const query: string = `sort_by=${by}&sort_order=asc&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
            const page: Listed = await listed(project, query);
            sorted.push(...page.users);
            cursor = page.next_cursor;
          }
          const values = sorted.map((user) => valueOf(by, user) ?? Infinity);
          expect([by, values]).toEqual([by, values.toSorted((a, b) => a - b)]);
          expect(byId(sorted)).toEqual(byId(users));
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 120_000);

  it('are found by their ids exactly, and are of their project alone', async () => {
    const project = newProject();
    const traces = USERS.map((user, n) => ({ id: `t${n}`, user_id: user, started_at: `2026-03-0${n + 1}T00:00:00Z` }));
    await app().call('POST', '/api/ingest', { traces: [...traces, { id: 'nobody' }], spans: [] }, project);
    expect((await listed(project)).users.map(({ user_id: id }) => id)).toEqual(USERS.toReversed());
    expect((await listed(project, 'prefix=A')).users.map(({ user_id: id }) => id)).toEqual(['Ada']);
    expect((await listed(project, 'id_contains=DA')).users).toHaveLength(2);
    const read = (id: string, query = '', of = project) =>
      app().call<UserResource & { code?: string }>(
        'GET',
        `/api/users/${encodeURIComponent(id)}${query}`,
        undefined,
        of,
      );
    expect((await read('ada')).body).toMatchObject({ user_id: 'ada', trace_count: 1, total_cost: null });
    for (const answer of [
      await read('ADA'),
      await read('ada', '?until=2026-01-01'),
      await read('ada', '', newProject()),
      await read('a\0'),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found']);
    }
    expect((await listed(newProject())).users).toEqual([]);
    expect(await listed(project, 'cursor=x')).toMatchObject({ code: 'invalid_cursor' });
  });

  it('are split with each cost once, and a trace once for each of its tags', async () => {
    const project = newProject();
    const at = '2026-03-02T10:00:00Z';
    const span = (id: string, trace: string, cost: number): object => ({
      ...{ id, trace_id: trace, name: 's', started_at: at, ended_at: at },
      kind: { type: 'llm_call', model: 'm', cost, input_tokens: 10, output_tokens: 5, cached_input_tokens: 4 },
    });
    const traces = [
      { id: 't1', user_id: 'ada', tags: ['a', 'b'], metadata: { 'the "env"': 'prod' } },
      { id: 't2', tags: ['b'], metadata: { 'the "env"': { x: [1] } } },
      { id: 't3' },
    ];
    const spans = [span('s1', 't1', 1), span('s2', 't1', 2), span('s3', 't2', 4), span('s4', 't3', 8)];
    await app().call('POST', '/api/ingest', { traces, spans }, project);
    const costs = async (split_by: string, more: object = {}) => {
      const { body } = await app().series({ split_by, ...more }, project);
      const [{ cost, series = [] }] = body.buckets as [TimeBucket];
      return [cost, series.map(({ key, cost: own }) => [key, own])];
    };
    expect(await costs('user')).toEqual([
      15,
      [
        ['ada', 3],
        [null, 12],
      ],
    ]);
    expect(await costs('tag')).toEqual([
      15,
      [
        ['b', 7],
        ['a', 3],
        [null, 8],
      ],
    ]);
    expect(await costs('tag', { top: 1 })).toEqual([
      15,
      [
        ['b', 7],
        [null, 8],
      ],
    ]);
    expect(await costs('metadata.the "env"')).toEqual([
      15,
      [
        ['{"x":[1]}', 4],
        ['prod', 3],
        [null, 8],
      ],
    ]);
    expect(await costs('user', { user_id: 'ada' })).toEqual([3, [['ada', 3]]]);
    const { body } = await app().series({ totals: true, since: '2026-03-02', until: '2026-03-03' }, project);
    expect(body.totals).toMatchObject({ cost: 15, input_tokens: 40, output_tokens: 20, cached_input_tokens: 16 });
    expect(body.previous_totals).toMatchObject({ cost: 0, span_count: 0 });
    expect((await app().series({ split_by: 'metadata.' }, project)).status).toBe(400);
  });

  it('choose buckets that suit the range', async () => {
    const project = newProject();
    const at = (time: string) => ({ id: time, trace_id: 't', name: 's', started_at: time });
    const spans = [at('2026-03-02T10:15:00Z'), at('2026-03-02T11:15:00Z')];
    await app().call('POST', '/api/ingest', { traces: [{ id: 't' }], spans }, project);
    const widths = {
      '2026-03-02T12:00:00Z': 'minute',
      '2026-03-03': 'hour',
      '2026-03-09': 'day',
      '2027-01-01': 'week',
    };
    for (const [until, width] of Object.entries(widths)) {
      const { body } = await app().call<{ group_by: string }>(
        ...(['POST', '/api/analytics', { group_by: 'auto', since: '2026-03-02T10:00:00Z', until }, project] as const),
      );
      expect([until, body.group_by]).toEqual([until, width]);
    }
    const all = await app().series({ group_by: 'auto', fill: true }, project);
    expect(all.body.buckets).toHaveLength(120);
  });
}
