/** Lists and counts of traces and spans by their scores (docs/spec/scores.md#finding-by-scores), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IngestResult, ScoreBucket } from '@spandrel/contract';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';

const COUNT = 30;
/** More scores than are looked up beforehand. */
const MANY = 4_200;
const at = (n: number): string => new Date(Date.parse('2026-10-01T00:00:00Z') + n * 60_000).toISOString();

/** The scores of the nth trace, and of its one span where `onSpan`. */
const scoresOf = (n: number) => [
  { name: 'quality', value: (n % 10) / 10, onSpan: false },
  { name: 'helpful', label: n % 3 === 0 ? 'yes' : 'no', onSpan: true },
  { name: 'a "b": <c>', value: n, label: 'x: y<1', onSpan: true },
  ...(n % 5 === 0 ? [{ name: 'quality', value: 1, onSpan: true }] : []),
  ...(n % 7 === 0 ? [{ name: 'noted', comment: 'no value', onSpan: true }] : []),
];
type Given = ReturnType<typeof scoresOf>[number];

describeOnBothDatabases('filters by score', ({ newDatabase }) => {
  let server: ServerApp;
  const get = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const ingest = async (body: object): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = (await (await fetch(`${server.url}/api/ingest`, init)).json()) as IngestResult;
    expect(answer.rejected).toEqual([]);
  };

  beforeAll(async () => {
    server = await startServerApp(await newDatabase('score_filters'));
    const numbers = Array.from({ length: COUNT }, (_, n) => n);
    await ingest({
      traces: numbers.map((n) => ({ id: `t${n}`, started_at: at(n), tags: [`tag${n % 2}`] })),
      spans: numbers.map((n) => ({
        ...{ id: `s${n}`, trace_id: `t${n}`, name: 'call', input: n % 2 === 0 ? 'needle' : 'hay' },
        ...{ started_at: at(n), ended_at: at(n + 1), kind: { type: 'llm_call', model: `m${n % 2}` } },
      })),
      scores: numbers.flatMap((n) =>
        scoresOf(n).map(({ onSpan, ...score }, i) => ({
          ...{ ...score, id: `${n}-${i}` },
          ...(onSpan ? { span_id: `s${n}` } : { trace_id: `t${n}` }),
        })),
      ),
    });
  });
  afterAll(() => server?.close());

  /** Ids of all pages of a list, whose count is compared with them. */
  async function listed(
    of: 'traces' | 'spans',
    filters: readonly [string, string][],
    sort = '',
    limit = 7,
  ): Promise<string[]> {
    const query = new URLSearchParams(filters.map(([name, value]) => [name, value])).toString();
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await get(
        `/api/${of}?${query}${sort}&limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(status).toBe(200);
      ids.push(...(body[of] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'] as string | null;
    }
    const counted = query.replace(/&sort_order=asc/, '');
    expect((await get(`/api/count/${of}?${counted}`)).body).toEqual({ count: ids.length, exact: true });
    return ids;
  }

  type Case = [title: string, filters: string[], takes: (own: readonly Given[]) => boolean];
  const quality = (takes: (value: number) => boolean) => (own: readonly Given[]) =>
    own.some(({ name, value }) => name === 'quality' && value !== undefined && takes(value));
  it.each<Case>([
    ['below', ['quality<0.3'], quality((value) => value < 0.3)],
    ['at most', ['quality<=0.3'], quality((value) => value <= 0.3)],
    ['above', ['quality>0.8'], quality((value) => value > 0.8)],
    ['at least', ['quality >= .8'], quality((value) => value >= 0.8)],
    ['equal', ['quality=5e-1'], quality((value) => value === 0.5)],
    ['a range, which one score must be in', ['quality>0.2', 'quality<0.4'], quality((v) => v > 0.2 && v < 0.4)],
    ['a label', ['helpful:yes'], (own) => own.some(({ label }) => label === 'yes')],
    [
      'two names',
      ['helpful:no', 'quality<0.5'],
      (own) => {
        return own.some(({ label }) => label === 'no') && quality((value) => value < 0.5)(own);
      },
    ],
    ['two labels, which no one has', ['helpful:yes', 'helpful:no'], () => false],
    [
      'a name in quotes',
      ['"a \\"b\\": <c>">=28'],
      (own) => own.some(({ name, value }) => name.startsWith('a "') && value! >= 28),
    ],
    ['a label with signs', ['"a \\"b\\": <c>":x: y<1'], () => true],
    ['a comment alone has no value', ['noted<1000'], () => false],
    ['a name nobody used', ['nothing>0'], () => false],
    ['a text that no column holds', ['a\0b>0'], () => false],
  ])('finds %s', async (_title, score, takes) => {
    const filters = score.map((one): [string, string] => ['score', one]);
    const newest = (of: (n: number) => readonly Given[], id: string): string[] =>
      Array.from({ length: COUNT }, (_, n) => n)
        .filter((n) => takes(of(n)))
        .map((n) => `${id}${n}`)
        .toReversed();
    const ofSpans = newest((n) => scoresOf(n).filter(({ onSpan }) => onSpan), 's');
    const ofTraces = newest(scoresOf, 't');
    expect(await listed('traces', filters)).toEqual(ofTraces);
    expect(await listed('spans', filters)).toEqual(ofSpans);
    expect((await listed('spans', filters, '&sort_by=duration')).toSorted()).toEqual(ofSpans.toSorted());
    expect((await listed('traces', filters, '&sort_by=cost')).toSorted()).toEqual(ofTraces.toSorted());
    const isEven = (id: string): boolean => Number(id.slice(1)) % 2 === 0;
    expect(await listed('traces', [...filters, ['tag', 'tag0']])).toEqual(ofTraces.filter(isEven));
    expect(await listed('spans', [...filters, ['model', 'm0']])).toEqual(ofSpans.filter(isEven));
    expect(await listed('spans', [...filters, ['text_contains', 'needle']])).toEqual(ofSpans.filter(isEven));
    expect(await listed('spans', [...filters, ['ids', 's3'], ['ids', 's4']])).toEqual(
      ofSpans.filter((id) => ['s3', 's4'].includes(id)),
    );
  });

  it.each(['desc', 'asc'] as const)('sorts by the values of a score, %s', async (order) => {
    const sorted = (id: string, of: (n: number) => readonly Given[], takes = (_n: number): boolean => true) =>
      Array.from({ length: COUNT }, (_, n) => n)
        .filter(takes)
        .flatMap((n) => {
          const values = of(n).flatMap(({ name, value }) => (name === 'quality' ? (value ?? []) : []));
          const first = order === 'asc' ? Math.min(...values) : Math.max(...values);
          return values.length === 0 ? [] : [{ id: `${id}${n}`, first }];
        })
        .toSorted((a, b) => (a.first - b.first || (a.id < b.id ? -1 : 1)) * (order === 'asc' ? 1 : -1))
        .map((one) => one.id);
    const sort = `&sort_by=score:quality&sort_order=${order}`;
    const list = async (of: 'traces' | 'spans', filters: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body } = await get(`/api/${of}?${filters}${sort}&limit=4${cursor && `&cursor=${cursor}`}`);
        expect(status).toBe(200);
        ids.push(...(body[of] as { id: string }[]).map(({ id }) => id));
        cursor = body['next_cursor'] as string | null;
      }
      return ids;
    };
    const onSpan = (n: number) => scoresOf(n).filter((score) => score.onSpan);
    const isEven = (n: number): boolean => n % 2 === 0;
    expect(await list('traces', '')).toEqual(sorted('t', scoresOf));
    expect(await list('spans', '')).toEqual(sorted('s', onSpan));
    expect(await list('traces', 'tag=tag0')).toEqual(sorted('t', scoresOf, isEven));
    expect(await list('traces', `since=${at(9)}&until=${at(20)}&score=helpful:yes`)).toEqual(
      sorted('t', scoresOf, (n) => n >= 9 && n < 20 && n % 3 === 0),
    );
    expect(await list('spans', 'model=m0')).toEqual(sorted('s', onSpan, isEven));
    expect(await list('spans', 'text_contains=needle')).toEqual(sorted('s', onSpan, isEven));
    expect(await list('spans', 'view=outline&ids=s5&ids=s6&ids=s15')).toEqual(
      sorted('s', onSpan, (n) => [5, 15].includes(n)),
    );
    expect(await list('spans', `since=${at(9)}&tag=tag1`)).toEqual(sorted('s', onSpan, (n) => n >= 9 && n % 2 === 1));
  });

  it('refuses an order without a name, and lists nothing by a name that nobody used', async () => {
    for (const list of ['traces', 'spans']) {
      expect((await get(`/api/${list}?sort_by=score:`)).status).toBe(400);
      expect((await get(`/api/${list}?sort_by=scores:quality`)).status).toBe(400);
      for (const name of ['nothing', 'noted', 'a%00b']) {
        expect((await get(`/api/${list}?sort_by=score:${name}`)).body).toEqual({
          [list]: [],
          count: 0,
          next_cursor: null,
        });
      }
      const { body } = await get(`/api/${list}?sort_by=score:quality&limit=1`);
      const other = await get(`/api/${list}?sort_by=score:helpful&cursor=${String(body['next_cursor'])}`);
      expect(other.body).toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it.each([
    'quality',
    'quality<',
    'quality<high',
    '<1',
    ':x',
    'quality:',
    '""<1',
    '"open<1',
    'quality<1<2',
    'quality==',
  ])('refuses %j', async (score) => {
    const refused = await get(`/api/traces?score=${encodeURIComponent(score)}`);
    expect([refused.status, refused.body]).toMatchObject([400, { code: 'validation_failed' }]);
    expect(JSON.stringify(refused.body)).toContain('NAME<NUMBER');
  });

  it('tests traces and spans one by one where very many have such scores', async () => {
    const numbers = Array.from({ length: MANY }, (_, n) => n);
    await ingest({
      traces: numbers.map((n) => ({ id: `many${n}`, started_at: at(100 + n) })),
      spans: numbers.map((n) => ({ id: `many${n}`, trace_id: `many${n}`, name: 'call', started_at: at(100 + n) })),
    });
    await ingest({
      scores: numbers.map((n) => ({ id: `many${n}`, name: 'many', value: n, label: 'l', span_id: `many${n}` })),
    });
    for (const plural of ['traces', 'spans'] as const) {
      const first = (await get(`/api/${plural}?score=many>=0&score=many:l&limit=2`)).body;
      const second = (await get(`/api/${plural}?score=many>=0&limit=2&cursor=${String(first['next_cursor'])}`)).body;
      expect([first, second].flatMap((page) => (page[plural] as { id: string }[]).map(({ id }) => id))).toEqual(
        [1, 2, 3, 4].map((n) => `many${MANY - n}`),
      );
      expect((await get(`/api/count/${plural}?score=many>=0&score=many<${MANY + 1}`)).body).toMatchObject({
        count: MANY,
      });
      expect((await get(`/api/${plural}?score=many>=0&score=quality>0`)).body).toMatchObject({ count: 0 });
      // Behind more of their name than are looked at first; beside a label that all of these have; in a part of the list.
      for (const [query, newest, oldest] of [
        ['score=many<1500', 1_499, 0],
        ['score=many:l&score=many<1500', 1_499, 0],
        [`score=many:l&score=many<2500&until=${at(2_000)}`, 1_899, 0],
        [`score=many<2500&since=${at(400)}`, 2_499, 300],
        [`score=many:l&score=many>=2000&since=${at(400)}`, MANY - 1, 2_000],
      ] as const) {
        const ends = [
          await get(`/api/${plural}?${query}&limit=3`),
          await get(`/api/${plural}?${query}&sort_order=asc&limit=3`),
        ];
        expect(ends.map(({ body }) => (body[plural] as { id: string }[]).map(({ id }) => id))).toEqual([
          [0, 1, 2].map((n) => `many${newest - n}`),
          [0, 1, 2].map((n) => `many${oldest + n}`),
        ]);
      }
    }
  });

  it('reads what very many scores are about in list order, also where it came or moved later', async () => {
    const numbers = Array.from({ length: 1_500 }, (_, n) => n);
    // Several begin at once; the list is far from the order in which they come.
    const start = (n: number): number => 10_000 + Math.floor(((n * 7_919) % 1_500) / 2);
    const span = (n: number, minute = start(n)) => ({
      ...{ id: `walk${n}`, trace_id: `walk${n}`, name: 'call', started_at: at(minute) },
    });
    const isLate = (n: number): boolean => n % 3 === 0;
    await ingest({
      traces: numbers.map((n) => ({ id: `walk${n}`, started_at: at(start(n)) })),
      spans: numbers.filter((n) => !isLate(n)).map((n) => span(n)),
    });
    await ingest({
      scores: numbers.flatMap((n) => [
        { id: `walk${n}`, name: 'walk', value: 1, trace_id: `walk${n}`, span_id: `walk${n}` },
        ...(n % 4 === 0 ? [{ id: `walk${n}-again`, name: 'walk', value: 2, span_id: null, trace_id: `walk${n}` }] : []),
        ...(n % 5 === 0
          ? [{ id: `walk${n}-more`, name: 'walk', value: 3, trace_id: `walk${n}`, span_id: `walk${n}` }]
          : []),
      ]),
    });
    await ingest({ spans: numbers.filter(isLate).map((n) => span(n, start(n) + 3)) });
    const moved = numbers.filter((n) => n % 10 === 1);
    await ingest({
      spans: moved.map((n) => span(n, start(n) + 40)),
      traces: moved.map((n) => ({ id: `walk${n}`, started_at: at(start(n) - 50) })),
    });
    const isMoved = (n: number): boolean => moved.includes(n);
    const begins = {
      spans: (n: number) => start(n) + (isMoved(n) ? 40 : isLate(n) ? 3 : 0),
      traces: (n: number) => start(n) - (isMoved(n) ? 50 : 0),
    };
    for (const plural of ['spans', 'traces'] as const) {
      const order = (a: number, b: number): number =>
        begins[plural](a) - begins[plural](b) || (`walk${a}` < `walk${b}` ? -1 : 1);
      const ascending = numbers.toSorted(order).map((n) => `walk${n}`);
      const filters: [string, string][] = [['score', 'walk>0']];
      expect(await listed(plural, [...filters, ['sort_order', 'asc']], '', 400)).toEqual(ascending);
      expect(await listed(plural, filters, '', 37)).toEqual(ascending.toReversed());
      const within = numbers.filter((n) => begins[plural](n) >= 10_100 && begins[plural](n) < 10_200).toSorted(order);
      expect(await listed(plural, [...filters, ['since', at(10_100)], ['until', at(10_200)]])).toEqual(
        within.map((n) => `walk${n}`).toReversed(),
      );
    }
    const sums = (await get('/api/analytics/scores?name=walk&group_by=hour')).body['buckets'] as ScoreBucket[];
    const counted = (await get('/api/analytics/scores?name=walk&group_by=week')).body['buckets'] as ScoreBucket[];
    const total = (of: readonly ScoreBucket[]) => of.reduce((sum, { count }) => sum + count, 0);
    expect([total(sums), total(counted)]).toEqual([2_175, 2_175]);
    const hourOf = (n: number): number => Math.floor(begins.spans(n) / 60);
    const first = Math.min(...numbers.map(hourOf));
    expect(sums.filter(({ min }) => min === 1)[0]!.timestamp).toBe(at(first * 60));
  });
});
