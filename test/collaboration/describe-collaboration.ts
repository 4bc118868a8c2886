/** Saved views and boards as the API has them, on any database. */
import { describe, expect, it } from '@jest/globals';
import type { BoardResource, ViewResource } from '@spandrel/contract';
import type { Api } from '../support/api.ts';

/** A trace with one span. */
export async function makeTrace(api: Api): Promise<{ trace: string; span: string }> {
  const { body: trace } = await api.post<{ id: string }>('/api/traces', { name: 'shared' });
  const body = { trace_id: trace.id, name: 'step', input: 'in' };
  return { trace: trace.id, span: (await api.post<{ id: string }>('/api/spans', body)).body.id };
}

/** @param api of a project whose caller may do everything. @param author what answers name the caller. */
export function describeCollaboration(api: () => Api, author: { id: unknown; name: unknown }): void {
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
}
