import { describe, expect, it } from '@jest/globals';
import type { CapturePreview, Problem } from '@spandrel/contract';
import type { DatasetsServer } from './datasets-server.ts';

const COUNT = 1_010;
const at = (i: number): string => new Date(Date.UTC(2026, 5, 1) + i * 1_000).toISOString();

/** What a capture rule would take, on both databases (docs/spec/capture-rules.md#preview-of-a-rule). */
export function capturePreview(server: () => DatasetsServer): void {
  describe('the preview of a capture rule', () => {
    let projects = 0;
    /** A project of its own with a dataset, whose newest spans nobody else writes. */
    const project = async () => {
      const headers = { 'x-test-project': `preview-${++projects}` };
      const send = <Body>(method: string, path: string, body?: unknown) =>
        server().api.send<Body>(method, path, body, headers);
      const { body } = await send<{ id: string }>('POST', '/api/datasets', { name: 'previewed' });
      const path = `/api/datasets/${body.id}`;
      return {
        send,
        path,
        preview: async (sent: object) => send<CapturePreview>('POST', `${path}/capture-rules/preview`, sent),
        ingest: async (sent: { traces: object[]; spans: object[] }) => {
          const answer = await send<{ rejected: unknown[] }>('POST', '/api/ingest', sent);
          expect(answer.body.rejected).toEqual([]);
        },
      };
    };

    it('counts the newest finished spans and shows the first of those that match', async () => {
      const { preview, ingest, send, path } = await project();
      const spans = Array.from({ length: COUNT }, (_, i) => ({
        id: `s${i}`,
        trace_id: i % 10 === 0 ? 'tagged' : 'plain',
        name: `step ${i % 4}`,
        kind: { type: 'llm_call', model: i % 2 === 0 ? 'even' : 'odd', cost: i / 1_000 },
        input: 'in',
        started_at: at(i),
        ...(i < COUNT - 5 && { ended_at: at(i + 1) }),
      }));
      await ingest({ traces: [{ id: 'plain' }, { id: 'tagged', tags: ['vip'] }], spans });
      const finished = spans.slice(0, COUNT - 5).toReversed();
      const scanned = finished.slice(0, 1_000);
      const whole = await preview({});
      expect(whole.status).toBe(200);
      expect(whole.body).toMatchObject({
        scanned: 1_000,
        matched: 1_000,
        would_capture: 1_000,
        since: scanned.at(-1)!.started_at,
        complete: false,
      });
      expect(whole.body.spans.map(({ id }) => id)).toEqual(scanned.slice(0, 20).map(({ id }) => id));
      expect(whole.body.spans[0]).toMatchObject({ input_bytes: 4, input_preview: null });
      expect(whole.body.spans[0]).not.toHaveProperty('input');
      type Sent = (typeof spans)[number];
      for (const [filters, takes] of [
        [{ model: 'even' }, ({ kind }: Sent) => kind.model === 'even'],
        [{ tag: 'vip' }, (span: Sent) => span.trace_id === 'tagged'],
        [{ tag: 'vip', name_contains: 'STEP 2' }, (s: Sent) => s.trace_id === 'tagged' && s.name === 'step 2'],
        [{ min_cost: 0.9 }, ({ kind }: Sent) => kind.cost >= 0.9],
        [{ status: 'failed' }, () => false],
      ] as const) {
        const matching = scanned.filter(takes);
        const { body } = await preview({ filters, sample_rate: 0.3 });
        expect([filters, body]).toMatchObject([
          filters,
          { scanned: 1_000, matched: matching.length, would_capture: Math.round(matching.length * 0.3) },
        ]);
        expect(body.spans.map(({ id }) => id)).toEqual(matching.slice(0, 20).map(({ id }) => id));
      }
      const { body: rules } = await send<{ count: number }>('GET', `${path}/capture-rules`);
      const { body: dataset } = await send('GET', path);
      expect([rules.count, dataset]).toMatchObject([0, { version: 0, datapoint_count: 0 }]);
    });

    it('leaves calls of eval runs to those who ask for them', async () => {
      const { preview, ingest } = await project();
      const traces = [{ id: 'run', tags: ['eval'] }, { id: 'demo', tags: ['spandrel-demo'] }, { id: 'mine' }];
      const spans = traces.map(({ id }, i) => ({
        id: `of-${id}`,
        trace_id: id,
        name: 's',
        started_at: at(i),
        ended_at: at(i),
      }));
      await ingest({ traces, spans });
      const ids = async (filters: object) => (await preview({ filters })).body.spans.map(({ id }) => id);
      expect(await ids({})).toEqual(['of-mine']);
      expect(await ids({ tag: 'eval' })).toEqual(['of-run']);
      expect((await preview({ filters: null, sample_rate: 0 })).body).toMatchObject({
        scanned: 3,
        matched: 1,
        would_capture: 0,
        since: at(0),
        complete: true,
      });
    });

    it('says that there is nothing, and refuses what is no rule', async () => {
      const { preview, path } = await project();
      expect((await preview({ filters: {} })).body).toEqual({
        ...{ scanned: 0, matched: 0, would_capture: 0, since: null, complete: true, spans: [] },
      });
      for (const body of [{ filters: { colour: 'red' } }, { sample_rate: 2 }, { filters: { status: 'running' } }]) {
        expect((await preview(body)) as unknown).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      }
      const elsewhere = await server().api.post<Problem>(`${path}/capture-rules/preview`, {});
      expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'dataset_not_found']);
    });
  });
}
