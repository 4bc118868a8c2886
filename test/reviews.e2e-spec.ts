/** Reviews by several: groups, forms, blind answers, progress and agreement (docs/spec/queue.md), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type {
  AgreementOfScores,
  ImportJsonResult,
  JudgeAgreementOfRun,
  QueueCounts,
  QueueItemResource,
  QueueProgress,
  ScoreResource,
} from '@spandrel/contract';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';

interface Problem {
  code: string;
  errors?: { path: string }[];
}

describeOnBothDatabases('reviews by several', ({ newDatabase }) => {
  let server: ServerApp;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('reviews'));
    for (const definition of [
      { name: 'correct', kind: 'boolean' },
      { name: 'tone', kind: 'category', categories: [{ label: 'kind' }, { label: 'rude' }] },
    ]) {
      expect((await call('POST', '/api/score-definitions', definition)).status).toBe(201);
    }
  });
  afterAll(() => server?.close());

  const call = async <Answer = Problem>(method: string, path: string, body?: unknown) => {
    const init = { method, headers: { 'content-type': 'application/json' } };
    const response = await fetch(
      `${server.url}${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    return { status: response.status, body: (await response.json()) as Answer };
  };

  /** A dataset with so many datapoints, and what enqueuing them made. */
  async function enqueue(count: number, terms: object) {
    const { body: dataset } = await call<{ id: string }>('POST', '/api/datasets', { name: 'reviewed' });
    const path = `/api/datasets/${dataset.id}`;
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const { body } = await call<{ id: string }>('POST', `${path}/datapoints`, {
        kind: { Generic: { input: `${n}` } },
      });
      ids.push(body.id);
    }
    const again = (more: object) =>
      call<{ items: QueueItemResource[] }>('POST', `${path}/queue`, { datapoint_ids: ids, ...more });
    const { status, body } = await again(terms);
    expect(status).toBe(201);
    return { path, ids, items: body.items, again };
  }

  const next = (path: string, reviewer: string) =>
    call<QueueItemResource & Problem>('POST', `${path}/queue/next`, { claimed_by: reviewer });
  const submit = (item: string, body: object) =>
    call<QueueItemResource & Problem>('POST', `/api/queue/${item}/submit`, body);
  const listed = async (query: string): Promise<QueueItemResource[]> =>
    (await call<{ items: QueueItemResource[] }>('GET', query)).body.items;

  it('makes items of one group, and what is missing of it when they are asked for again', async () => {
    const { items, again, path } = await enqueue(2, { reviews_required: 2, instructions: 'Be fair', priority: 3 });
    expect(items.map(({ review_no: no, reviews_required: required, priority }) => [no, required, priority])).toEqual(
      Array.from({ length: 2 }, () => [
        [1, 2, 3],
        [2, 2, 3],
      ]).flat(),
    );
    expect(new Set(items.map(({ group_id: group }) => group)).size).toBe(2);

    await next(path, 'ada');
    const more = (await again({ reviews_required: 3 })).body.items;
    expect(more).toHaveLength(6);
    expect(more.filter(({ group_id: group }) => group === items[0]!.group_id).map(({ review_no: no }) => no)).toEqual([
      1, 2, 3,
    ]);
  });

  it('gives nobody two items of a group, also when twenty reviewers ask at once', async () => {
    const { path, items } = await enqueue(15, { reviews_required: 3 });
    const reviewers = Array.from({ length: 20 }, (_, n) => `reviewer ${n}`);
    const claimed: QueueItemResource[] = [];
    const work = async (reviewer: string): Promise<void> => {
      for (;;) {
        const { status, body } = await next(path, reviewer);
        if (status === 404) return;
        expect(status).toBe(200);
        claimed.push(body);
        await submit(body.id, {});
      }
    };
    // Each of them twice at a time: two windows of one browser.
    await Promise.all([...reviewers, ...reviewers].map(work));

    expect(claimed.map(({ id }) => id).toSorted()).toEqual(items.map(({ id }) => id).toSorted());
    const pairs = claimed.map(({ group_id: group, claimed_by: reviewer }) => `${group} ${reviewer}`);
    expect(new Set(pairs).size).toBe(45);
  });

  it('refuses a claim of a second item of the group, until the first is released', async () => {
    const { items } = await enqueue(1, { reviews_required: 2 });
    const claim = (n: number) => call<Problem>('POST', `/api/queue/${items[n]!.id}/claim`, { claimed_by: 'ada' });
    expect((await claim(0)).status).toBe(200);
    const second = await claim(1);
    expect([second.status, second.body.code]).toEqual([409, 'queue_item_already_reviewed']);
    await call('POST', `/api/queue/${items[0]!.id}/release`);
    expect((await claim(1)).status).toBe(200);
  });

  it('gives higher priorities first', async () => {
    const { path, ids } = await enqueue(1, { priority: -1 });
    const { body: late } = await call<{ id: string }>('POST', `${path}/datapoints`, {
      kind: { Generic: { input: 'late' } },
    });
    await call('POST', `${path}/queue`, { datapoint_ids: [late.id], priority: 5 });
    expect((await next(path, 'ada')).body.datapoint_id).toBe(late.id);
    expect((await next(path, 'ada')).body.datapoint_id).toBe(ids[0]);
  });

  it('asks for all of a form, or a reason to skip', async () => {
    const { path } = await enqueue(2, { form: ['correct', 'tone'] });
    const { body: item } = await next(path, 'ada');
    const correct = { name: 'correct', value: 1 };
    for (const [body, at] of [
      [{}, 'scores'],
      [{ scores: [correct] }, 'scores'],
      [{ scores: [correct, { name: 'tone', label: 'grim' }] }, 'scores[1].label'],
      [{ scores: [correct, { name: 'other', value: 1 }] }, 'scores[1].name'],
      [{ scores: [correct, correct] }, 'scores[1].name'],
      [{ skip: true }, 'comment'],
    ] as const) {
      const { status, body: problem } = await submit(item.id, body);
      expect([status, problem.errors?.[0]?.path]).toEqual([400, at]);
    }
    const done = await submit(item.id, {
      scores: [correct, { name: 'tone', label: 'kind', comment: 'warm' }],
      comment: 'easy',
    });
    expect(done.body).toMatchObject({
      ...{ status: 'completed', comment: 'easy', skipped: false, completed_at: expect.any(String) },
      scores: [
        { ...correct, label: null },
        { name: 'tone', label: 'kind', comment: 'warm' },
      ],
    });
    const { body: other } = await next(path, 'ada');
    expect((await submit(other.id, { skip: true, comment: 'not mine' })).body).toMatchObject({
      skipped: true,
      scores: [],
    });
    const unknown = await call('POST', `${path}/queue`, { datapoint_ids: [item.datapoint_id], form: ['nobody'] });
    expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([400, 'form[0]']);
  });

  it('hides answers of others until the group is complete, in lists, single items, events and the export', async () => {
    const { path } = await enqueue(1, { reviews_required: 2, form: ['correct'] });
    const { body: first } = await next(path, 'ada');
    await submit(first.id, { scores: [{ name: 'correct', value: 0 }], comment: 'secret', edited_data: { mine: 1 } });
    const hidden = { scores: [], comment: null, edited_data: null };
    expect((await call('GET', `/api/queue/${first.id}`)).body).toMatchObject(hidden);
    expect(await listed(`${path}/queue?status=completed`)).toMatchObject([hidden]);
    const file = (await call<{ queue_items: QueueItemResource[] }>('GET', '/api/export/json')).body;
    expect(file.queue_items.find(({ id }) => id === first.id)).toMatchObject(hidden);
    let sent = '';
    let mine: string[] = [];
    const stream = await fetch(`${server.url}/api/events?since=0&types=queue_item_updated`);
    for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) {
      sent += part;
      mine = sent.split('\n\n').filter((event) => event.includes(first.id));
      if (mine.some((event) => event.includes('"completed"') && event.endsWith('}}'))) break;
    }
    expect(mine.filter((event) => /secret|"mine"/.test(event))).toEqual([]);

    const own = { scores: [{ name: 'correct', value: 0, label: null, comment: null }], comment: 'secret' };
    expect((await call('GET', `/api/queue/${first.id}?reviewer=ada`)).body).toMatchObject(own);
    expect(await listed(`${path}/queue?status=completed&reviewer=ada`)).toMatchObject([own]);
    expect((await call('GET', `/api/queue/${first.id}?reviewer=bob`)).body).toMatchObject(hidden);

    const { body: second } = await next(path, 'bob');
    await submit(second.id, { scores: [{ name: 'correct', value: 1 }] });
    const shown = { scores: [{ name: 'correct', value: 0 }], comment: 'secret', edited_data: { mine: 1 } };
    expect((await call('GET', `/api/queue/${first.id}`)).body).toMatchObject(shown);
    expect((await listed(`${path}/queue?disagreement=true`)).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await listed(`${path}/queue?group_id=${first.group_id}&form=correct`)).toHaveLength(2);
    expect(await listed(`${path}/queue?datapoint_id=nobody`)).toEqual([]);
  });

  it('counts progress and agreement by reviewer', async () => {
    const { path } = await enqueue(4, { reviews_required: 2, form: ['correct', 'tone'] });
    // Both agree on three of four; the tone of the last is skipped by one.
    for (const [reviewer, verdicts] of [
      ['ada', [1, 1, 0, 1]],
      ['bob', [1, 1, 0, 0]],
    ] as const) {
      for (const value of verdicts) {
        const { body: item } = await next(path, reviewer);
        await submit(item.id, {
          scores: [
            { name: 'correct', value },
            { name: 'tone', label: value === 1 ? 'kind' : 'rude' },
          ],
        });
      }
    }
    const { body: progress } = await call<QueueProgress>('GET', `${path}/queue/progress`);
    expect(progress).toMatchObject({
      ...{ pending: 0, claimed: 0, completed: 8, skipped: 0, median_seconds: expect.any(Number) },
      reviewers: [
        { reviewer: 'ada', completed: 4 },
        { reviewer: 'bob', completed: 4 },
      ],
    });
    const { body: agreement } = await call<{ scores: AgreementOfScores[] }>('GET', `${path}/agreement`);
    // Cohen: ¾ observed; expected ¾·½ + ¼·½ = ½.
    const expected = { units: 4, ratings: 8, raters: 2, percent_agreement: 0.75, cohen_kappa: expect.closeTo(0.5, 12) };
    expect(agreement.scores).toMatchObject([
      { name: 'correct', level: 'nominal', ...expected },
      { name: 'tone', level: 'nominal', ...expected, pairs: [{ a: 'ada', b: 'bob', units: 4 }] },
    ]);
    const { body: one } = await call<{ scores: AgreementOfScores[] }>(
      'GET',
      `${path}/agreement?name=tone&level=ordinal`,
    );
    expect(one.scores.map(({ name, level }) => [name, level])).toEqual([['tone', 'ordinal']]);
  });

  /** Traces `NAME0`… of one session each, with a span each. */
  const record = async (name: string, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, (_, n) => `${name}${n}`);
    const answer = await call('POST', '/api/ingest', {
      traces: ids.map((id) => ({ id, session_id: `session of ${id}` })),
      spans: ids.map((id) => ({ id: `${id}-span`, trace_id: id, name: 'call', input: 'a', output: 'b' })),
    });
    expect(answer.status).toBe(200);
    return ids;
  };
  const enqueueTargets = (body: object) => call<{ items: QueueItemResource[] } & Problem>('POST', '/api/queue', body);
  const nextTarget = (reviewer: string) =>
    call<QueueItemResource & Problem>('POST', '/api/queue/next', { claimed_by: reviewer });
  const scoresOf = async (query: string) =>
    (await call<{ scores: ScoreResource[] }>('GET', `/api/scores?${query}`)).body.scores;

  it('reviews traces, spans and sessions, each once at a time, and makes answers scores of them', async () => {
    const [trace] = await record('target', 1);
    for (const [body, target] of [
      [{ trace_ids: [trace, trace] }, { trace_id: trace, span_id: null, session_id: null }],
      [{ span_ids: [`${trace}-span`] }, { trace_id: trace, span_id: `${trace}-span`, session_id: null }],
      [{ session_ids: [`session of ${trace}`] }, { trace_id: null, span_id: null, session_id: `session of ${trace}` }],
    ] as const) {
      const terms = { form: ['correct'], instructions: 'Be fair', selected_by: 'thumbs down' };
      const { status, body: made } = await enqueueTargets({ ...body, ...terms });
      expect([status, made.items.length]).toEqual([201, 1]);
      const shown = { dataset_id: null, datapoint_id: null, original_data: null, ...target, ...terms };
      expect(made.items[0]).toMatchObject(shown);
      expect((await enqueueTargets({ ...body, ...terms })).body).toMatchObject({
        existing: 1,
        items: [{ id: made.items[0]!.id }],
      });
      const { body: item } = await nextTarget('ada');
      expect(item).toMatchObject({ ...shown, id: made.items[0]!.id, claimed_by: 'ada' });
      expect((await listed('/api/queue?targets=true&status=claimed')).map(({ id }) => id)).toEqual([item.id]);
      const done = await submit(item.id, { scores: [{ name: 'correct', value: 1 }] });
      expect([done.status, done.body.status]).toEqual([200, 'completed']);
      const [[member, id]] = Object.entries(target)
        .toReversed()
        .filter(([, value]) => value !== null) as [[string, string]];
      expect(await listed(`/api/queue?${member}=${encodeURIComponent(id)}&status=completed`)).toMatchObject([
        { id: item.id },
      ]);
      const scores = await scoresOf(`${member}=${encodeURIComponent(id)}`);
      expect(scores.filter((score) => score.queue_item_id === item.id)).toMatchObject([
        {
          ...{ id: `review:${item.id}:correct`, source: 'human', author: 'ada', value: 1, ...target },
          metadata: { selected_by: 'thumbs down' },
        },
      ]);
    }
    const { body: counts } = await call<QueueCounts>('GET', '/api/count/queue');
    expect(counts.targets).toMatchObject({ pending: 0, claimed: 0, completed: 3 });
    expect((await nextTarget('ada')).body.code).toBe('queue_item_not_found');
    const again = await enqueueTargets({ trace_ids: [trace] });
    const applied = await call<{ applied?: boolean }>(
      'POST',
      `/api/queue/${(await nextTarget('bob')).body.id}/submit?apply=true`,
      {
        edited_data: { Generic: { input: 'x' } },
      },
    );
    expect([again.body.items.length, applied.status, applied.body.applied]).toEqual([1, 200, false]);
  });

  it('enqueues no trace where one is unknown, and one kind at a time', async () => {
    const [trace] = await record('known', 1);
    const missing = await enqueueTargets({ trace_ids: [trace, 'nobody', 'no one'] });
    expect([missing.status, missing.body.code, missing.body.errors?.map(({ path }) => path)]).toEqual([
      ...[404, 'trace_not_found', ['trace_ids[1]', 'trace_ids[2]']],
    ]);
    for (const [body, code] of [
      [{ span_ids: ['nobody'] }, 'span_not_found'],
      [{ session_ids: ['nobody'] }, 'session_not_found'],
      [{ trace_ids: [trace], span_ids: [`${trace}-span`] }, 'validation_failed'],
      [{}, 'validation_failed'],
      [{ trace_ids: [trace], form: ['nobody'] }, 'validation_failed'],
    ] as const) {
      expect((await enqueueTargets(body)).body.code).toBe(code);
    }
    expect(await listed(`/api/queue?trace_id=${trace}`)).toEqual([]);
  });

  it('gives nobody two reviews of a trace when twenty reviewers race, shows no answer early, and loses none', async () => {
    const count = 100;
    const traces = await record('raced', count);
    const terms = { reviews_required: 3, form: ['correct'] };
    // Two enqueue at once: a trace is in the queue once all the same.
    const [one, other] = await Promise.all([1, 2].map(() => enqueueTargets({ trace_ids: traces, ...terms })));
    const ids = one!.body.items.map(({ id }) => id).toSorted();
    expect(other!.body.items.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(ids).toHaveLength(3 * count);
    const claimed: QueueItemResource[] = [];
    const early: unknown[] = [];
    const work = async (reviewer: string): Promise<void> => {
      for (;;) {
        const { status, body: item } = await nextTarget(reviewer);
        if (status === 404) return;
        claimed.push(item);
        // One of the trace is claimed and not submitted: none of its answers is a score, or read.
        const [scores, shown] = await Promise.all([
          scoresOf(`trace_id=${item.trace_id}`),
          listed(`/api/queue?group_id=${item.group_id}`),
        ]);
        early.push(...scores, ...shown.flatMap((each) => each.scores ?? []));
        await submit(item.id, { scores: [{ name: 'correct', value: claimed.length % 2 }] });
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => work(`reviewer ${n}`)));
    expect(early).toEqual([]);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(new Set(claimed.map(({ trace_id: trace, claimed_by: reviewer }) => `${trace} ${reviewer}`)).size).toBe(
      3 * count,
    );
    const given = await Promise.all(traces.map((id) => scoresOf(`trace_id=${id}`)));
    expect(given.map(({ length }) => length)).toEqual(traces.map(() => 3));
    const { body: progress } = await call<QueueProgress>('GET', '/api/queue/progress');
    expect(progress).toMatchObject({ pending: 0, claimed: 0 });
    const { body: agreement } = await call<{ scores: AgreementOfScores[] }>('GET', '/api/queue/agreement?name=correct');
    expect(agreement.scores).toMatchObject([{ name: 'correct', units: count, ratings: 3 * count }]);
  });

  it('takes reviews along with their trace and session, and back from an export', async () => {
    const [trace, left] = await record('gone', 2);
    await enqueueTargets({ trace_ids: [trace, left] });
    await enqueueTargets({ span_ids: [`${trace}-span`, `${left}-span`] });
    await enqueueTargets({ session_ids: [`session of ${trace}`, `session of ${left}`] });
    const { body: file } = await call<{ queue_items: QueueItemResource[] }>('GET', '/api/export/json');
    const ofBoth = (items: QueueItemResource[]) =>
      items.filter(({ trace_id: of, session_id: session }) => [of, session].some((id) => /gone/.test(id ?? '')));
    expect(ofBoth(file.queue_items)).toHaveLength(6);
    expect((await call('DELETE', `/api/traces/${trace}`)).status).toBe(200);
    const open = await listed('/api/queue?status=pending&limit=1000');
    expect(ofBoth(open).map(({ trace_id: of, session_id: session }) => of ?? session)).toEqual([
      ...[left, left, `session of ${left}`],
    ]);
    const { body: imported } = await call<ImportJsonResult>('POST', '/api/import/json', file);
    expect(imported.rejected).toEqual([]);
    expect(await listed('/api/queue?limit=1000')).toEqual(
      expect.arrayContaining(
        ofBoth(file.queue_items).map(({ id, trace_id, span_id, session_id }) =>
          expect.objectContaining({ id, trace_id, span_id, session_id, status: 'pending' }),
        ),
      ),
    );
    expect((await call('DELETE', '/api/traces')).status).toBe(200);
    expect(await listed('/api/queue?limit=1000').then(ofBoth)).toEqual([]);
  });

  it('makes answers of a blind review scores when its group is complete, those of an open one at once', async () => {
    const [trace] = await record('blind', 1);
    await enqueueTargets({ trace_ids: [trace], reviews_required: 2, form: ['correct'] });
    const answer = { scores: [{ name: 'correct', value: 1 }] };
    const { body: first } = await nextTarget('ada');
    await submit(first.id, answer);
    expect(await scoresOf(`trace_id=${trace}`)).toEqual([]);
    await submit((await nextTarget('bob')).body.id, answer);
    expect((await scoresOf(`trace_id=${trace}`)).map(({ author }) => author).toSorted()).toEqual(['ada', 'bob']);

    await enqueueTargets({ trace_ids: [trace], reviews_required: 2, form: ['correct'], blind: false });
    await submit((await nextTarget('cay')).body.id, answer);
    expect(await scoresOf(`trace_id=${trace}`)).toHaveLength(3);
  });

  it('compares what a run passes with what the majority of reviewers do, ties left out', async () => {
    const { path, ids } = await enqueue(6, { reviews_required: 2, form: ['correct', 'tone'] });
    const { body: run } = await call<{ id: string }>('POST', `${path}/eval`, {
      ...{ name: 'judged', execution: 'external' },
      scorers: [
        { name: 'judge', scoring: 'External' },
        { name: 'other', scoring: 'External' },
      ],
    });
    const agreement = (query: string) =>
      call<JudgeAgreementOfRun & Problem>('GET', `/api/eval/${run.id}/judge-agreement${query}`);
    expect((await agreement('')).body).toMatchObject({ name: null, units: 0, percent_agreement: null });
    // The last datapoint is a tie, and one before it failed in the run.
    for (const [reviewer, verdicts] of [
      ['ada', [1, 1, 1, 0, 1, 1]],
      ['bob', [1, 1, 1, 0, 1, 0]],
    ] as const) {
      for (const value of verdicts) {
        const scores = [
          { name: 'correct', value },
          { name: 'tone', label: 'kind' },
        ];
        await submit((await next(path, reviewer)).body.id, { scores });
      }
    }
    const results = [1, 1, 0, 0, null, 1].map((judge, at) => ({
      datapoint_id: ids[at],
      ...(judge === null ? { error: 'lost' } : { output: 'x', scores: { judge, other: 1 } }),
    }));
    expect((await call('POST', `/api/eval/${run.id}/results`, { results })).status).toBe(200);
    const { body } = await agreement('?name=correct&scorer=judge');
    // Expected: ½·¾ + ½·¼ = ½. Wilson of 2 of 3, and of 1 of 1: 1/(1 + z²).
    expect(body).toEqual({
      ...{ name: 'correct', scorer: 'judge', units: 4, percent_agreement: 0.75, cohen_kappa: 0.5 },
      true_pass_rate: {
        rate: 2 / 3,
        ci: { low: expect.closeTo(0.2077, 4), high: expect.closeTo(0.9385, 4), level: 0.95 },
      },
      true_fail_rate: { rate: 1, ci: { low: expect.closeTo(0.2065, 4), high: 1, level: 0.95 } },
      confusion: { true_pass: 2, false_pass: 0, false_fail: 1, true_fail: 1 },
    });
    expect((await agreement('?name=correct')).body.confusion).toEqual({
      ...{ true_pass: 2, false_pass: 0, false_fail: 1, true_fail: 1 },
    });
    expect((await agreement('?scorer=other')).body).toMatchObject({ name: 'correct', confusion: { false_pass: 1 } });
    expect((await agreement('?scorer=nobody')).body).toMatchObject({ errors: [{ path: 'scorer' }] });
    expect((await agreement('?name=nobody')).body).toMatchObject({ name: 'nobody', units: 0 });
  });

  it('gives what is assigned to nobody else', async () => {
    const { path, items, again } = await enqueue(1, { assignees: ['ada', 'b"ob'] });
    expect(items[0]).toMatchObject({ assignees: ['ada', 'b"ob'] });
    expect((await next(path, 'cay')).body.code).toBe('queue_item_not_found');
    const claim = (reviewer: string) =>
      call<Problem>('POST', `/api/queue/${items[0]!.id}/claim`, { claimed_by: reviewer });
    expect((await claim('cay')).body.code).toBe('queue_item_not_assigned');
    expect((await listed(`${path}/queue?assignee=ada`)).map(({ id }) => id)).toEqual([items[0]!.id]);
    expect(await listed(`${path}/queue?assignee=cay`)).toEqual([]);
    expect((await next(path, 'b"ob')).body.id).toBe(items[0]!.id);
    expect((await again({ reviews_required: 2 })).body).toMatchObject({ existing: 1, count: 2 });
    expect((await again({ reviews_required: 2 })).body).toMatchObject({ existing: 1, count: 2 });
  });

  it('gives in a random order, or first what judges were least sure of, whose answers enter no estimate', async () => {
    const traces = await record('ordered', 12);
    await Promise.all(
      traces.map((id, n) =>
        call('POST', '/api/scores', { name: 'correct', trace_id: id, source: 'judge', value: n % 2 === 0 ? 1 : 0 }),
      ),
    );
    await call('POST', '/api/scores', { name: 'correct', trace_id: traces[7], source: 'judge', value: 1 });
    const order = async (): Promise<(string | null | undefined)[]> => {
      const given: QueueItemResource[] = [];
      for (let answer = await nextTarget('ada'); answer.status === 200; answer = await nextTarget('ada')) {
        given.push(answer.body);
        await submit(answer.body.id, { scores: [{ name: 'correct', value: 1 }] });
      }
      // The queue may have others, of tests before.
      return given.map(({ trace_id: id }) => id).filter((id) => traces.includes(id!));
    };
    await enqueueTargets({ trace_ids: traces, form: ['correct'], order: 'random' });
    const random = await order();
    expect(random.toSorted()).toEqual(traces.toSorted());
    expect(random).not.toEqual(traces);

    const { body: made } = await enqueueTargets({ trace_ids: traces, form: ['correct'], order: 'uncertain' });
    expect(made).toMatchObject({ count: traces.length });
    expect(made.items.every(({ selected_by: why }) => why === 'uncertain')).toBe(true);
    expect((await order())[0]).toBe(traces[7]);
    const scores = await scoresOf(`trace_id=${traces[7]}&source=human`);
    expect(scores.map(({ metadata }) => metadata)).toContainEqual({ selected_by: 'uncertain' });
  });

  it('lets somebody who is named decide where answers differ', async () => {
    const terms = { reviews_required: 2, form: ['correct'], adjudicate: 'disagree', adjudicators: ['judy'] };
    const { path } = await enqueue(2, terms);
    const answer = async (reviewer: string, value: number) => {
      const { body: item } = await next(path, reviewer);
      return (await submit(item.id, { scores: [{ name: 'correct', value }] })).body;
    };
    for (const reviewer of ['ada', 'bob']) await answer(reviewer, 1);
    expect((await next(path, 'judy')).body.datapoint_id).toBeDefined();
    await call('POST', `/api/queue/${(await listed(`${path}/queue?claimed_by=judy`))[0]!.id}/release`);
    const first = await answer('ada', 1);
    await answer('bob', 0);
    expect((await listed(`${path}/queue?disagreement=true`)).map(({ group_id: group }) => group)).toContain(
      first.group_id,
    );
    expect((await next(path, 'cay')).body.code).toBe('queue_item_not_found');
    const [decision] = await listed(`${path}/queue?status=pending`);
    expect(decision).toMatchObject({ adjudicates: true, assignees: ['judy'], review_no: 3, group_id: first.group_id });
    // Who has not answered reads nothing before.
    expect((await call('GET', `/api/queue/${first.id}`)).body).toMatchObject({ scores: [] });
    expect((await answer('judy', 0)).status).toBe('completed');
    expect((await next(path, 'judy')).body.code).toBe('queue_item_not_found');
    expect((await call('GET', `/api/queue/${first.id}`)).body).toMatchObject({ scores: [{ value: 1 }] });
    // It is no rating of its own.
    const { body: agreement } = await call<{ scores: AgreementOfScores[] }>('GET', `${path}/agreement`);
    expect(agreement.scores).toMatchObject([{ units: 2, ratings: 4, percent_agreement: 0.5 }]);
  });

  it('measures reviewers by what is known, mixed in unseen', async () => {
    const { path, ids } = await enqueue(12, {});
    await call('POST', '/api/score-definitions', { name: 'sure', kind: 'boolean' });
    // What is open is answered as it is: these are of a queue of their own.
    const traces = await record('plain', 8);
    const golds = await record('gold', 3);
    const items = golds.map((id) => ({ id, scores: [{ name: 'sure', value: 1 }] }));
    const { body: made } = await enqueueTargets({ trace_ids: traces, form: ['sure'], gold: { rate: 0.2, items } });
    expect(made.items.filter(({ trace_id: id }) => golds.includes(id!))).toHaveLength(2);
    expect(made.items.every(({ gold, selected_by: why }) => gold === null && why === null)).toBe(true);
    for (let n = 0; n < 10; n++) {
      const { body: item } = await nextTarget('grace');
      // Wrong of the first one.
      const value = item.trace_id === golds[0] ? 0 : 1;
      await submit(item.id, { scores: [{ name: 'sure', value }] });
    }
    const { body: progress } = await call<QueueProgress>('GET', '/api/queue/progress');
    expect(progress.reviewers.find(({ reviewer }) => reviewer === 'grace')).toMatchObject({
      completed: 10,
      gold: { answered: 2, correct: 1, accuracy: { rate: 0.5, ci: { low: expect.closeTo(0.0945, 3), level: 0.95 } } },
    });
    expect(await scoresOf(`trace_id=${golds[0]}`)).toMatchObject([{ metadata: { selected_by: 'gold' } }]);
    expect(await listed(`/api/queue?trace_id=${golds[0]}`)).toMatchObject([{ gold: [['sure', 1, null]] }]);
    const misfit = { rate: 0.5, items: [{ id: golds[0], scores: [{ name: 'sure', value: 7 }] }] };
    const refused = await enqueueTargets({ trace_ids: traces, form: ['sure'], gold: misfit });
    expect(refused.body.errors?.[0]?.path).toBe('gold.items[0].scores[0].value');
    const unknown = { rate: 0.5, items: [{ id: 'nobody', scores: [{ name: 'sure', value: 1 }] }] };
    const missing = await enqueueTargets({ trace_ids: traces, form: ['sure'], gold: unknown });
    expect([missing.status, missing.body.errors?.[0]?.path]).toEqual([404, 'gold.items[0].id']);
    const known = { rate: 0.3, items: [{ id: ids[0], scores: [] }] };
    expect((await call('POST', `${path}/queue`, { datapoint_ids: ids.slice(1, 4), gold: known })).status).toBe(201);
  });

  it('take a label alone and the same label with the value of its category for one answer', async () => {
    const categories = [
      { label: 'yes', value: 1 },
      { label: 'no', value: 0 },
    ];
    const definition = { name: 'polite', kind: 'category', categories };
    expect((await call('POST', '/api/score-definitions', definition)).status).toBe(201);
    const gold = (id: string) => ({ rate: 0.5, items: [{ id, scores: [{ name: 'polite', label: 'no', value: 0 }] }] });
    const { path, ids } = await enqueue(2, {});
    const others = await call<{ items: QueueItemResource[] }>('GET', `${path}/queue`);
    for (const { id } of others.body.items) {
      await call('POST', `/api/queue/${id}/claim`, { claimed_by: 'ida' });
      await submit(id, {});
    }
    const terms = { reviews_required: 2, form: ['polite'], adjudicate: 'disagree', gold: gold(ids[1]!) };
    const made = await call<{ items: QueueItemResource[] }>('POST', `${path}/queue`, {
      datapoint_ids: [ids[0]],
      ...terms,
    });
    expect(made.body.items).toHaveLength(4);
    for (const [reviewer, value] of [
      ['ada', undefined],
      ['bob', 0],
    ] as const) {
      for (let n = 0; n < 2; n++) {
        const { body: item } = await next(path, reviewer);
        const done = await submit(item.id, { scores: [{ name: 'polite', label: 'no', value }] });
        expect(done.body.scores).toMatchObject([{ label: 'no', value: 0 }]);
      }
    }
    expect((await next(path, 'judy')).status).toBe(404);
    expect(await listed(`${path}/queue?disagreement=true`)).toEqual([]);
    const { body: progress } = await call<QueueProgress>('GET', `${path}/queue/progress`);
    const known = progress.reviewers.filter(({ reviewer }) => reviewer !== 'ida').map((one) => one.gold?.correct);
    expect(known).toEqual([1, 1]);
  });

  it('closes when the interval of the estimate is as narrow as was asked', async () => {
    const { path, ids, items } = await enqueue(40, { form: ['correct'], until: { ci_width: 0.2 } });
    expect(items[0]).toMatchObject({ until: { ci_width: 0.2 } });
    const { body: begun } = await next(path, 'heidi');
    for (let n = 0; n < 30; n++) {
      // Wilson's interval of 30 of 30 is the first that is narrow enough: nothing is said of fewer.
      expect(await listed(`${path}/queue?status=pending&limit=100`)).toHaveLength(39 - n);
      const { body: item } = await next(path, 'ivan');
      await submit(item.id, { scores: [{ name: 'correct', value: 1 }] });
    }
    expect((await next(path, 'ivan')).body.code).toBe('queue_item_not_found');
    const closed = await listed(`${path}/queue?status=completed&limit=100`);
    expect(closed.filter(({ skipped, claimed_by: by }) => skipped && by === null)).toHaveLength(9);
    expect((await submit(begun.id, { scores: [{ name: 'correct', value: 1 }] })).status).toBe(200);
    const { body: progress } = await call<QueueProgress>('GET', `${path}/queue/progress`);
    expect(progress).toMatchObject({
      ...{ pending: 0, completed: 40, skipped: 9 },
      estimates: [
        { name: 'correct', ci_width: 0.2, units: 31, mean: 1, ci: { low: expect.closeTo(0.89, 2), high: 1 } },
      ],
    });
    const bad: [object, string][] = [
      [{}, 'form'],
      [{ form: ['correct'], order: 'uncertain' }, 'order'],
      [{ form: ['correct'], selected_by: 'thumbs down' }, 'selected_by'],
    ];
    for (const [terms, at] of bad) {
      const body = { datapoint_ids: ids, until: { ci_width: 0.2 }, ...terms };
      expect((await call('POST', `${path}/queue`, body)).body.errors?.[0]?.path).toBe(at);
    }
  });

  it('says of blind reviews in no sum what somebody has yet to answer', async () => {
    const terms = { reviews_required: 2, form: ['correct'], until: { ci_width: 0.2 } };
    const { path, ids } = await enqueue(1, terms);
    const scorers = [{ name: 'judge', scoring: 'External' }];
    const { body: made } = await call<{ id: string }>('POST', `${path}/eval`, {
      ...{ name: 'run', execution: 'external', scorers },
    });
    const run = made.id;
    const results = [{ datapoint_id: ids[0], output: 'x', scores: { judge: 1 } }];
    expect((await call('POST', `/api/eval/${run}/results`, { results })).status).toBe(200);
    const sums = async () => {
      const { body: progress } = await call<QueueProgress>('GET', `${path}/queue/progress`);
      const { body: judged } = await call<JudgeAgreementOfRun>('GET', `/api/eval/${run}/judge-agreement?name=correct`);
      return [progress.estimates?.[0]?.units, progress.estimates?.[0]?.mean, judged.units];
    };
    for (const [reviewer, wanted] of [
      ['ada', [0, null, 0]],
      ['bob', [1, 1, 1]],
    ] as const) {
      await submit((await next(path, reviewer)).body.id, { scores: [{ name: 'correct', value: 1 }] });
      expect(await sums()).toEqual(wanted);
    }
  });

  it('gives first what judges were least sure of by the scale of its categories', async () => {
    const stars = [1, 2, 3, 4, 5].map((value) => ({ label: `${value} stars`, value }));
    await call('POST', '/api/score-definitions', { name: 'stars', kind: 'category', categories: stars });
    await call('POST', '/api/score-definitions', { name: 'level', kind: 'number', min: 2, max: 2 });
    const traces = await record('starred', 5);
    for (const [n, { label, value }] of stars.entries()) {
      const about = { source: 'judge', trace_id: traces[n] };
      await call('POST', '/api/scores', { ...about, name: 'stars', label, value });
      await call('POST', '/api/scores', { ...about, name: 'level', value: 2 });
    }
    const places = async (form: string[]): Promise<number[]> => {
      const { body, status } = await enqueueTargets({ trace_ids: traces, form, order: 'uncertain' });
      expect(status).toBe(201);
      for (const { id } of body.items) {
        await call('POST', `/api/queue/${id}/claim`, { claimed_by: 'ada' });
        await submit(id, { skip: true, comment: 'not now' });
      }
      return body.items.map(({ position }) => position!);
    };
    expect(await places(['stars'])).toEqual([500_000, 250_000, 0, 250_000, 500_000]);
    expect(await places(['level'])).toEqual([0, 0, 0, 0, 0]);
  });

  it('makes answers scores of the span that the datapoint came from', async () => {
    await call('POST', '/api/ingest', {
      traces: [{ id: 'reviewed-trace' }],
      spans: [
        {
          id: 'reviewed-span',
          trace_id: 'reviewed-trace',
          name: 'call',
          input: 'a',
          output: 'b',
          ended_at: '2026-11-27T10:00:00Z',
        },
      ],
    });
    const { body: dataset } = await call<{ id: string }>('POST', '/api/datasets', { name: 'of spans' });
    const path = `/api/datasets/${dataset.id}`;
    const { body: datapoint } = await call<{ id: string }>('POST', `${path}/export-span`, {
      span_id: 'reviewed-span',
    });
    await call('POST', `${path}/queue`, { datapoint_ids: [datapoint.id], form: ['correct'] });
    const { body: item } = await next(path, 'ada');
    await submit(item.id, { scores: [{ name: 'correct', value: 1 }] });
    const { body } = await call<{ scores: unknown[] }>('GET', '/api/scores?span_id=reviewed-span');
    expect(body.scores).toMatchObject([
      { id: `review:${item.id}:correct`, source: 'human', author: 'ada', queue_item_id: item.id, config: 'correct' },
    ]);
  });
});
