/** Reviews by several: groups, forms, blind answers, progress and agreement (docs/spec/queue.md), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AgreementOfScores, QueueItemResource, QueueProgress } from '@spandrel/contract';
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
