import { describe, expect, it } from '@jest/globals';
import {
  restoredDatapointSchema,
  restoredDatasetSchema,
  type DatapointResource,
  type DatasetResource,
  type SpanResource,
  type TraceListItem,
} from '@spandrel/contract';
import { DatasetSnapshots, RestoreDatasets } from '@spandrel/datasets';
import { scopeOfProject } from '../support/in-process.ts';
import { holdSockets } from '../support/raw-http.ts';
import { until } from '../support/spandrel.ts';
import { importForm, importJson } from './import-json.ts';
import { counts, datapoint, dataset, END, NONE, span, trace, whole } from './items.ts';
import { undated, type TransferServer } from './transfer-server.ts';

export function imports(server: () => TransferServer): void {
  const isEmpty = async (project: string): Promise<boolean> => {
    const file = JSON.parse(await server().export(project)) as Record<string, unknown[]>;
    return ['traces', 'spans', 'datasets', 'datapoints'].every((collection) => file[collection]!.length === 0);
  };

  describe('an import', () => {
    it('takes the members of the file in any order, and the file raw or in a form', async () => {
      const expected = { status: 200, body: counts(1, 2, 1, 1) };
      const first = server().project();
      expect(await server().import(first, JSON.stringify(whole))).toEqual(expected);
      const reversed = Object.fromEntries(Object.entries(whole).toReversed());
      const second = server().project();
      expect(await server().import(second, JSON.stringify(reversed, null, 2))).toEqual(expected);
      expect(undated(await server().export(second))).toBe(undated(await server().export(first)));
      const { url } = server();
      expect(await importForm(url, [{ name: 'export.json', content: JSON.stringify(whole) }])).toEqual(expected);
      for (const files of [[], [{ name: 'a.json', field: 'x', content: '{}' }], [{ name: 'a.csv', content: '{}' }]]) {
        expect((await importForm(url, files)).status).toBe(files[0]?.name === 'a.csv' ? 415 : 400);
      }
    });

    it('ignores members that it does not know, and takes a missing list for an empty one', async () => {
      const project = server().project();
      const file = '\ufeff{"tool":{"a":[1,{"b":"]}"}]},"version":1,"spans":null,"traces":[{"id":"t","more":1}]}';
      expect(await server().import(project, file)).toEqual({ status: 200, body: counts(1, 0, 0, 0) });
      expect(await server().import(project, '{"version":1}')).toEqual({ status: 200, body: counts(0, 0, 0, 0) });
    });

    it('gives what exists the values of the file, leaves the rest alone, and deletes nothing', async () => {
      const { call } = server();
      const project = server().project();
      await server().restore(project, JSON.stringify(whole));
      await call(project, 'PATCH', '/api/traces/t', { name: 'renamed', tags: ['new'] });
      await call(project, 'POST', '/api/spans', { id: 'more', trace_id: 't', name: 'more' });
      await call(project, 'PUT', '/api/datasets/d', { name: 'renamed' });
      await call(project, 'PUT', '/api/datasets/d/datapoints/p', { kind: { Generic: { input: 'edited' } } });
      const { id } = await call<DatapointResource>(project, 'POST', '/api/datasets/d/datapoints', {
        kind: { Generic: { input: 'more' } },
      });
      const late = { ...whole, spans: [span('a', { name: 'again', status: 'running', ended_at: null }), span('more')] };
      expect(await server().restore(project, JSON.stringify(late))).toEqual(counts(1, 2, 1, 1));

      const shown = await call<{ trace: TraceListItem; spans: SpanResource[] }>(project, 'GET', '/api/traces/t');
      expect(shown.trace).toMatchObject({ name: 'trace t', tags: ['new'], span_count: 3, ended_at: END });
      expect(shown.spans.map(({ id: spanId, name, status }) => [spanId, name, status])).toEqual([
        ['a', 'span a', 'completed'],
        ['b', 'span b', 'completed'],
        ['more', 'span more', 'completed'],
      ]);
      const set = await call<DatasetResource>(project, 'GET', '/api/datasets/d');
      expect(set).toMatchObject({ name: 'set d', datapoint_count: 2, version: 7, updated_at: END });
      const { datapoints } = await call<{ datapoints: DatapointResource[] }>(
        project,
        'GET',
        '/api/datasets/d/datapoints',
      );
      expect(datapoints.map((one) => [one.id, (one.kind as { Generic: { input: string } }).Generic.input])).toEqual([
        [id, 'more'],
        ['p', 'p'],
      ]);
    });

    it('reports what it makes, once, and lets no capture rule take a span that ended elsewhere', async () => {
      const { call, events } = server();
      const project = server().project();
      const { id } = await call<DatasetResource>(project, 'POST', '/api/datasets', { name: 'captured' });
      await call(project, 'POST', `/api/datasets/${id}/capture-rules`, { name: 'all', filters: {} });
      const reported = () => events.filter(({ projectId }) => projectId === project).map(({ event }) => event.type);
      const before = reported().length;
      await server().restore(project, JSON.stringify(whole));
      expect(reported().slice(before)).toEqual([
        'trace_created',
        ...['span_created', 'span_completed', 'span_created', 'span_completed'],
        ...['dataset_created', 'datapoint_created'],
      ]);
      await call(project, 'POST', '/api/spans', { id: 'live', trace_id: 't', name: 'live' });
      await call(project, 'POST', '/api/spans/live/complete', {});
      const captured = () =>
        call<{ datapoints: DatapointResource[] }>(project, 'GET', `/api/datasets/${id}/datapoints`);
      await until(async () => (await captured()).datapoints.length > 0);
      expect((await captured()).datapoints.map(({ source_span_id: source }) => source)).toEqual(['live']);
    });

    it('leaves out, and lists, what the instance has no place for', async () => {
      const project = server().project();
      await server().restore(project, JSON.stringify(whole));
      const file = {
        version: 1,
        traces: [trace('u')],
        spans: [span('a', { trace_id: 'u' }), span('c', { trace_id: 'nowhere' }), span('d')],
        datapoints: [datapoint('q', { dataset_id: 'nowhere' }), datapoint('r')],
      };
      const { status, body } = await server().import(project, JSON.stringify(file));
      expect([status, body.imported, body.rejected_count]).toEqual([
        200,
        { ...NONE, traces: 1, spans: 1, datapoints: 1 },
        3,
      ]);
      expect(body.rejected).toEqual([
        { collection: 'spans', index: 0, code: 'id_conflict', message: expect.any(String) },
        { collection: 'spans', index: 1, code: 'trace_not_found', message: expect.any(String) },
        { collection: 'datapoints', index: 0, code: 'dataset_not_found', message: expect.any(String) },
      ]);
    });

    it('of many batches raises the version of a dataset once', async () => {
      const { call } = server();
      const project = server().project();
      const datapoints = Array.from({ length: 1_000 }, (_, n) => datapoint(`p${n}`));
      await server().restore(project, JSON.stringify({ version: 1, datasets: [dataset('d')], datapoints }));
      const set = await call<DatasetResource>(project, 'GET', '/api/datasets/d');
      expect(set).toMatchObject({ version: 4, datapoint_count: 1_000, updated_at: END });
      const changed = datapoints.map((one) => ({ ...one, kind: { Generic: { input: 'changed' } } }));
      await server().restore(project, JSON.stringify({ version: 1, datapoints: changed }));
      expect(await call(project, 'GET', '/api/datasets/d')).toMatchObject({ version: 5, datapoint_count: 1_000 });
    });

    it('leaves snapshots that are taken on the way as they are', async () => {
      const { app, storage } = server();
      const [restore, snapshots] = [app.get(RestoreDatasets), app.get(DatasetSnapshots)];
      const scope = scopeOfProject(server().project());
      let edition = 0;
      const items = (...ids: string[]) => {
        const kind = { Generic: { input: ++edition } };
        return ids.map((id) => restoredDatapointSchema.parse(datapoint(id, { kind })));
      };
      await restore.restoreDatasets(scope, [restoredDatasetSchema.parse(dataset('d', { version: 9 }))]);
      const first = await restore.restoreDatapoints(scope, items('a', 'b'), undefined);
      expect(first).toEqual({ rejected: [], open: { datasetId: 'd', version: 9 } });
      const joined = await restore.restoreDatapoints(scope, items('c'), first.open);
      expect(joined.open).toEqual(first.open);
      const taken = await storage.write((tx) => snapshots.take(tx, scope, 'd'));
      expect(taken).toEqual({ version: 9, count: 3 });
      const seen = () => snapshots.after(scope, { datasetId: 'd', version: 9 }, '', 10);
      const before = await seen();
      const raised = await restore.restoreDatapoints(scope, items('a', '0'), joined.open);
      expect(raised.open).toEqual({ datasetId: 'd', version: 10 });
      expect(await seen()).toEqual(before);
      expect((await restore.restoreDatapoints(scope, items('e'), first.open)).open?.version).toBe(11);
    });

    it('whose client leaves halfway imports nothing; the next one does', async () => {
      const project = server().project();
      const { hostname, port } = new URL(server().url);
      const head =
        `POST /api/import/json HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Test-Project: ${project}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n';
      const held = await holdSockets(server().url, 3, `${head}${JSON.stringify(whole)}`);
      held.close();
      const controller = new AbortController();
      const gone = importJson(server().url, new ReadableStream({ pull: () => new Promise(() => undefined) }), {
        headers: { 'x-test-project': project },
        signal: controller.signal,
      }).catch(() => 'gone');
      setTimeout(() => controller.abort(), 100);
      expect(await gone).toBe('gone');
      expect(await isEmpty(project)).toBe(true);
      expect(await server().restore(project, JSON.stringify(whole))).toEqual(counts(1, 2, 1, 1));
    });

    it('of one project is seen by no other', async () => {
      const [mine, other] = [server().project(), server().project()];
      await server().restore(other, JSON.stringify(whole));
      const before = undated(await server().export(other));
      const changed = {
        ...whole,
        traces: [trace('t', { name: 'mine' })],
        datapoints: [datapoint('p', { kind: { Generic: { input: 9 } } })],
      };
      await server().restore(mine, JSON.stringify(changed));
      await server().call(mine, 'DELETE', '/api/traces');
      expect(undated(await server().export(other))).toBe(before);
    });
  });
}
