/** Scores of traces, spans and sessions (docs/spec/scores.md), in this process, on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ScoreDefinition, ScoreResource } from '@spandrel/contract';
import { describeOnBothDatabases } from './support/databases.ts';
import { random } from './support/random.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';

interface ScorePage {
  scores: ScoreResource[];
  count: number;
  next_cursor: string | null;
}
/** Answers of all kinds, of which a test looks at some members. */
interface Body {
  [member: string]: unknown;
  traces: { scores: unknown }[];
  spans: { scores: unknown }[];
  scores: unknown[];
  corrected: { mean: number } | null;
}

/** The start of the bucket of a moment, as the wire has it; a second way to find it. */
function bucketOf(at: number, width: 'hour' | 'day' | 'week'): string {
  const date = new Date(at);
  date.setUTCMinutes(0, 0, 0);
  if (width !== 'hour') date.setUTCHours(0);
  if (width === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString();
}

describeOnBothDatabases('scores', ({ newDatabase }) => {
  let server: ServerApp;
  let traces = 0;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('scores'));
  });
  afterAll(() => server?.close());

  const call = async <Answer = Body>(method: string, path: string, body?: unknown) => {
    const init = { method, headers: { 'content-type': 'application/json' } };
    const response = await fetch(
      `${server.url}${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    return { status: response.status, body: (await response.json()) as Answer };
  };

  /** A trace with one span, in a session of its own. */
  async function record(): Promise<{ trace: string; span: string; session: string }> {
    const trace = `trace-${++traces}`;
    const session = `session-${traces}`;
    const spans = [{ id: `${trace}-span`, trace_id: trace, name: 'call', ended_at: '2026-11-27T10:00:01Z' }];
    const { status } = await call('POST', '/api/ingest', { traces: [{ id: trace, session_id: session }], spans });
    expect(status).toBe(200);
    return { trace, span: `${trace}-span`, session };
  }

  const listed = async (query: string): Promise<string[]> =>
    (await call<ScorePage>('GET', `/api/scores?${query}`)).body.scores.map(({ id }) => id);

  it('are made about a trace, a span or a session, and read, changed and deleted', async () => {
    const { trace, span, session } = await record();
    const made = await call<ScoreResource>('POST', '/api/scores', { name: 'thumb', value: 1, span_id: span });
    const ofSession = await call<ScoreResource>('POST', '/api/scores', {
      name: 'csat',
      label: 'good',
      session_id: session,
    });
    const path = `/api/scores/${made.body.id}`;

    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      trace_id: trace,
      span_id: span,
      session_id: null,
      source: 'code',
      author: 'local',
    });
    expect(ofSession.body).toMatchObject({ trace_id: null, session_id: session, value: null, label: 'good' });
    expect(await call('GET', path)).toEqual({ status: 200, body: made.body });

    const changed = await call<ScoreResource>('PUT', path, { value: 0, comment: 'on second thought', author: 'ada' });
    expect(changed.body).toMatchObject({ value: 0, comment: 'on second thought', author: 'ada' });
    expect(changed.body.revisions).toMatchObject([{ value: 1, label: null, comment: null, author: 'local' }]);
    for (let value = 1; value <= 7; value++) await call('PUT', path, { value });
    expect((await call<ScoreResource>('GET', path)).body.revisions.map(({ value }) => value)).toEqual([2, 3, 4, 5, 6]);
    expect((await call('PUT', path, { value: null, comment: null })).body['errors']).toMatchObject([{ path: 'value' }]);

    expect((await call('DELETE', path)).body).toEqual({ id: made.body.id, deleted: true });
    expect((await call('GET', path)).body['code']).toBe('score_not_found');
  });

  it('with an id of the client are made once', async () => {
    const { trace } = await record();
    const body = { id: `own-${trace}`, name: 'thumb', value: 1, trace_id: trace, metadata: { page: 3 } };
    const [first, second] = [await call('POST', '/api/scores', body), await call('POST', '/api/scores', body)];
    const other = await call('POST', '/api/scores', { ...body, value: 0 });

    expect([first.status, second]).toEqual([201, first]);
    expect([other.status, other.body['code']]).toEqual([409, 'id_conflict']);
  });

  it.each([
    ['nothing that it says', { name: 'x', trace_id: 'trace-1' }, 400, 'validation_failed'],
    ['nothing that it is about', { name: 'x', value: 1 }, 400, 'validation_failed'],
    ['two things', { name: 'x', value: 1, trace_id: 'trace-1', session_id: 'session-1' }, 400, 'validation_failed'],
    ['an unknown trace', { name: 'x', value: 1, trace_id: 'nobody' }, 404, 'trace_not_found'],
    ['an unknown span', { name: 'x', value: 1, span_id: 'nobody' }, 404, 'span_not_found'],
    ['an unknown session', { name: 'x', value: 1, session_id: 'nobody' }, 404, 'session_not_found'],
    [
      "another span's trace",
      { name: 'x', value: 1, trace_id: 'trace-1', span_id: 'trace-2-span' },
      400,
      'validation_failed',
    ],
    ['a value that is no number', { name: 'x', value: '1', trace_id: 'trace-1' }, 400, 'validation_failed'],
    ['a value without a square', { name: 'x', value: 1e200, trace_id: 'trace-1' }, 400, 'validation_failed'],
    ['a value whose square is 0', { name: 'x', value: -1e-200, trace_id: 'trace-1' }, 400, 'validation_failed'],
  ])('is refused with %s', async (_what, body, status, code) => {
    const refused = await call('POST', '/api/scores', body);
    expect([refused.status, refused.body['code']]).toEqual([status, code]);
  });

  it('of the largest and smallest sizes are summed, changed and deleted as others are', async () => {
    const { trace } = await record();
    const values = [1e100, -1e100, 1e100, 1e-100, 0];
    const scores = values.map((value, n) => ({ id: `sized-${n}`, name: 'sized', value, trace_id: trace }));
    expect((await call('POST', '/api/ingest', { scores })).body['rejected']).toEqual([]);
    expect((await call('PUT', '/api/scores/sized-2', { value: -1e-100 })).status).toBe(200);
    expect((await call('DELETE', '/api/scores/sized-4')).status).toBe(200);
    const { body } = await call('GET', '/api/analytics/scores?name=sized');
    expect(body['buckets']).toMatchObject([{ count: 4, mean: expect.closeTo(0, 9), min: -1e100, max: 1e100 }]);
    expect((await call('GET', '/api/analytics/quality?name=sized')).status).toBe(200);
    expect((await call('DELETE', `/api/traces/${trace}`)).status).toBe(200);
    expect((await call('GET', '/api/analytics/scores?name=sized')).body['buckets']).toEqual([]);
  });

  it('have any names and labels, those of members of objects too', async () => {
    const { trace, span, session } = await record();
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const [n, name] of names.entries()) {
      const made = await call('POST', '/api/scores', { name, value: n, label: names[3 - n], span_id: span });
      expect(made.status).toBe(201);
    }
    const wanted = names.map((name, n) => [name, `{"count":1,"mean":${n},"labels":{"${names[3 - n]}":1}}`]).toSorted();
    const scored = ([first]: { scores: unknown }[]) =>
      Object.entries(first!.scores as object)
        .map(([name, sum]) => [name, JSON.stringify(sum)])
        .toSorted();
    const { body: list } = await call('GET', `/api/traces?ids=${trace}&include=scores`);
    expect(scored(list.traces)).toEqual(wanted);
    const { body: sessions } = await call('GET', `/api/sessions?id_contains=${session}&include=scores`);
    expect(scored(sessions['sessions'] as Body['traces'])).toEqual(wanted);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toEqual(expect.arrayContaining(['count', 'mean']));
    const { body: named } = await call('GET', '/api/traces?score=__proto__%3A%E2%80%A6');
    expect(named['traces']).toEqual([]);
    const { body: sums } = await call<{ buckets: { name: string }[] }>('GET', '/api/analytics/scores');
    expect(sums.buckets.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    await call('DELETE', `/api/traces/${trace}`);
  });

  it('keep a comment of 10,000 characters', async () => {
    const { trace } = await record();
    const said = (comment: string) => call('POST', '/api/scores', { name: 'x', comment, trace_id: trace });
    expect((await said('c'.repeat(10_000))).status).toBe(201);
    expect((await said('c'.repeat(10_001))).body['errors']).toMatchObject([{ path: 'comment' }]);
  });

  it('of a span that is still to come needs its trace', async () => {
    const { trace } = await record();
    const early = await call('POST', '/api/scores', {
      name: 'x',
      value: 1,
      span_id: `${trace}-later`,
      trace_id: trace,
    });
    expect([early.status, early.body['span_id']]).toEqual([201, `${trace}-later`]);
  });

  it('count with the model of their span, also where that comes or gets it after them', async () => {
    const { trace } = await record();
    const spans = ['later', 'runs'].map((name) => ({ id: `${trace}-${name}`, trace_id: trace, name }));
    const kind = { type: 'llm_call', model: 'late', provider: 'openai' };
    await call('POST', '/api/ingest', { spans: [spans[1]] });
    for (const { id } of spans)
      await call('POST', '/api/scores', { name: 'early', value: 1, span_id: id, trace_id: trace });
    const counted = async () =>
      (await call<{ buckets: { count: number }[] }>('GET', '/api/analytics/scores?name=early&model=late')).body.buckets;
    expect(await counted()).toEqual([]);
    const ended = spans.map((span) => ({ ...span, kind, ended_at: new Date().toISOString() }));
    expect((await call('POST', '/api/ingest', { spans: ended })).body['rejected']).toEqual([]);
    expect((await counted()).map(({ count }) => count)).toEqual([2]);
    await call('DELETE', `/api/traces/${trace}`);
    expect(await counted()).toEqual([]);
  });

  it('are about a session whose id is masked', async () => {
    const rules = (given: object[]) => call('PUT', '/api/projects/local/masking', { rules: given });
    expect((await rules([{ masker: 'email', replace: 'hash' }])).status).toBe(200);
    const session = 'jane@masked.example';
    const score = { id: 'of-masked', name: 'masked', session_id: session, value: 1 };
    const sent = await call('POST', '/api/ingest', {
      traces: [{ id: 'masked', session_id: session }],
      scores: [score],
    });
    const made = await call('POST', '/api/scores', { ...score, id: null, comment: session });
    const enqueued = await call('POST', '/api/queue', { session_ids: [session] });
    expect((await rules([])).status).toBe(200);
    expect(sent.body).toMatchObject({ accepted: { scores: 1 }, rejected: [] });
    const { body } = await call<{ trace: { session_id: string } }>('GET', '/api/traces/masked');
    expect(body.trace.session_id).toMatch(/^\[email:[a-p]{20}\]$/);
    expect(made).toMatchObject({ status: 201, body: { session_id: body.trace.session_id } });
    expect(enqueued).toMatchObject({ status: 201, body: { items: [{ session_id: body.trace.session_id }] } });
    expect(await listed(`session_id=${encodeURIComponent(body.trace.session_id)}`)).toHaveLength(2);
  });

  it('are listed newest first, page by page, by every filter', async () => {
    const { trace, span, session } = await record();
    const about = [{ trace_id: trace }, { span_id: span }, { session_id: session }, { trace_id: trace }];
    for (const [n, target] of about.entries()) {
      const source = n % 2 === 0 ? 'human' : 'end_user';
      const said = { name: `${trace}-n${n % 2}`, value: n / 2, label: `l${n}`, source, author: `author-${trace}-${n}` };
      expect((await call('POST', '/api/scores', { id: `${trace}-${n}`, ...said, ...target })).status).toBe(201);
    }
    const id = (n: number): string => `${trace}-${n}`;

    expect((await listed(`trace_id=${trace}`)).toSorted()).toEqual([id(0), id(1), id(3)]);
    expect(await listed(`span_id=${span}`)).toEqual([id(1)]);
    expect(await listed(`session_id=${session}`)).toEqual([id(2)]);
    expect((await listed(`name=${trace}-n1`)).toSorted()).toEqual([id(1), id(3)]);
    expect((await listed(`trace_id=${trace}&source=human`)).toSorted()).toEqual([id(0)]);
    expect(await listed(`author=author-${trace}-2`)).toEqual([id(2)]);
    expect(await listed(`trace_id=${trace}&label=l3`)).toEqual([id(3)]);
    expect((await listed(`trace_id=${trace}&min_value=0.5&max_value=1.5`)).toSorted()).toEqual([id(1), id(3)]);
    expect(await listed(`trace_id=${trace}&until=2000-01-01T00:00:00Z`)).toEqual([]);
    expect(await listed('name=%00')).toEqual([]);

    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: ScorePage = (await call<ScorePage>('GET', `/api/scores?trace_id=${trace}&limit=2${query}`)).body;
      pages.push(page.scores.map(({ id: one }) => one));
      cursor = page.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 1]);
    expect(pages.flat()).toEqual(await listed(`trace_id=${trace}`));
  });

  it('come with an ingest, each accepted or rejected by itself, and are changed when they come again', async () => {
    const { trace, span } = await record();
    const fresh = `${trace}-fresh`;
    const ingest = (scores: object[]) => call('POST', '/api/ingest', { traces: [{ id: fresh }], scores });
    const first = await ingest([
      { id: `${trace}-a`, name: 'thumb', value: 1, trace_id: fresh, comment: 'kept' },
      { id: `${trace}-b`, name: 'thumb', value: 1, trace_id: 'nobody' },
      { name: 'thumb', value: 1, trace_id: trace },
      { id: `${trace}-c`, name: 'thumb', label: 'up', span_id: span },
    ]);
    expect(first.body['accepted']).toEqual({ traces: 1, spans: 0, scores: 2 });
    expect(first.body['rejected']).toMatchObject([
      { index: 1, collection: 'scores', code: 'trace_not_found' },
      { index: 2, collection: 'scores', code: 'validation_failed' },
    ]);

    const again = await ingest([
      { id: `${trace}-a`, name: 'thumb', value: 0, trace_id: fresh },
      { id: `${trace}-c`, name: 'thumb', label: 'up', trace_id: fresh },
    ]);
    expect(again.body['rejected']).toMatchObject([{ index: 1, code: 'id_conflict' }]);
    const changed = await call<ScoreResource>('GET', `/api/scores/${trace}-a`);
    expect(changed.body).toMatchObject({ value: 0, comment: 'kept', revisions: [{ value: 1, comment: 'kept' }] });
  });

  it('stand on their trace and in lists of traces and spans', async () => {
    const { trace, span } = await record();
    const add = (score: object) => call('POST', '/api/scores', { name: 'quality', ...score });
    await add({ trace_id: trace, value: 1 });
    await add({ trace_id: trace, value: 0.5, label: 'fair' });
    await add({ span_id: span, label: 'good' });

    const { body: whole } = await call('GET', `/api/traces/${trace}`);
    const { body: outline } = await call('GET', `/api/traces/${trace}?view=outline`);
    expect([whole['scores'].length, outline['scores'].length]).toEqual([3, 3]);
    const { body: list } = await call('GET', `/api/traces?ids=${trace}&include=scores`);
    expect(list['traces'][0]!.scores).toEqual({ quality: { count: 3, mean: 0.75, labels: { fair: 1, good: 1 } } });
    for (const view of ['full', 'outline']) {
      const { body: spans } = await call('GET', `/api/spans?trace_id=${trace}&include=scores&view=${view}`);
      expect(spans['spans'][0]!.scores).toEqual({ quality: { count: 1, mean: null, labels: { good: 1 } } });
    }
    expect((await call('GET', `/api/traces?ids=${trace}`)).body['traces'][0]).not.toHaveProperty('scores');
    expect((await call('GET', `/api/spans/${span}`)).body.scores).toMatchObject([{ label: 'good', span_id: span }]);
    const costed = (await call('GET', `/api/spans/${span}?include=cost`)).body;
    expect([costed.scores.length, costed['cost']]).toEqual([1, expect.anything()]);
  });

  it('stand on their session and in the list of sessions, with those of its traces', async () => {
    const { trace, span, session } = await record();
    const scored = async (path: string) => (await call('GET', path)).body;
    expect(await scored(`/api/spans/${span}`)).not.toHaveProperty('scores');
    const add = (score: object) => call('POST', '/api/scores', { name: 'csat', ...score });
    await add({ session_id: session, value: 1, label: 'good' });
    await add({ trace_id: trace, value: 0.25, label: 'good' });
    await add({ span_id: span, value: 0.25, name: 'tone' });

    const ofTrace = { csat: { count: 1, mean: 0.25, labels: { good: 1 } }, tone: { count: 1, mean: 0.25, labels: {} } };
    const one = await scored(`/api/sessions/${session}?include=scores`);
    const all = { ...ofTrace, csat: { count: 2, mean: 0.625, labels: { good: 2 } } };
    expect(one.scores).toEqual(all);
    expect(one.traces).toMatchObject([{ id: trace, scores: ofTrace }]);
    expect(JSON.stringify(await scored(`/api/sessions/${session}`))).not.toContain('"scores"');
    const query = `/api/sessions?id_contains=${session}`;
    expect((await scored(`${query}&include=scores`))['sessions']).toContainEqual(
      expect.objectContaining({
        session_id: session,
        scores: all,
      }),
    );
    expect(JSON.stringify(await scored(query))).not.toContain('"scores"');
  });

  it('have small metadata; pages of long ones end early, and all come', async () => {
    const { trace } = await record();
    const score = { name: 'long', trace_id: trace, value: 1 };
    const refused = await call('POST', '/api/scores', { ...score, metadata: { a: 'x'.repeat(100_000) } });
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ path: 'metadata' }]]);
    for (let n = 0; n < 30; n++) await call('POST', '/api/scores', { ...score, metadata: { a: 'x'.repeat(90_000) } });
    let count = 0;
    let pages = 0;
    for (let cursor = ''; ; pages++) {
      const { body } = await call<ScorePage>('GET', `/api/scores?trace_id=${trace}&limit=1000${cursor}`);
      count += body.count;
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect([count, pages]).toEqual([30, 2]);
  });

  it.each([
    ['goes', 'DELETE', undefined],
    ['moves to another', 'PATCH', { session_id: 'another' }],
    ['leaves it', 'PATCH', { session_id: null }],
  ])('go with their trace, those of a session where its last trace %s', async (_what, method, change) => {
    const { trace, session } = await record();
    const second = `${trace}-second`;
    await call('POST', '/api/ingest', { traces: [{ id: second, session_id: session }] });
    await call('POST', '/api/scores', { id: `${trace}-t`, name: 'x', value: 1, trace_id: trace });
    await call('POST', '/api/scores', { id: `${trace}-s`, name: 'x', value: 1, session_id: session });
    const left = async () =>
      Promise.all([`${trace}-t`, `${trace}-s`].map(async (id) => (await call('GET', `/api/scores/${id}`)).status));

    await call('DELETE', `/api/traces/${trace}`);
    expect(await left()).toEqual([404, 200]);
    await call('POST', '/api/queue', { session_ids: [session] });
    expect((await call(method, `/api/traces/${second}`, change)).status).toBe(200);
    expect(await left()).toEqual([404, 404]);
    expect((await call('GET', `/api/queue?session_id=${session}`)).body).toMatchObject({ items: [] });
  });

  it('go with their span', async () => {
    const { trace, span } = await record();
    const name = `of-${span}`;
    for (const about of [{ span_id: span }, { trace_id: trace }])
      await call('POST', '/api/scores', { name, value: 1, ...about });
    await call('POST', '/api/queue', { span_ids: [span] });
    await call('POST', '/api/queue', { trace_ids: [trace] });
    expect((await call('DELETE', `/api/spans/${span}`)).status).toBe(200);
    const { body } = await call<ScorePage>('GET', `/api/scores?trace_id=${trace}`);
    expect(body.scores).toMatchObject([{ span_id: null }]);
    expect((await call('GET', `/api/analytics/scores?name=${name}`)).body).toMatchObject({ buckets: [{ count: 1 }] });
    expect((await call('GET', `/api/queue?trace_id=${trace}`)).body).toMatchObject({ items: [{ span_id: null }] });
  });

  it('come to sums that equal a recount, whatever is added, changed and deleted', async () => {
    const name = 'summed';
    const draw = random(31);
    const kept = new Map<string, { at: number; value: number | null; label: string | null; source: string }>();
    const starts = Array.from({ length: 12 }, (_, n) => Date.parse('2026-10-01T00:30:00Z') + n * 17 * 3_600_000);
    const traceIds = starts.map((_, n) => `summed-${n}`);
    const dated = traceIds.map((id, n) => ({ id, started_at: new Date(starts[n]!).toISOString() }));
    await call('POST', '/api/ingest', { traces: dated });
    for (let round = 0; round < 60; round++) {
      const id = `summed-${draw(40)}`;
      const at = draw(starts.length);
      const said = {
        value: draw(5) === 0 ? null : draw(9) / 4,
        label: draw(2) === 0 ? null : 'ab'[round % 2]!,
      };
      const before = kept.get(id);
      if (before && draw(3) === 0) {
        await call('DELETE', `/api/scores/${id}`);
        kept.delete(id);
      } else if (before) {
        await call('PUT', `/api/scores/${id}`, { ...said, comment: 'again' });
        kept.set(id, { ...before, ...said });
      } else {
        const source = draw(2) === 0 ? 'human' : 'code';
        await call('POST', '/api/ingest', {
          scores: [{ id, name, trace_id: traceIds[at], source, comment: 'first', ...said }],
        });
        kept.set(id, { ...said, at: starts[at]!, source });
      }
    }
    for (const trace of traceIds.slice(0, 3)) await call('DELETE', `/api/traces/${trace}`);
    for (const [id, { at }] of kept) if (starts.indexOf(at) < 3) kept.delete(id);

    for (const [groupBy, query, isWanted] of [
      ['day', '', () => true],
      ['hour', '&source=human', (source: string) => source === 'human'],
      ['week', '&since=2026-10-03T00:00:00Z', () => true],
    ] as const) {
      const { body } = await call('GET', `/api/analytics/scores?name=${name}&group_by=${groupBy}${query}`);
      const since = groupBy === 'week' ? Date.parse('2026-10-03T00:00:00Z') : 0;
      const wanted = [...kept.values()].filter(({ at, source }) => isWanted(source) && at >= since);
      const buckets = Map.groupBy(wanted, ({ at }) => bucketOf(at, groupBy));
      expect(body['buckets']).toEqual(
        [...buckets]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([timestamp, scores]) => {
            const values = scores.flatMap(({ value }) => value ?? []);
            const labels = Map.groupBy(
              scores.flatMap(({ label }) => label ?? []),
              (label) => label,
            );
            return {
              ...{ timestamp, name, count: scores.length },
              mean: values.length === 0 ? null : expect.closeTo(values.reduce((a, b) => a + b, 0) / values.length, 9),
              min: values.length === 0 ? null : Math.min(...values),
              max: values.length === 0 ? null : Math.max(...values),
              labels: Object.fromEntries([...labels].map(([label, all]) => [label, all.length])),
            };
          }),
      );
    }
  });

  it('say what a judge is worth beside people, chosen by chance', async () => {
    const name = 'judged';
    const draw = random(7);
    const verdicts = Array.from({ length: 120 }, (_, n) => ({
      f: draw(4) > 0 ? 1 : 0,
      y: draw(3) > 0 ? 1 : 0,
      isPair: n < 40,
    }));
    const traceIds = verdicts.map((_, n) => `judged-${n}`);
    await call('POST', '/api/ingest', { traces: traceIds.map((id) => ({ id })) });
    const scores = verdicts.flatMap(({ f, y, isPair }, n) => {
      const about = { name, trace_id: traceIds[n] };
      const judge = { ...about, id: `judged-${n}-f`, source: 'judge', value: f };
      const person = { ...about, id: `judged-${n}-y`, source: 'human', value: y };
      return isPair ? [judge, person] : [judge];
    });
    // What was chosen for a reason does not count: by a person, and by a rule that judges what got a thumb down.
    const chosen = { id: 'judged-chosen', name, trace_id: traceIds[119], source: 'human', value: 0 };
    const { body: taken } = await call('POST', '/api/ingest', {
      traces: [{ id: 'judged-thumb' }],
      scores: [
        ...scores,
        { ...chosen, metadata: { selected_by: 'uncertain' } },
        ...['judged-thumb', traceIds[0]].map((id) => ({
          ...{
            id: `chosen-${id}`,
            name,
            trace_id: id,
            source: 'judge',
            value: 0.5,
            metadata: { selected_by: 'score' },
          },
        })),
      ],
    });
    expect(taken['rejected']).toEqual([]);

    const pairs = verdicts.filter(({ isPair }) => isPair);
    const passes = pairs.filter(({ y }) => y === 1);
    const fails = pairs.filter(({ y }) => y === 0);
    const share = (of: readonly unknown[], all: readonly unknown[]): number => of.length / all.length;
    const sensitivity = share(
      passes.filter(({ f }) => f === 1),
      passes,
    );
    const specificity = share(
      fails.filter(({ f }) => f === 0),
      fails,
    );
    const passed = share(
      verdicts.filter(({ f }) => f === 1),
      verdicts,
    );
    const mean = (passed + specificity - 1) / (sensitivity + specificity - 1);
    const { body } = await call('GET', `/api/analytics/quality?name=${name}&split_by=model`);
    expect(body).toMatchObject({
      judge: { mean: expect.closeTo(passed, 9), n: 80 },
      human: { mean: expect.closeTo(share(passes, pairs), 9), k: 40 },
      true_pass_rate: { rate: expect.closeTo(sensitivity, 9) },
      true_fail_rate: { rate: expect.closeTo(specificity, 9) },
      series: [{ key: null, human: { k: 40 } }],
    });
    const isAny = sensitivity + specificity > 1;
    expect(body['corrected']?.mean ?? null).toEqual(isAny ? expect.closeTo(Math.max(0, Math.min(1, mean)), 9) : null);
    expect((await call('GET', '/api/analytics/quality?name=nobody')).body).toMatchObject({ corrected: null });
  });

  it('pair what a judge and a person said of one thing, not of a trace and a span with one id', async () => {
    const about = { name: 'one-id', value: 1 };
    const { body: taken } = await call('POST', '/api/ingest', {
      traces: [{ id: 'one-id', session_id: 'one-id' }],
      spans: [{ id: 'one-id', trace_id: 'one-id', name: 'root' }],
      scores: [
        { ...about, id: 'one-id-judge', span_id: 'one-id', source: 'judge' },
        { ...about, id: 'one-id-trace', trace_id: 'one-id', source: 'human' },
        { ...about, id: 'one-id-session', session_id: 'one-id', source: 'human' },
      ],
    });
    expect(taken['rejected']).toEqual([]);
    const { body } = await call('GET', '/api/analytics/quality?name=one-id');
    expect(body).toMatchObject({ judge: { n: 1 }, human: { k: 0 } });
  });

  it('show by days and weeks a judge that drifts from people', async () => {
    // The clock of one client has just begun.
    const starts = ['2026-10-02T23:59:59.999Z', '2026-10-03T00:00:00Z', '2026-10-05T00:00:00Z', '1970-03-01T12:00:00Z'];
    const traceIds = starts.flatMap((_, day) => Array.from({ length: 25 }, (_n, n) => `drift-${day}-${n}`));
    await call('POST', '/api/ingest', {
      traces: traceIds.map((id) => ({ id, started_at: starts[Number(id.split('-')[1])] })),
      scores: traceIds.flatMap((id) => {
        const [, day, n] = id.split('-').map(Number);
        // People pass four of five throughout; the judge passes all from the second day on.
        const human = n! % 5 === 0 ? 0 : 1;
        const about = { name: 'drift', trace_id: id };
        return [
          { ...about, id: `${id}-h`, source: 'human', value: human },
          { ...about, id: `${id}-j`, source: 'judge', value: day === 0 ? human : 1 },
        ];
      }),
    });
    const of = async (split: string) => {
      const { body } = await call('GET', `/api/analytics/quality?name=drift&split_by=${split}`);
      type One = { key: string; human: { k: number }; true_fail_rate: { rate: number } };
      return (body['series'] as One[]).map(({ key, human, true_fail_rate }) => [key, human.k, true_fail_rate.rate]);
    };
    expect(await of('day')).toEqual([
      ['1970-03-01T00:00:00.000Z', 25, 0],
      ['2026-10-02T00:00:00.000Z', 25, 1],
      ['2026-10-03T00:00:00.000Z', 25, 0],
      ['2026-10-05T00:00:00.000Z', 25, 0],
    ]);
    expect(await of('week')).toEqual([
      ['1970-02-23T00:00:00.000Z', 25, 0],
      ['2026-09-28T00:00:00.000Z', 50, 0.5],
      ['2026-10-05T00:00:00.000Z', 25, 0],
    ]);
    expect((await call('GET', '/api/analytics/quality?name=drift&split_by=hour')).status).toBe(400);
  });

  it('fit the definition of their name', async () => {
    const { trace } = await record();
    const define = (body: object) => call<ScoreDefinition>('POST', '/api/score-definitions', body);
    const tone = {
      name: `tone-${trace}`,
      kind: 'category',
      categories: [
        { label: 'kind', value: 1 },
        { label: 'rude', value: 0 },
      ],
    };
    const made = await define(tone);
    expect(made.body).toMatchObject({ kind: 'category', level: 'nominal', min: null });
    expect((await define(tone)).body).toMatchObject({ code: 'id_conflict' });
    expect((await define({ name: 'bad', kind: 'boolean', min: 1 })).body).toMatchObject({ errors: [{ path: 'min' }] });

    const score = (said: object) => call('POST', '/api/scores', { name: tone.name, trace_id: trace, ...said });
    const kind = await score({ label: 'kind' });
    expect(kind.body).toMatchObject({ config: tone.name, value: 1 });
    // Another category takes its value along, wherever it comes from.
    const change = (body: object) => call('PUT', `/api/scores/${kind.body['id']}`, body);
    expect((await change({ label: 'rude' })).body).toMatchObject({
      value: 0,
      revisions: [{ value: 1, label: 'kind' }],
    });
    expect((await change({ comment: 'and more' })).body).toMatchObject({ value: 0, label: 'rude' });
    expect((await change({ label: null })).body).toMatchObject({ value: null, comment: 'and more' });
    const sent = { id: `sent-${trace}`, name: tone.name, trace_id: trace, label: 'rude' };
    for (let times = 0; times < 2; times++) await call('POST', '/api/ingest', { scores: [sent] });
    expect((await call('GET', `/api/scores/sent-${trace}`)).body).toMatchObject({ value: 0, revisions: [] });
    expect((await score({ label: 'kind', value: 0 })).body).toMatchObject({ errors: [{ path: 'value' }] });
    expect((await score({ label: 'grim' })).body).toMatchObject({ errors: [{ path: 'label' }] });
    expect((await score({ comment: 'hard to say' })).status).toBe(201);

    // A value from before there were categories is not dropped with a change of something else.
    const earlier = await call('POST', '/api/scores', { name: `later-${trace}`, trace_id: trace, value: 4 });
    await define({ ...tone, name: `later-${trace}` });
    const edit = (body: object) => call('PUT', `/api/scores/${earlier.body['id']}`, body);
    expect((await edit({ comment: 'why' })).body).toMatchObject({ errors: [{ path: 'label' }] });
    expect((await edit({ label: 'kind' })).body).toMatchObject({ value: 1, revisions: [{ value: 4, label: null }] });

    const path = `/api/score-definitions/${made.body.id}`;
    const replaced = await call<ScoreDefinition>('PUT', path, { kind: 'number', min: 0, max: 5 });
    expect(replaced.body).toMatchObject({ name: tone.name, kind: 'number', categories: [], level: 'interval' });
    expect((await score({ value: 6 })).body).toMatchObject({ errors: [{ path: 'value' }] });
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await score({ value: 6 })).body).toMatchObject({ config: null });
  });

  it('are summed for users, by the traces of a range', async () => {
    const at = (hour: number): string => `2026-11-20T1${hour}:00:00.000Z`;
    await call('POST', '/api/ingest', {
      traces: [0, 1, 2, 3].map((n) => ({ id: `of-${n}`, user_id: n < 3 ? 'ann' : 'bob', started_at: at(n) })),
      spans: [{ id: 'of-0-span', trace_id: 'of-0', name: 'call', started_at: at(0), ended_at: at(0) }],
      scores: [
        { id: 'of-a', name: 'thumb', value: 1, trace_id: 'of-0', span_id: 'of-0-span' },
        { id: 'of-b', name: 'thumb', value: 0, trace_id: 'of-1' },
        { id: 'of-c', name: 'tone', label: 'kind', trace_id: 'of-2' },
      ],
    });
    const tone = { count: 1, mean: null, labels: { kind: 1 } };
    const ann = { thumb: { count: 2, mean: 0.5, labels: {} }, tone };
    const scoresOf = async (path: string): Promise<unknown> => (await call('GET', path)).body['scores'];
    const { users } = (await call<{ users: object[] }>('GET', '/api/users?include=scores&prefix=')).body;
    expect(users).toContainEqual(expect.objectContaining({ user_id: 'ann', scores: ann }));
    expect(users).toContainEqual(expect.objectContaining({ user_id: 'bob', scores: {} }));
    expect(JSON.stringify((await call('GET', '/api/users')).body)).not.toContain('"scores"');
    expect(await scoresOf('/api/users/ann')).toEqual(ann);
    expect(await scoresOf(`/api/users/ann?since=${at(1)}&until=${at(2)}`)).toEqual({
      thumb: { count: 1, mean: 0, labels: {} },
    });
    expect(await scoresOf('/api/users/bob')).toBeUndefined();
  });

  it('are in the export, and come back', async () => {
    const { trace, session } = await record();
    await call('POST', '/api/scores', { id: `${trace}-e`, name: 'x', value: 1, trace_id: trace, metadata: { a: [1] } });
    await call('PUT', `/api/scores/${trace}-e`, { value: 0.25 });
    await call('POST', '/api/scores', { id: `${trace}-f`, name: 'x', label: 'y', session_id: session });
    const before = await Promise.all(['e', 'f'].map((id) => call('GET', `/api/scores/${trace}-${id}`)));
    const file = (await call('GET', '/api/export/json')).body;
    await call('DELETE', `/api/traces/${trace}`);

    const imported = await call('POST', '/api/import/json', file);
    expect(imported.body).toMatchObject({ rejected_count: 0, imported: { scores: file['scores'].length } });
    expect(await Promise.all(['e', 'f'].map((id) => call('GET', `/api/scores/${trace}-${id}`)))).toEqual(before);
  });
});
