import { describe, expect, it } from '@jest/globals';
import type { TracingApp } from './tracing-app.js';

export function spanRules(app: () => TracingApp): void {
  const newTrace = async (): Promise<string> => (await app().post('/api/traces', {})).body.id;
  const newSpan = async (body: object = {}): Promise<string> =>
    (await app().post('/api/spans', { trace_id: await newTrace(), name: 's', ...body })).body.id;

  describe('spans', () => {
    it('start to run', async () => {
      const traceId = await newTrace();
      const created = await app().post('/api/spans', { trace_id: traceId, name: 's', parent_id: 'not-here-yet' });
      expect([created.status, created.body]).toEqual([201, { id: expect.any(String), trace_id: traceId }]);
      expect((await app().get(`/api/spans/${created.body.id}`)).body).toEqual({
        id: created.body.id,
        trace_id: traceId,
        parent_id: 'not-here-yet',
        name: 's',
        kind: { type: 'custom', kind: 'custom', attributes: {} },
        input: null,
        output: null,
        status: 'running',
        error: null,
        started_at: expect.any(String),
        ended_at: null,
        metadata: {},
      });
    });

    it('need a trace that exists', async () => {
      for (const traceId of ['nowhere', 'nul\0']) {
        const { status, body } = await app().post('/api/spans', { trace_id: traceId, name: 's' });
        expect([status, body.code]).toEqual([404, 'trace_not_found']);
      }
    });

    it('are made once per client-chosen id', async () => {
      const body = { id: 'span-replayed', trace_id: await newTrace(), name: 's', input: { __proto__: null, a: 1 } };
      const first = await app().post('/api/spans', body);
      await app().post('/api/spans/span-replayed/complete', {});
      expect(await app().post('/api/spans', body)).toEqual(first);
      const other = await app().post('/api/spans', { ...body, input: 2 });
      expect([other.status, other.body.code]).toEqual([409, 'id_conflict']);
    });

    it('complete once, with cost from the price table', async () => {
      const id = await newSpan({ kind: { type: 'llm_call', model: 'gpt-4o' }, metadata: { mine: 1, cost: 'mine' } });
      expect((await app().get(`/api/spans/${id}`)).body.kind).toEqual({
        type: 'llm_call',
        model: 'gpt-4o',
        provider: null,
        input_tokens: null,
        output_tokens: null,
        cost: null,
      });
      const kind = {
        type: 'llm_call',
        model: 'gpt-4o',
        input_tokens: 1000,
        cached_input_tokens: 400,
        output_tokens: 10,
      };
      const done = await app().post(`/api/spans/${id}/complete`, {
        kind,
        output: { text: 'x' },
        metadata: { more: 2 },
      });
      const cost = (600 * 2.5 + 400 * 1.25 + 10 * 10) / 1e6;
      expect(done.status).toBe(200);
      expect(done.body).toMatchObject({
        status: 'completed',
        kind: { ...kind, provider: null, cost },
        output: { text: 'x' },
      });
      expect(done.body.metadata).toEqual({
        mine: 1,
        more: 2,
        duration_ms: expect.any(Number),
        total_tokens: 1010,
        cost,
        cost_source: 'table',
      });
      expect((await app().get(`/api/spans/${id}`)).body).toEqual(done.body);
      for (const action of ['complete', 'fail']) {
        const again = await app().post(`/api/spans/${id}/${action}`, { error: 'e' });
        expect([again.status, again.body.code]).toEqual([409, 'span_already_finished']);
      }
    });

    it.each([
      [{ cost: 0.5 }, 0.5],
      [{ cost: null }, 0.0025],
      [{ model: 'no-such-model' }, null],
      [{ model: 'GPT-4O' }, null],
      [{ input_tokens: null }, null],
      [{ input_tokens: null, output_tokens: 7 }, 0.00007],
      [{ type: 'embedding' }, 0.0025],
      [{ type: 'retrieval' }, null],
    ])('cost what %j makes of it', async (members, cost) => {
      const id = await newSpan();
      const kind = { type: 'llm_call', model: 'gpt-4o', input_tokens: 1000, ...members };
      const { body } = await app().post(`/api/spans/${id}/complete`, { kind });
      expect(body.metadata.cost).toBe(cost);
      expect(body.kind.cost ?? null).toBe(cost);
    });

    it('fail with a message of any text', async () => {
      const id = await newSpan();
      const { body } = await app().post(`/api/spans/${id}/fail`, '{"error":"a\\u0000b\\ud800", "output": [1]}');
      expect(body).toMatchObject({ status: { failed: { error: 'a\0b\ud800' } }, error: 'a\0b\ud800', output: [1] });
      expect((await app().get(`/api/spans/${id}`)).body).toEqual(body);
    });

    it('cannot end before they start', async () => {
      const id = await newSpan({ started_at: '2026-03-01T00:00:01Z' });
      const { status, body } = await app().post(`/api/spans/${id}/complete`, { ended_at: '2026-03-01T00:00:00.999Z' });
      expect([status, body.code, body.errors[0]?.path]).toEqual([400, 'validation_failed', 'ended_at']);
      expect((await app().get(`/api/spans/${id}`)).body.status).toBe('running');
    });

    it('take an empty body for complete', async () => {
      const id = await newSpan();
      expect((await app().post(`/api/spans/${id}/complete`)).body.status).toBe('completed');
    });

    it('that are not there are 404', async () => {
      for (const id of ['nowhere', 'nul%00']) {
        expect((await app().get(`/api/spans/${id}`)).body.code).toBe('span_not_found');
        expect((await app().delete(`/api/spans/${id}`)).body.code).toBe('span_not_found');
        expect((await app().post(`/api/spans/${id}/complete`, {})).body.code).toBe('span_not_found');
        expect((await app().post(`/api/spans/${id}/fail`, { error: 'e' })).body.code).toBe('span_not_found');
      }
    });

    it('are deleted one by one', async () => {
      const id = await newSpan();
      expect((await app().delete(`/api/spans/${id}`)).body).toEqual({ id, deleted: true });
      expect((await app().get(`/api/spans/${id}`)).status).toBe(404);
    });

    it.each([
      ['NUL and lone surrogates', '{"a\\u0000":"\\u0000\\ud800x\\udfff"}'],
      ['any key name', '{"__proto__":{"x":1},"constructor":{"prototype":2},"":3}'],
      ['integers beyond 2^53', '[9007199254740993,123456789012345678901234567890,1.00000000000000000001,1e21]'],
      ['text of all planes', '"é😀\u2028\u2029 \\" \\\\ \\/ \\n \\u007f"'],
      ['null, false and zero', '[null,false,0,"",{}]'],
    ])('keep %s exactly', async (_what, text) => {
      const traceId = await newTrace();
      const exact = `{"trace_id":"${traceId}","name":"s","input":${text},"metadata":{"m":${text}},"kind":{"type":"custom","k":${text}}}`;
      const { id } = (await app().post('/api/spans', exact)).body;
      await app().post(`/api/spans/${id}/complete`, `{"output":${text}}`);
      const answer = (await app().get(`/api/spans/${id}`)).text;
      const once = /"input":(.*),"output":(.*),"status"/su.exec(answer)!;
      expect(once[2]).toBe(once[1]);
      expect(answer).toContain(`"k":${once[1]}`);
      expect(answer).toContain(`"m":${once[1]}`);
      expect(JSON.parse(once[1]!)).toEqual(JSON.parse(text));
      const digits = (json: string): string[] => json.match(/\d{16,}/g) ?? [];
      expect(digits(once[1]!)).toEqual(digits(text));
      expect(Object.keys(JSON.parse(once[1]!) ?? {})).toEqual(Object.keys(JSON.parse(text) ?? {}));
    });
  });
}
