import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalItem, EvalRunResource, EvalRunSummary, Problem } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';

type Page<Plural extends string, Item> = Record<Plural, Item[]> & { count: number; next_cursor: string | null };

/** Lists of runs and of their items, on both databases. */
export function listsOfRuns(lab: () => EvalsLab): void {
  const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });
  /** Every item of a list, page by page. */
  const pages = async <Item>(path: string, plural: string, limit: number): Promise<Item[]> => {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body }: { status: number; body: Page<string, Item> & Problem } = await lab().api.get(
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
      );
      expect([status, body.detail]).toEqual([200, undefined]);
      expect(body.count).toBe(body[plural]!.length);
      items.push(...body[plural]!);
      cursor = body.next_cursor;
    }
    return items;
  };

  describe('runs of all datasets', () => {
    it('are listed newest first whatever their ids, by dataset and status', async () => {
      const [one, other] = [await lab().dataset('a'), await lab().dataset('b', 'c')];
      const runs = [
        await lab().run(one.id, { id: `z-${one.id}` }),
        await lab().run(other.id),
        await lab().run(one.id, { id: `0-${one.id}` }),
      ];
      const newest = runs.toReversed().map(({ result_items: _items, ...summary }) => summary);
      const list = (query: string, limit = 2) => pages<EvalRunSummary>(`/api/eval?${query}`, 'runs', limit);
      expect((await list('')).slice(0, 3)).toEqual(newest);
      expect(await list(`dataset_id=${one.id}`, 1)).toEqual([newest[0], newest[2]]);
      expect((await list('status=completed')).slice(0, 3)).toEqual(newest);
      expect(await list(`dataset_id=${one.id}&status=cancelled`)).toEqual([]);
      expect(await list('dataset_id=nope')).toEqual([]);
      expect(await list('dataset_id=%00')).toEqual([]);
      expect((await lab().api.get('/api/eval?status=gone')).body.code).toBe('validation_failed');
    });
  });

  describe('sorted runs', () => {
    it('come by name or by score in either order, page by page, those without a score last', async () => {
      const kinds = ['right', 'all right'].map((input) => ({ Generic: { input, expected_output: 'right' } }));
      const { id } = await lab().dataset(...kinds);
      const runs = [
        await lab().run(id, { name: 'm', scoring: 'Contains' }),
        await lab().run(id, { name: 'z', scoring: 'None' }),
        await lab().run(id, { name: 'A', scoring: 'ExactMatch' }),
      ];
      const of = ({ id: run }: { id: string }): number => runs.findIndex((one) => one.id === run);
      const listed = async (query: string) => pages<EvalRunSummary>(`/api/eval?dataset_id=${id}&${query}`, 'runs', 1);
      for (const [query, places] of [
        ['sort_by=name', [1, 0, 2]],
        ['sort_by=name&sort_order=asc', [2, 0, 1]],
        ['sort_by=created_at&sort_order=asc', [0, 1, 2]],
        ['sort_order=desc', [2, 1, 0]],
      ] as const)
        expect([query, (await listed(query)).map(of)]).toEqual([query, places]);
      for (const order of ['asc', 'desc'] as const) {
        const scores = (await listed(`sort_by=score&sort_order=${order}`)).map((run) => run.avg_score);
        const known = scores.slice(0, 2) as number[];
        expect([order, scores[2]]).toEqual([order, null]);
        expect([order, known]).toEqual([order, known.toSorted((a, b) => (order === 'asc' ? a - b : b - a))]);
        expect(known[0]).not.toBe(known[1]);
      }
      expect((await lab().api.get('/api/eval?sort_by=cost')).body.code).toBe('validation_failed');
      const { next_cursor: cursor } = (await lab().api.get<{ next_cursor: string }>('/api/eval?limit=1&sort_by=name'))
        .body;
      expect((await lab().api.get(`/api/eval?cursor=${cursor}`)).body.code).toBe('invalid_cursor');
    });
  });

  describe('runs of some sort', () => {
    it('are found by status, execution, gates, name and metadata', async () => {
      const { id } = await lab().dataset('a');
      const gate = { metric: 'failed_samples', op: '<' };
      const started = [
        { name: 'one', metadata: { branch: 'main', 'commit.id': 'c1' }, gates: [{ ...gate, value: 1 }] },
        { name: 'two', metadata: { branch: 'main', 'commit.id': 'c2' }, gates: [{ ...gate, value: 0 }] },
        { name: 'two', metadata: { branch: '' } },
      ];
      const runs: string[] = [];
      for (const body of started) runs.push((await lab().run(id, body)).id);
      const body = { execution: 'external', scoring: 'External', metadata: { constructor: 'x' } };
      runs.push((await lab().start(id, body)).body.id);
      const found = async (query: string, path = `/api/datasets/${id}/eval?`) =>
        (await pages<EvalRunSummary>(`${path}${query}`, 'runs', 1)).map((run) => runs.indexOf(run.id));
      for (const [query, places] of [
        ['', [3, 2, 1, 0]],
        ['status=completed', [2, 1, 0]],
        ['status=pending', [3]],
        ['execution=server', [2, 1, 0]],
        ['execution=external', [3]],
        ['passed=true', [0]],
        ['passed=false', [1]],
        ['name=two', [2, 1]],
        ['name=tw', []],
        ['name=%00', []],
        ['metadata.branch=main', [1, 0]],
        ['metadata.branch=main&metadata.commit.id=c2', [1]],
        ['metadata.branch=main&metadata.commit.id=c3', []],
        ['metadata.branch=', [2]],
        ['metadata.constructor=x', [3]],
        ['metadata.toString=x', []],
        ['metadata.%00=x', []],
        ['metadata.branch=%00', []],
        ['metadata.branch=main&passed=true&name=one&status=completed&execution=server', [0]],
      ] as const) {
        expect([query, await found(query)]).toEqual([query, places]);
        expect([query, await found(query, `/api/eval?dataset_id=${id}&`)]).toEqual([query, places]);
      }
      for (const [query, detail] of [
        ['metadat.branch=main', /^metadat\.branch is not a query parameter of this route, which takes .*metadata\.KEY/],
        ['metadata=main', /^metadata is not a query parameter/],
        ['metadata.branch=a&metadata.branch=b', /^metadata\.branch must be given only once/],
        ['passed=1', /^passed /],
        ['execution=mine', /^execution /],
      ] as const) {
        const { status, body: problem } = await lab().api.get<Problem>(`/api/eval?${query}`);
        expect([status, problem.detail]).toEqual([400, expect.stringMatching(detail)]);
      }
      expect((await lab().api.get(`/api/datasets/${id}/eval?cursor=x`)).body.code).toBe('invalid_cursor');
      expect((await lab().api.delete(`/api/eval/${runs[0]}`)).status).toBe(200);
      expect(await found('metadata.branch=main')).toEqual([1]);
    });
  });

  describe('items of a run', () => {
    let run: EvalRunResource;
    beforeAll(async () => {
      const { id } = await lab().dataset(
        generic('a', 'You said: a'),
        generic('b'),
        generic('c', 'no'),
        generic('d', 'You said: d'),
        { LlmConversation: { messages: [{ role: 'user', content: 'e' }], expected: 'no' } },
        generic('f'),
      );
      // Without an expected value an item fails; it has a latency and no score.
      run = await lab().run(id, { scoring: 'Contains', config: { model: 'gpt-4.1-mini' } });
    });

    const list = (query: string, limit = 2) => pages<EvalItem>(`/api/eval/${run.id}/items?${query}`, 'items', limit);
    const at = (...places: number[]) => places.map((place) => run.result_items[place]);

    it('come in the order of the dataset or against it', async () => {
      expect(run.result_items.map(({ score }) => score)).toEqual([1, null, 0, 1, 0, null]);
      for (const limit of [1, 2, 1_000]) {
        expect(await list('', limit)).toEqual(run.result_items);
        expect(await list('sort_order=desc', limit)).toEqual(run.result_items.toReversed());
      }
    });

    it('are sorted by value, those without it last', async () => {
      for (const limit of [1, 2, 1_000]) {
        expect(await list('sort_by=score', limit)).toEqual(at(2, 4, 0, 3, 1, 5));
        expect(await list('sort_by=score&sort_order=desc', limit)).toEqual(at(3, 0, 4, 2, 5, 1));
      }
      const latencies = (await list('sort_by=latency&sort_order=desc')).map((item) => item.latency_ms!);
      expect(latencies).toEqual(run.result_items.map((item) => item.latency_ms!).toSorted((a, b) => b - a));
      const byCost = (a: EvalItem, b: EvalItem) => a.cost! - b.cost! || (a.datapoint_id < b.datapoint_id ? -1 : 1);
      expect(await list('sort_by=cost')).toEqual(run.result_items.toSorted(byCost));
    });

    it('are found by status and score', async () => {
      expect(await list('status=failed')).toEqual(at(1, 5));
      expect(await list('status=failed&sort_by=score&sort_order=desc')).toEqual(at(5, 1));
      expect(await list('status=completed&sort_by=score&sort_order=desc', 3)).toEqual(at(3, 0, 4, 2));
      expect(await list('score_max=0.5&sort_order=desc', 1)).toEqual(at(4, 2));
      expect(await list('score_max=1&sort_by=score', 3)).toEqual(at(2, 4, 0, 3));
      expect(await list('score_max=1&status=failed')).toEqual([]);
      for (const status of ['pending', 'running']) expect(await list(`status=${status}`)).toEqual([]);
    });

    it('are found by their datapoint, whatever else is asked for', async () => {
      for (const [place, item] of run.result_items.entries()) {
        expect(await list(`datapoint_id=${item.datapoint_id}`)).toEqual(at(place));
      }
      const [first] = run.result_items;
      expect(await list(`datapoint_id=${first!.datapoint_id}&status=failed&sort_by=cost`)).toEqual([first]);
      for (const none of ['nope', '%00', '']) expect([none, await list(`datapoint_id=${none}`)]).toEqual([none, []]);
    });

    it('have the kinds of the snapshot when asked for', async () => {
      const kinds = (await list('include=kind')).map(({ kind }) => kind);
      expect(kinds[0]).toMatchObject(generic('a', 'You said: a'));
      expect(kinds[4]).toMatchObject({ LlmConversation: { expected: 'no' } });
      const [both] = await list('include=samples,kind', 1_000);
      expect(both).toEqual({ ...run.result_items[0], kind: kinds[0], samples: null });
    });

    it('refuse what they do not know, and cursors of another sort', async () => {
      const items = `/api/eval/${run.id}/items`;
      const { body } = await lab().api.get<{ next_cursor: string }>(`${items}?limit=1&sort_by=score`);
      const other = await lab().api.get(`${items}?sort_by=cost&cursor=${body.next_cursor}`);
      expect(other.body.code).toBe('invalid_cursor');
      for (const query of ['status=done', 'sort_by=tokens', 'include=all', 'score_max=2', 'score_max=x']) {
        expect([query, (await lab().api.get(`${items}?${query}`)).body.code]).toEqual([query, 'validation_failed']);
      }
      expect((await lab().api.get('/api/eval/nope/items')).body.code).toBe('eval_run_not_found');
      expect((await lab().api.get('/api/eval/nope?items=none')).body.code).toBe('eval_run_not_found');
    });

    it('are left out of the run when asked for', async () => {
      expect((await lab().api.get(`/api/eval/${run.id}?items=none`)).body).toEqual({ ...run, result_items: [] });
      expect((await lab().api.get(`/api/eval/${run.id}?items=all`)).body).toEqual(run);
    });
  });

  describe('items of a run that goes on', () => {
    it('are pending or running until they are processed', async () => {
      const hanging = [1, 2, 3, 4].map((i) => `fake:hang ${i}`);
      const { id } = await lab().dataset('first', 'second', ...hanging, 'never');
      const { body: started } = await lab().start(id);
      const items = (query: string) => pages<EvalItem>(`/api/eval/${started.id}/items?${query}`, 'items', 2);
      await until(
        async () => (await items('status=running')).length === 4 && (await items('status=completed')).length === 2,
      );
      const { result_items: all } = await lab().read(started.id);
      expect(all.map(({ status }) => status)).toEqual([
        ...['completed', 'completed', 'running', 'running', 'running', 'running', 'pending'],
      ]);
      expect(await items('')).toEqual(all);
      expect(await items('status=running&sort_by=latency')).toEqual(all.slice(2, 6));
      expect(await items('status=running&sort_order=desc')).toEqual(all.slice(2, 6).toReversed());
      expect(await items('status=pending&sort_order=desc')).toEqual(all.slice(6));
      expect((await items('sort_by=latency')).slice(2)).toEqual(all.slice(2));
      expect(await items('status=pending&score_max=1')).toEqual([]);
      expect((await lab().api.delete(`/api/eval/${started.id}`)).status).toBe(200);
    });
  });
}
