import { describe, expect, it } from '@jest/globals';
import { BATCH_IDS_MAX, type DatapointResource, type DeletedDatapoints, type ExportedSpans } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import type { DatasetsServer } from './datasets-server.ts';

/** Many spans or datapoints in one request, on both databases (docs/spec/datapoints.md#many-at-once). */
export function datasetBatches(server: () => DatasetsServer): void {
  const newTrace = async (headers?: Record<string, string>): Promise<string> => {
    const { body } = await server().api.send<{ id: string }>('POST', '/api/traces', {}, headers);
    return body.id;
  };
  const spansOf = async (inputs: readonly unknown[], headers?: Record<string, string>): Promise<string[]> => {
    const trace_id = await newTrace(headers);
    const spans = inputs.map((input, i) => ({ id: `${trace_id}-${i}`, trace_id, name: 's', input }));
    const { body } = await server().api.send<{ rejected: unknown[] }>('POST', '/api/ingest', { spans }, headers);
    expect(body.rejected).toEqual([]);
    return spans.map(({ id }) => id);
  };
  const exported = async (dataset: string, span_ids: readonly string[]) =>
    server().api.post<ExportedSpans>(`/api/datasets/${dataset}/export-spans`, { span_ids });
  const reported = (id: string) =>
    server()
      .eventsOf(id)
      .filter(({ type }) => type === 'datapoint_created');

  describe('export-spans', () => {
    it('makes a datapoint of each span, in their order, as one change', async () => {
      const dataset = await server().create();
      const ids = await spansOf(['a', [{ role: 'user', content: 'b' }], 'c']);
      const turned = ids.toReversed();
      const { status, body } = await exported(dataset, [...turned, ids[0]!]);
      const datapoints = await server().datapoints(dataset);
      expect([status, body]).toEqual([
        200,
        {
          created: turned.map((span_id, i) => ({ span_id, datapoint_id: datapoints[i]!.id })),
          rejected: [],
        },
      ]);
      expect(datapoints).toMatchObject([
        { source: 'span_export', source_span_id: ids[2], kind: { Generic: { input: 'c' } } },
        { kind: { LlmConversation: { messages: [{ role: 'user', content: 'b' }] } } },
        { source_span_id: ids[0], kind: { Generic: { input: 'a' } } },
      ]);
      expect(await server().dataset(dataset)).toMatchObject({ version: 1, datapoint_count: 3 });
      await until(() => reported(dataset).length === 3);
      expect(reported(dataset)).toEqual(datapoints.map((datapoint) => ({ type: 'datapoint_created', datapoint })));
    });

    it('leaves out what it cannot take and says why', async () => {
      const dataset = await server().create();
      const deep = JSON.parse('['.repeat(198) + ']'.repeat(198)) as unknown;
      const [fine] = (await spansOf(['fine'])) as [string];
      const nest = { trace_id: await newTrace(), name: 's', input: deep };
      const nested = (await server().api.post<{ id: string }>('/api/spans', nest)).body.id;
      const [foreign] = (await spansOf(['theirs'], { 'x-test-project': 'p1' })) as [string];
      const { status, body } = await exported(dataset, [nested, 'nope', fine, foreign, 'a\0', '\ud800']);
      expect([status, body.created.map(({ span_id }) => span_id)]).toEqual([200, [fine]]);
      expect(body.rejected.map(({ span_id, code }) => [span_id, code])).toEqual([
        [nested, 'validation_failed'],
        ...['nope', foreign, 'a\0', '\ud800'].map((id) => [id, 'span_not_found']),
      ]);
      expect(body.rejected[0]!.message).toMatch(/^the span cannot become a datapoint: Generic must not nest deeper/);
      expect(await server().dataset(dataset)).toMatchObject({ version: 1, datapoint_count: 1 });
      const none = await exported(dataset, ['nope']);
      expect(none.body).toMatchObject({ created: [], rejected: [{ span_id: 'nope' }] });
      expect(await exported(dataset, [])).toMatchObject({ status: 200, body: { created: [], rejected: [] } });
      expect(await server().dataset(dataset)).toMatchObject({ version: 1, datapoint_count: 1 });
    });

    it('takes as many as one request may name, whatever their size', async () => {
      const dataset = await server().create();
      const large = 'x'.repeat(300_000);
      const ids = await spansOf(Array.from({ length: BATCH_IDS_MAX }, (_, i) => (i % 100 === 0 ? large : i)));
      const { body } = await exported(dataset, ids);
      expect(body.created.map(({ span_id }) => span_id)).toEqual(ids);
      expect(await server().dataset(dataset)).toMatchObject({ version: 1, datapoint_count: BATCH_IDS_MAX });
      const all = await server().datapoints(dataset);
      expect(all.map((datapoint) => datapoint.id)).toEqual(body.created.map((one) => one.datapoint_id));
      expect(all.map((datapoint) => datapoint.source_span_id)).toEqual(ids);
    });

    it('leaves out spans that the dataset has a datapoint of, where that is asked for', async () => {
      const { api } = server();
      const dataset = await server().create();
      const ids = await spansOf(['a', 'b', 'c']);
      const first = await exported(dataset, ids.slice(1, 2));
      const body = { span_ids: [...ids, 'nope'], skip_existing: true };
      const again = await api.post<ExportedSpans>(`/api/datasets/${dataset}/export-spans`, body);
      expect(again.body).toMatchObject({
        created: [{ span_id: ids[0] }, { span_id: ids[2] }],
        existing: first.body.created,
        rejected: [{ span_id: 'nope' }],
      });
      expect(await server().dataset(dataset)).toMatchObject({ version: 2, datapoint_count: 3 });
      const other = await server().create();
      const elsewhere = await api.post<ExportedSpans>(`/api/datasets/${other}/export-spans`, body);
      expect(elsewhere.body).toMatchObject({ created: [{}, {}, {}], existing: [] });
      // Without the wish each request makes datapoints.
      expect((await exported(dataset, ids)).body.created).toHaveLength(3);
    });

    it('names spans whose answer was not understood', async () => {
      const dataset = await server().create();
      const ids = await spansOf([[{ role: 'user', content: 'a' }], [{ role: 'user', content: 'b' }]]);
      await server().api.post(`/api/spans/${ids[0]}/complete`, { output: { odd: 1 } });
      await server().api.post(`/api/spans/${ids[1]}/complete`, { output: { text: 'fine' } });
      expect((await exported(dataset, ids)).body).toMatchObject({ created: [{}, {}], unread_answers: [ids[0]] });
    });

    it('refuses more, and datasets that are not there', async () => {
      const dataset = await server().create();
      const many = Array.from({ length: BATCH_IDS_MAX + 1 }, (_, i) => `s${i}`);
      expect(await exported(dataset, many)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(await exported('nope', ['s'])).toMatchObject({ status: 404, body: { code: 'dataset_not_found' } });
    });
  });

  describe('datapoints/delete', () => {
    const deleted = async (dataset: string, ids: readonly string[], headers?: Record<string, string>) =>
      server().api.send<DeletedDatapoints>('POST', `/api/datasets/${dataset}/datapoints/delete`, { ids }, headers);
    const add = async (dataset: string, count: number): Promise<string[]> => {
      const ids = await spansOf(Array.from({ length: count }, (_, i) => i));
      return (await exported(dataset, ids)).body.created.map(({ datapoint_id }) => datapoint_id);
    };

    it('deletes those that are there, with their queue items, as one change', async () => {
      const { api } = server();
      const [dataset, other] = [await server().create(), await server().create()];
      const ids = await add(dataset, 5);
      const [elsewhere] = (await add(other, 1)) as [string];
      const single = await api.post<DatapointResource>(`/api/datasets/${dataset}/datapoints`, {
        kind: { Generic: { input: 'made' } },
      });
      await api.post(`/api/datasets/${dataset}/queue`, { datapoint_ids: [ids[0], ids[1], ids[4]] });
      const gone = [ids[0]!, single.body.id, ids[4]!];
      const unknown = ['nope', elsewhere, 'a\0'];
      const answer = await deleted(dataset, [...unknown, ...gone, ids[0]!, 'nope']);
      expect([answer.status, answer.body]).toEqual([200, { deleted: 3, missing: unknown }]);
      expect((await server().datapoints(dataset)).map(({ id }) => id)).toEqual(ids.slice(1, 4));
      expect(await server().dataset(dataset)).toMatchObject({ version: 3, datapoint_count: 3 });
      expect(await server().dataset(other)).toMatchObject({ version: 1, datapoint_count: 1 });
      const { body: queue } = await api.get<{ items: { datapoint_id: string }[] }>(`/api/datasets/${dataset}/queue`);
      expect(queue.items.map((item) => item.datapoint_id)).toEqual([ids[1]]);
      expect((await deleted(dataset, gone)).body).toEqual({ deleted: 0, missing: gone });
      expect(await server().dataset(dataset)).toMatchObject({ version: 3 });
    });

    it('empties a dataset at once', async () => {
      const dataset = await server().create();
      const ids = await add(dataset, BATCH_IDS_MAX);
      expect((await deleted(dataset, ids)).body).toEqual({ deleted: BATCH_IDS_MAX, missing: [] });
      expect(await server().dataset(dataset)).toMatchObject({ version: 2, datapoint_count: 0 });
      await until(async () => (await server().rowsOf(dataset)).datapoints === 0);
    });

    it('refuses more ids than that, and datasets that are not there or are others', async () => {
      const dataset = await server().create();
      const many = Array.from({ length: BATCH_IDS_MAX + 1 }, (_, i) => `d${i}`);
      expect(await deleted(dataset, many)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      const [mine] = (await add(dataset, 1)) as [string];
      for (const [id, headers] of [['nope', {}] as const, [dataset, { 'x-test-project': 'p1' }] as const]) {
        expect(await deleted(id, [mine], headers)).toMatchObject({ status: 404, body: { code: 'dataset_not_found' } });
      }
      expect(await server().datapoints(dataset)).toHaveLength(1);
    });
  });
}
