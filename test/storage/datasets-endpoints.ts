import { describe, expect, it } from '@jest/globals';
import type { DatapointResource, DatasetResource } from '@spandrel/contract';
import { checkedFetch } from '../support/checked-fetch.ts';
import { ID, type DatasetsServer } from './datasets-server.ts';

const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export function datasetEndpoints(server: () => DatasetsServer): void {
  describe('datasets', () => {
    it('are made, shown, changed and deleted', async () => {
      const { api, eventsOf } = server();
      const made = await api.post<DatasetResource>('/api/datasets', { name: 'A set', unknown: 1 });
      const { id } = made.body;
      const shown = {
        id: ID,
        name: 'A set',
        description: null,
        datapoint_count: 0,
        version: 0,
        created_at: at,
        updated_at: at,
      };
      expect([made.status, made.body]).toEqual([201, shown]);
      expect((await api.get(`/api/datasets/${id}`)).body).toEqual(made.body);
      const described = await api.send<DatasetResource>('PUT', `/api/datasets/${id}`, { description: 'what for' });
      expect([described.status, described.body]).toEqual([200, { ...shown, id, description: 'what for' }]);
      const renamed = await api.send<DatasetResource>('PUT', `/api/datasets/${id}`, { name: 'B', description: null });
      expect(renamed.body).toMatchObject({ name: 'B', description: null, version: 0 });
      expect((await api.send<DatasetResource>('PUT', `/api/datasets/${id}`, {})).body).toMatchObject({ name: 'B' });
      await api.post(`/api/datasets/${id}/datapoints`, { kind: { Generic: { input: 1 } } });
      const deleted = await api.delete(`/api/datasets/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }]);
      expect((await api.get(`/api/datasets/${id}`)).body).toMatchObject({ code: 'dataset_not_found', status: 404 });
      expect(eventsOf(id).map(({ type }) => type)).toEqual(['dataset_created', 'datapoint_created', 'dataset_deleted']);
      expect(await server().rowsOf(id)).toEqual({ datapoints: 0, imports: 0 });
    });

    it('are listed newest first, page by page, stable while others come', async () => {
      const { api } = server();
      const ids = [];
      for (let i = 0; i < 7; i++) ids.push(await server().create(`p${i}`));
      const seen: string[] = [];
      let query = '?limit=3';
      for (let pages = 0; pages < 3; pages++) {
        const { body } = await api.get<{ datasets: DatasetResource[]; count: number; next_cursor: string }>(
          `/api/datasets${query}`,
        );
        expect(body.count).toBe(pages < 2 ? 3 : body.datasets.length);
        seen.push(...body.datasets.map(({ id }) => id));
        query = `?limit=3&cursor=${body.next_cursor}`;
        await server().create('came meanwhile');
      }
      expect(seen.slice(0, 7)).toEqual(ids.toReversed());
      expect((await api.get('/api/datasets?cursor=nonsense')).body).toMatchObject({ code: 'invalid_cursor' });
      expect((await api.get('/api/datasets?limit=0')).status).toBe(400);
    });

    it.each([
      ['no name', {}],
      ['an empty name', { name: '' }],
      ['a name that is no text', { name: 1 }],
      ['a NUL', { name: 'a\0' }],
      ['a description that is no text', { name: 'a', description: {} }],
    ])('are not made with %s', async (_what, body) => {
      const answer = await server().api.post('/api/datasets', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    });

    it('are nowhere by ids that no column holds', async () => {
      const id = await server().create();
      for (const path of ['%00', 'nope', `${id}%00`, `${id}/datapoints/%00`, `${id}/datapoints/nope`]) {
        for (const method of ['GET', 'DELETE'] as const) {
          expect([path, (await server().api.send(method, `/api/datasets/${path}`)).status]).toEqual([path, 404]);
        }
      }
    });
  });

  describe('datapoints', () => {
    const generic = { Generic: { input: { n: 1 }, expected_output: [1], metadata: { a: null } } };
    const conversation = {
      LlmConversation: { messages: [{ role: 'user', content: 'hi', name: 'n' }], expected: 'ho' },
    };

    it('are made, shown with every member, replaced and deleted, each change a version', async () => {
      const { api, eventsOf } = server();
      const id = await server().create();
      const path = `/api/datasets/${id}/datapoints`;
      const made = await api.post<DatapointResource>(path, { kind: generic });
      const shown = {
        id: ID,
        dataset_id: id,
        kind: { Generic: { ...generic.Generic, actual_output: null, score: null } },
        source: 'manual',
        source_span_id: null,
        created_at: at,
        updated_at: at,
      };
      expect([made.status, made.body]).toEqual([201, shown]);
      const other = await api.post<DatapointResource>(path, { kind: conversation });
      expect(other.body.kind).toEqual({ LlmConversation: { ...conversation.LlmConversation, metadata: null } });
      const one = `${path}/${made.body.id}`;
      expect((await api.get(one)).body).toEqual(made.body);
      const replaced = await api.send<DatapointResource>('PUT', one, { kind: conversation });
      expect([replaced.status, replaced.body.kind]).toEqual([200, other.body.kind]);
      expect(replaced.body).toMatchObject({ id: made.body.id, created_at: made.body.created_at });
      expect((await api.send('PUT', one, {})).body).toEqual(replaced.body);
      expect((await api.get<{ datapoints: unknown }>(path)).body).toEqual({
        datapoints: [replaced.body, other.body],
        count: 2,
        next_cursor: null,
      });
      expect(await server().dataset(id)).toMatchObject({ version: 3, datapoint_count: 2 });
      const deleted = await api.delete(one);
      expect([deleted.status, deleted.body]).toEqual([200, { id: made.body.id, deleted: true }]);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const gone = await api.send(method, one, method === 'PUT' ? { kind: generic } : undefined);
        expect([method, gone.status, gone.body.code]).toEqual([method, 404, 'datapoint_not_found']);
      }
      expect(await server().dataset(id)).toMatchObject({ version: 4, datapoint_count: 1 });
      expect(eventsOf(id).slice(1)).toEqual([
        { type: 'datapoint_created', datapoint: made.body },
        { type: 'datapoint_created', datapoint: other.body },
      ]);
    });

    it('keep values exactly', async () => {
      const id = await server().create();
      const kind =
        '{"Generic":{"input":{"__proto__":{"a":1},"n":12345678901234567890,"nul":"\\u0000","lone":"\\ud800"},"expected_output":1.5,"actual_output":null,"score":null,"metadata":null}}';
      const { body } = await server().api.post<DatapointResource>(`/api/datasets/${id}/datapoints`, `{"kind":${kind}}`);
      const answer = await checkedFetch(`${server().url}/api/datasets/${id}/datapoints/${body.id}`);
      expect(await answer.text()).toContain(`"kind":${kind}`);
    });

    it.each([
      ['nothing', undefined],
      ['no variant', {}],
      ['two variants', { ...generic, ...conversation }],
      ['an unknown variant', { Other: {} }],
      ['no input', { Generic: {} }],
      ['a score above 1', { Generic: { input: 1, score: 1.1 } }],
      ['a score that is text', { Generic: { input: 1, score: '1' } }],
      ['metadata that is a list', { Generic: { input: 1, metadata: [] } }],
      ['no messages', { LlmConversation: { messages: [] } }],
      ['a message without a role', { LlmConversation: { messages: [{ content: 'x' }] } }],
      ['an expected text that is none', { LlmConversation: { messages: [{ role: 'user' }], expected: 1 } }],
    ])('are not made of %s', async (_what, kind) => {
      const id = await server().create();
      const answer = await server().api.post(`/api/datasets/${id}/datapoints`, { kind });
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
      expect(await server().dataset(id)).toMatchObject({ version: 0, datapoint_count: 0 });
    });

    it('come in pages that stay as they are while others come and go', async () => {
      const { api } = server();
      const id = await server().create();
      const path = `/api/datasets/${id}/datapoints`;
      const add = async (input: number): Promise<string> =>
        (await api.post<DatapointResource>(path, { kind: { Generic: { input } } })).body.id;
      const ids: string[] = [];
      for (let i = 0; i < 9; i++) ids.push(await add(i));
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: { body: { datapoints: DatapointResource[]; next_cursor: string | null } } = await api.get(
          `${path}?limit=2${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.datapoints.map((datapoint) => datapoint.id));
        cursor = body.next_cursor;
        if (seen.length === 4) {
          await api.delete(`${path}/${ids[0]}`);
          await api.send('PUT', `${path}/${ids[1]}`, { kind: conversation });
          ids.push(await add(9));
        }
      }
      expect(seen).toEqual(ids);
    });

    it('come at once in any number, each raising the version by one', async () => {
      const id = await server().create();
      const path = `/api/datasets/${id}/datapoints`;
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, input) =>
          server().api.post<DatapointResource>(path, { kind: { Generic: { input } } }),
        ),
      );
      expect(new Set(made.map(({ body }) => body.id)).size).toBe(20);
      expect(await server().dataset(id)).toMatchObject({ version: 20, datapoint_count: 20 });
    });
  });

  describe('export-span', () => {
    it('makes a datapoint of a span, finished or not', async () => {
      const { api } = server();
      const id = await server().create();
      const trace = await api.post<{ id: string }>('/api/traces', {});
      const messages = [{ role: 'user', content: 'hi' }];
      const span = async (input: unknown): Promise<string> =>
        (await api.post<{ id: string }>('/api/spans', { trace_id: trace.body.id, name: 's', input })).body.id;
      const chat = await span(messages);
      const exported = async (span_id: unknown) =>
        api.post<DatapointResource>(`/api/datasets/${id}/export-span`, { span_id });
      const running = await exported(chat);
      expect([running.status, running.body]).toMatchObject([
        201,
        {
          source: 'span_export',
          source_span_id: chat,
          kind: { LlmConversation: { messages, expected: null, metadata: null } },
        },
      ]);
      await api.post(`/api/spans/${chat}/complete`, { output: { text: 'ho', finish_reason: 'stop' } });
      expect((await exported(chat)).body.kind).toMatchObject({ LlmConversation: { messages, expected: 'ho' } });
      const step = await span('question');
      expect((await exported(step)).body.kind).toMatchObject({ Generic: { input: 'question', expected_output: null } });
      for (const unknown of ['nope', 'a\0']) {
        expect((await exported(unknown)).body).toMatchObject({ status: 404, code: 'span_not_found' });
      }
      expect((await exported(undefined)).status).toBe(400);
      expect((await api.post('/api/datasets/nope/export-span', { span_id: chat })).body.code).toBe('dataset_not_found');
      const deep = await span(JSON.parse('['.repeat(198) + ']'.repeat(198)));
      expect((await exported(deep)).body).toMatchObject({
        status: 400,
        detail: expect.stringMatching(/^the span cannot become a datapoint/),
      });
      expect(await server().dataset(id)).toMatchObject({ datapoint_count: 3, version: 3 });
    });
  });

  describe('export-span with another expected value', () => {
    it('takes what the caller says in the place of the answer', async () => {
      const { api } = server();
      const id = await server().create();
      const { body: trace } = await api.post<{ id: string }>('/api/traces', {});
      const made = async (input: unknown, expected: unknown) => {
        const span = await api.post<{ id: string }>('/api/spans', { trace_id: trace.id, name: 's', input });
        await api.post(`/api/spans/${span.body.id}/complete`, { output: { text: 'ho' } });
        const body = { span_id: span.body.id, expected };
        return (await api.post<DatapointResource>(`/api/datasets/${id}/export-span`, body)).body;
      };
      const messages = [{ role: 'user', content: 'hi' }];
      expect((await made(messages, 'ha')).kind).toMatchObject({ LlmConversation: { messages, expected: 'ha' } });
      expect((await made(messages, null)).kind).toMatchObject({ LlmConversation: { expected: null } });
      expect((await made(messages, undefined)).kind).toMatchObject({ LlmConversation: { expected: 'ho' } });
      expect((await made('hi', 'ha')).kind).toMatchObject({ Generic: { input: 'hi', expected_output: 'ha' } });
      expect(await made('hi', 7)).toMatchObject({ status: 400, errors: [{ path: 'expected' }] });
    });
  });

  describe('projects', () => {
    it('do not see each other', async () => {
      const { api } = server();
      const own = { 'x-test-project': 'p1' };
      const { body: dataset } = await api.send<DatasetResource>('POST', '/api/datasets', { name: 'secret' }, own);
      const path = `/api/datasets/${dataset.id}`;
      const kind = { Generic: { input: 'secret' } };
      const { body: datapoint } = await api.send<DatapointResource>('POST', `${path}/datapoints`, { kind }, own);
      const { body: trace } = await api.send<{ id: string }>('POST', '/api/traces', {}, own);
      const { body: span } = await api.send<{ id: string }>(
        'POST',
        '/api/spans',
        { trace_id: trace.id, name: 's' },
        own,
      );
      for (const [method, url, body] of [
        ['GET', path],
        ['PUT', path, { name: 'stolen' }],
        ['GET', `${path}/datapoints`],
        ['POST', `${path}/datapoints`, { kind }],
        ['GET', `${path}/datapoints/${datapoint.id}`],
        ['PUT', `${path}/datapoints/${datapoint.id}`, { kind }],
        ['DELETE', `${path}/datapoints/${datapoint.id}`],
        ['POST', `${path}/export-span`, { span_id: span.id }],
        ['POST', `${path}/import`, '[{"input":1}]'],
        ['GET', `${path}/export`],
        ['DELETE', path],
      ] as const) {
        const answer = await api.send(method, url, body, { 'x-test-project': 'p2' });
        expect([method, url, answer.status]).toEqual([method, url, 404]);
      }
      const mine = await server().create();
      const foreign = await api.post(`/api/datasets/${mine}/export-span`, { span_id: span.id });
      expect(foreign.body.code).toBe('span_not_found');
      const { body: list } = await api.send<{ count: number }>('GET', '/api/datasets', undefined, {
        'x-test-project': 'p2',
      });
      expect(list.count).toBe(0);
      const { body: kept } = await api.send<DatasetResource>('GET', path, undefined, own);
      expect(kept).toMatchObject({ name: 'secret', datapoint_count: 1, version: 1 });
    });
  });
}
