/** Saved views, boards and comments as the API has them, on any database. */
import { describe, expect, it } from '@jest/globals';
import type { BoardResource, CommentResource, ViewResource } from '@spandrel/contract';
import type { Api } from '../support/api.ts';

/** A trace with one span. */
export async function makeTrace(api: Api): Promise<{ trace: string; span: string }> {
  const { body: trace } = await api.post<{ id: string }>('/api/traces', { name: 'shared' });
  const body = { trace_id: trace.id, name: 'step', input: 'in' };
  return { trace: trace.id, span: (await api.post<{ id: string }>('/api/spans', body)).body.id };
}

interface Comments {
  comments: CommentResource[];
  count: number;
  next_cursor: string | null;
}

/** What comments can be about, made for one test. */
async function makeTargets(api: Api) {
  const id = async (path: string, body: unknown): Promise<string> => {
    const answer = await api.post<{ id: string }>(path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body.id;
  };
  const trace = await id('/api/traces', { name: 'commented' });
  const span = await id('/api/spans', { trace_id: trace, name: 'step', input: 'in' });
  const dataset = await id('/api/datasets', { name: 'set' });
  const datapoint = await id(`/api/datasets/${dataset}/datapoints`, { kind: { Generic: { input: 'x' } } });
  const run = await id(`/api/datasets/${dataset}/eval`, { name: 'run', execution: 'external', scoring: 'None' });
  await api.post(`/api/eval/${run}/results`, { results: [{ datapoint_id: datapoint, output: 'said' }] });
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await api.get<{ items: { status: string }[] }>(`/api/eval/${run}/items`);
    if (body.items[0]?.status === 'completed') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { trace, span, dataset, datapoint, run };
}

/** @param api of a project whose caller may do everything. @param author what answers name the caller. */
export function describeCollaboration(api: () => Api, author: { id: unknown; name: unknown }): void {
  const comment = (body: object) => api().post<CommentResource>('/api/comments', body);
  const commentsOf = async (query: string): Promise<Comments> =>
    (await api().get<Comments>(`/api/comments?${query}`)).body;

  it('imports no comment over one that says something else, or is of somebody else', async () => {
    const { trace } = await makeTrace(api());
    const { body: made } = await comment({ target_type: 'trace', target_id: trace, text: 'mine' });
    const others = [{ ...made, text: 'planted' }, { ...made, author: { id: 'key:eve', name: 'Eve' } }, made];
    const codes: (string | undefined)[] = [];
    for (const each of others) {
      const body = { version: 1, comments: [each] };
      const imported = await api().post<{ rejected: { code: string }[] }>('/api/import/json', body);
      codes.push(imported.body.rejected[0]?.code);
    }
    expect(codes).toEqual(['id_conflict', 'id_conflict', undefined]);
    expect((await commentsOf(`parent_id=${trace}`)).comments).toEqual([made]);
  });

  describe('saved views', () => {
    it('are made, listed by page, renamed, given another address, and deleted', async () => {
      const body = { name: 'Failures', page: 'traces', query: 'status=failed&range=24h' };
      const made = await api().post<ViewResource>('/api/views', body);
      expect([made.status, made.body]).toMatchObject([201, { ...body, scope: 'project', created_by: author }]);
      const path = `/api/views/${made.body.id}`;
      const ids = async (page: string) =>
        (await api().get<{ views: ViewResource[] }>(`/api/views?page=${page}`)).body.views.map(({ id }) => id);
      expect(await ids('traces')).toContain(made.body.id);
      expect(await ids('spans')).toEqual([]);
      const renamed = await api().send<ViewResource>('PUT', path, { name: 'Broken' });
      expect(renamed.body).toMatchObject({ name: 'Broken', query: body.query });
      const replaced = await api().send<ViewResource>('PUT', path, { query: 'status=running' });
      expect(replaced.body).toMatchObject({ name: 'Broken', query: 'status=running' });
      expect((await api().get(path)).body).toEqual(replaced.body);
      expect((await api().delete(path)).body).toEqual({ id: made.body.id, deleted: true });
      expect((await api().get(path)).body.code).toBe('view_not_found');
      expect((await api().delete(path)).status).toBe(404);
    });

    it('refuse what is no view, and say where', async () => {
      const wrong = await api().unchecked.post('/api/views', { name: '', page: 'nowhere', query: 'x'.repeat(8_193) });
      expect(wrong.status).toBe(400);
      expect(wrong.body.errors!.map(({ path }) => path).toSorted()).toEqual(['name', 'page', 'query']);
    });
  });

  describe('boards', () => {
    const list = async (query = ''): Promise<BoardResource[]> =>
      (await api().get<{ boards: BoardResource[] }>(`/api/boards${query}`)).body.boards;

    it('come with the product, and are changed, hidden and brought back', async () => {
      const before = await list();
      expect(before.slice(-3).map(({ name, built_in }) => [name, built_in])).toEqual([
        ['Cost', true],
        ['Quality', true],
        ['Reliability', true],
      ]);
      expect(before.at(-1)).toMatchObject({ created_by: null, created_at: null, hidden: false });
      const changed = await api().send<BoardResource>('PUT', '/api/boards/cost', { name: 'Money' });
      expect(changed.body).toMatchObject({ id: 'cost', name: 'Money', built_in: true, created_by: author });
      expect(changed.body.figures).toEqual(before.find(({ id }) => id === 'cost')!.figures);
      expect((await api().delete('/api/boards/quality')).status).toBe(200);
      expect((await list()).map(({ id }) => id).slice(-2)).toEqual(['cost', 'reliability']);
      expect((await list('?hidden=true')).map(({ id, hidden }) => [id, hidden]).slice(-2)).toEqual([
        ['quality', true],
        ['reliability', false],
      ]);
      const back = await api().send<BoardResource>('PUT', '/api/boards/quality', { hidden: false });
      expect(back.body).toMatchObject({ hidden: false, name: 'Quality' });
      expect((await list()).length).toBe(before.length);
    });

    it('are made with their figures in order, read page by page, and deleted', async () => {
      const figures = [
        { title: 'Cost of chat', figure: 'cost', query: 'model=chat' },
        { title: 'Failures', figure: 'errors', query: '' },
        { title: 'Calls', figure: 'calls', query: '' },
      ];
      const { status, body } = await api().post<BoardResource>('/api/boards', { name: 'Mine', figures });
      expect([status, body]).toMatchObject([201, { name: 'Mine', figures, built_in: false }]);
      const turned = figures.toReversed();
      const put = await api().send<BoardResource>('PUT', `/api/boards/${body.id}`, { figures: turned });
      expect(put.body.figures).toEqual(turned);
      const all = await list();
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: { boards: BoardResource[]; next_cursor: string | null } = (
          await api().get<{ boards: BoardResource[]; next_cursor: string | null }>(`/api/boards?limit=1${after}`)
        ).body;
        expect(page.boards.length).toBeLessThanOrEqual(1);
        found.push(...page.boards.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(found).toEqual(all.map(({ id }) => id));
      expect((await api().delete(`/api/boards/${body.id}`)).status).toBe(200);
      expect((await api().get(`/api/boards/${body.id}`)).body.code).toBe('board_not_found');
    });
  });

  describe('comments', () => {
    it('are about traces, spans, datapoints and results, and listed page by page', async () => {
      const { trace, span, dataset, datapoint, run } = await makeTargets(api());
      const targets = [
        [{ target_type: 'trace', target_id: trace }, trace],
        [{ target_type: 'span', target_id: span }, trace],
        [{ target_type: 'datapoint', target_id: datapoint, parent_id: dataset }, dataset],
        [{ target_type: 'result', target_id: datapoint, parent_id: run }, run],
      ] as const;
      for (const [target, parent] of targets) {
        const { status, body } = await comment({ ...target, text: '**bold**' });
        expect([status, body]).toMatchObject([201, { ...target, parent_id: parent, author, edited_at: null }]);
        expect(await commentsOf(`parent_id=${parent}&target_type=${target.target_type}`)).toMatchObject({ count: 1 });
      }
      const page = await commentsOf(`parent_id=${trace}&limit=1`);
      expect(page).toMatchObject({ count: 1, comments: [{ target_type: 'trace' }] });
      const next = await commentsOf(`parent_id=${trace}&limit=1&cursor=${encodeURIComponent(page.next_cursor!)}`);
      expect(next).toMatchObject({ count: 1, next_cursor: null, comments: [{ target_type: 'span' }] });
    });

    it('are edited and deleted', async () => {
      const { trace } = await makeTargets(api());
      const { body } = await comment({ target_type: 'trace', target_id: trace, text: 'one' });
      const edited = await api().send<CommentResource>('PUT', `/api/comments/${body.id}`, { text: 'two' });
      expect(edited.body).toMatchObject({ text: 'two', created_at: body.created_at, edited_at: expect.any(String) });
      expect((await api().delete(`/api/comments/${body.id}`)).status).toBe(200);
      expect((await api().delete(`/api/comments/${body.id}`)).body.code).toBe('comment_not_found');
      expect(await commentsOf(`parent_id=${trace}`)).toMatchObject({ count: 0, comments: [] });
    });

    it('refuse what is not there, what is too long, and what says too little', async () => {
      const { trace, span, dataset, run } = await makeTargets(api());
      const text = 'x';
      const codes = await Promise.all(
        [
          { target_type: 'trace', target_id: span, text },
          { target_type: 'span', target_id: trace, text },
          { target_type: 'datapoint', target_id: 'none', parent_id: dataset, text },
          { target_type: 'datapoint', target_id: 'none', parent_id: 'none', text },
          { target_type: 'result', target_id: 'none', parent_id: run, text },
          { target_type: 'result', target_id: 'none', parent_id: 'none', text },
          { target_type: 'result', target_id: 'none', text },
          { target_type: 'trace', target_id: trace, text: 'x'.repeat(10_001) },
          { target_type: 'trace', target_id: trace, text: ' \n' },
        ].map(async (body) => (await api().post('/api/comments', body)).body.code),
      );
      expect(codes).toEqual([
        ...['trace_not_found', 'span_not_found', 'datapoint_not_found', 'dataset_not_found'],
        ...['datapoint_not_found', 'eval_run_not_found'],
        ...['validation_failed', 'validation_failed', 'validation_failed'],
      ]);
      expect((await comment({ target_type: 'trace', target_id: trace, text: 'x'.repeat(10_000) })).status).toBe(201);
    });

    it('go with what they are about', async () => {
      const fill = async () => {
        const made = await makeTargets(api());
        await comment({ target_type: 'trace', target_id: made.trace, text: 'x' });
        await comment({ target_type: 'span', target_id: made.span, text: 'x' });
        await comment({ target_type: 'datapoint', target_id: made.datapoint, parent_id: made.dataset, text: 'x' });
        await comment({ target_type: 'result', target_id: made.datapoint, parent_id: made.run, text: 'x' });
        return made;
      };
      const left = async ({ trace, dataset, run }: Awaited<ReturnType<typeof fill>>) =>
        Promise.all([trace, dataset, run].map(async (id) => (await commentsOf(`parent_id=${id}`)).count));
      const one = await fill();
      const other = await fill();
      await api().delete(`/api/spans/${one.span}`);
      expect(await left(one)).toEqual([1, 1, 1]);
      await api().delete(`/api/traces/${one.trace}`);
      expect(await left(one)).toEqual([0, 1, 1]);
      await api().delete(`/api/eval/${one.run}`);
      expect(await left(one)).toEqual([0, 1, 0]);
      await api().delete(`/api/datasets/${one.dataset}/datapoints/${one.datapoint}`);
      expect(await left(one)).toEqual([0, 0, 0]);
      expect(await left(other)).toEqual([2, 1, 1]);
      await api().delete(`/api/datasets/${other.dataset}`);
      expect(await left(other)).toEqual([2, 0, 0]);
      await api().delete('/api/traces');
      expect(await left(other)).toEqual([0, 0, 0]);
    });
  });
}
