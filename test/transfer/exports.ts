import { describe, expect, it } from '@jest/globals';
import { EXPORT_COLLECTIONS, TRACE_EXPORT_COLLECTIONS, type DatasetResource, type Problem } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import { NONE } from './items.ts';
import { undated, type TransferServer } from './transfer-server.ts';

interface ExportFile {
  traces: { id: string }[];
  spans: { id: string; trace_id: string; started_at: string }[];
  datasets: { id: string }[];
  datapoints: unknown[];
}

/** @param all whether what a database has no part in is shown as well. */
export function exports(server: () => TransferServer, all: boolean): void {
  const parsed = async (project: string, query?: string) =>
    JSON.parse(await server().export(project, query)) as ExportFile;

  describe('an export', () => {
    it('is a file to be saved, the same twice but for its time, an item a line', async () => {
      const project = server().project();
      const answer = await fetch(`${server().url}/api/export/json`, { headers: { 'x-test-project': project } });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toMatch(
        /^attachment; filename="spandrel-export-\d{4}-\d\d-\d\d\.json"$/,
      );
      expect(undated(await answer.text())).toBe(
        `{"version":1,,\n${EXPORT_COLLECTIONS.map((name) => `"${name}":[]`).join(',\n')}}\n`,
      );
      const traces = Array.from({ length: 600 }, (_, n) => ({ id: `t${n}` }));
      const spans = traces.map(({ id }, n) => ({ id: `s${n}`, trace_id: id, name: 'x\ny' }));
      await server().call(project, 'POST', '/api/ingest', { traces, spans });
      const file = await server().export(project);
      expect(undated(await server().export(project))).toBe(undated(file));
      expect(file.split('\n')).toHaveLength(1 + 602 + 602 + (EXPORT_COLLECTIONS.length - 2) + 1);
      const { traces: shown, spans: shownSpans } = JSON.parse(file) as ExportFile;
      expect(shown.map(({ id }) => id)).toEqual(traces.map(({ id }) => id).toSorted());
      expect(shownSpans.map(({ id }) => id)).toEqual(spans.map(({ id }) => id).toSorted());
    });

    it('of one trace has it, its spans in start order and nothing else', async () => {
      const project = server().project();
      const spans = Array.from({ length: 600 }, (_, n) => ({
        ...{ id: `s${n}`, trace_id: n % 2 === 0 ? 't' : 'u', name: 's' },
        started_at: new Date(Date.UTC(2026, 0, 1) - n).toISOString(),
      }));
      await server().call(project, 'POST', '/api/ingest', { traces: [{ id: 't' }, { id: 'u' }], spans });
      await server().call<DatasetResource>(project, 'POST', '/api/datasets', { name: 'd' });
      const file = await parsed(project, 'trace_id=t');
      expect(Object.keys(file)).toEqual(['version', 'exported_at', ...TRACE_EXPORT_COLLECTIONS]);
      expect(file).toMatchObject({ traces: [{ id: 't' }], datasets: [], datapoints: [] });
      const expected = spans.filter(({ trace_id: id }) => id === 't').toReversed();
      expect(file.spans.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      const to = server().project();
      expect((await server().restore(to, JSON.stringify(file))).imported).toEqual({
        ...{ ...NONE, traces: 1, spans: 300 },
      });
    });

    it('of a trace that is not there is 404, one of another project too', async () => {
      const [mine, other] = [server().project(), server().project()];
      await server().call(other, 'POST', '/api/traces', { id: 'theirs' });
      for (const id of ['nope', 'theirs', '', '%00', '%F0%9F']) {
        const { status, body } = await server().api.send<Problem>('GET', `/api/export/json?trace_id=${id}`, undefined, {
          'x-test-project': mine,
        });
        expect([id, status, body.code]).toEqual([id, 404, 'trace_not_found']);
      }
    });

    it('has connections without their keys, and nothing of other projects', async () => {
      const [mine, other] = [server().project(), server().project()];
      const key = 'sk-canary-0123456789abcdef';
      const connection = { name: 'c', provider: 'openai', api_key: key };
      await server().call(mine, 'POST', '/api/provider-connections', connection);
      await server().call(other, 'POST', '/api/traces', { id: 'theirs' });
      const { id } = await server().call<DatasetResource>(other, 'POST', '/api/datasets', { name: 'theirs' });
      await server().call(other, 'POST', `/api/datasets/${id}/datapoints`, { kind: { Generic: { input: 1 } } });
      const file = await server().export(mine);
      expect(file).not.toContain(key);
      const whole = JSON.parse(file) as Record<string, unknown>;
      expect(whole['connections']).toEqual([
        {
          ...{ id: expect.any(String), name: 'c', provider: 'openai', base_url: null, default_model: null },
          ...{ created_at: expect.any(String), updated_at: expect.any(String) },
        },
      ]);
      const others = EXPORT_COLLECTIONS.filter((name) => name !== 'connections');
      expect(others.map((name) => whole[name])).toEqual(others.map(() => []));
    });

    it('made while others write is taken back, every item that was there throughout in it', async () => {
      const project = server().project();
      const { call } = server();
      const there = Array.from({ length: 1_000 }, (_, n) => ({ id: `s${n}`, trace_id: 't', name: 'there' }));
      await call(project, 'POST', '/api/ingest', { traces: [{ id: 't' }], spans: there });
      let writing = true;
      const writer = (async () => {
        while (writing) {
          const { id } = await call<{ id: string }>(project, 'POST', '/api/traces', { name: 'new' });
          await call(project, 'POST', '/api/spans', { trace_id: id, name: 'new' });
          await call(project, 'POST', '/api/spans', { trace_id: 't', name: 'new' });
        }
      })();
      try {
        for (let round = 0; round < 2; round++) {
          const file = await server().export(project);
          const ids = new Set((JSON.parse(file) as ExportFile).spans.map(({ id }) => id));
          expect(there.filter(({ id }) => !ids.has(id))).toEqual([]);
          await server().restore(server().project(), file);
        }
      } finally {
        writing = false;
        await writer;
      }
    });

    const whoseClientLeaves = async (): Promise<void> => {
      const project = server().project();
      const input = 'x'.repeat(100_000);
      const spans = Array.from({ length: 64 }, (_, n) => ({ id: `s${n}`, trace_id: 't', name: 's', input }));
      for (let part = 0; part < 4; part++) {
        const some = spans.map((one) => ({ ...one, id: `${part}-${one.id}` }));
        await server().call(project, 'POST', '/api/ingest', { traces: [{ id: 't' }], spans: some });
      }
      const { storage } = server();
      let reads = 0;
      const readLong = storage.readLong.bind(storage);
      storage.readLong = (...args) => (reads++, readLong(...args)) as never;
      try {
        const leaving = new AbortController();
        const answer = await fetch(`${server().url}/api/export/json`, {
          headers: { 'x-test-project': project },
          signal: leaving.signal,
        });
        await answer.body!.getReader().read();
        leaving.abort();
        let before = -1;
        await until(async () => {
          const still = reads === before;
          before = reads;
          await new Promise((resolve) => setTimeout(resolve, 200));
          return still;
        });
        const whole = reads;
        await server().export(project);
        expect(reads - whole).toBeGreaterThan(whole);
      } finally {
        storage.readLong = readLong;
      }
    };
    if (all) it('whose client leaves ends', whoseClientLeaves);
  });
}
