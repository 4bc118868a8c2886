import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  listSpansSchema,
  type SpanOutline,
  type SpanResource,
  type TraceListItem,
  type TracesOverTime,
} from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { SpanListStore } from '../../libs/tracing/src/listing/span-list.store.js';
import { TraceListStore } from '../../libs/tracing/src/listing/trace-list.store.js';
import { outlineOf } from '../support/outline-of.ts';
import { repetitions } from '../support/repetitions.ts';
import { filters, matches, SORTS } from './listing.js';
import { sampleTraces, samples, SAMPLE_COUNT, span } from './samples.js';
import type { TracingApp } from './tracing-app.js';

const MEGABYTE = 1_048_576;
const text = (length: number): string => 'é'.repeat(length);
const user = (content: unknown) => ({ role: 'user', content });
const CUSTOM = { type: 'custom', kind: 'chain' };

/** A call of a model. */
const said = (question: string, answer: string) => ({
  ...{ kind: { type: 'llm_call', model: 'm' }, input: [user(question)], output: { text: answer } },
});

/** Spans whose texts, kinds and errors are large, and calls of models that are previewed. */
const SPECIAL = [
  { id: 'big-input', kind: { type: 'llm_call', model: 'm' }, input: [user(text(MEGABYTE))], output: { text: 'ok' } },
  { id: 'big-kind', kind: { type: 'tool_call', attributes: { a: text(20_000) }, note: text(20_000) } },
  { id: 'big-error', error: text(20_000), status: 'failed' },
  {
    id: 'call',
    kind: { type: 'llm_call', model: 'm' },
    input: [user('first'), user([{ text: '😀b' }])],
    output: { text: 'yes' },
  },
  { id: 'late', kind: { type: 'llm_call', model: 'm' }, input: [user('the last one')], output: { text: 'done' } },
].map((one, index) => ({
  trace_id: 'special',
  name: one.id,
  metadata: { mine: 1, duration_ms: 'mine' },
  started_at: new Date(Date.parse('2026-05-03T00:00:00Z') + index).toISOString(),
  ended_at: '2026-05-03T00:00:01.000Z',
  ...one,
}));

/** Outlines are the spans without their texts, on both databases, however they are found. */
export function outlines(app: () => TracingApp): void {
  describe('without texts', () => {
    const all = samples(SAMPLE_COUNT);

    beforeAll(async () => {
      await app().delete('/api/traces');
      const traces = [...sampleTraces, { id: 'special', started_at: '2026-05-03T00:00:00Z' }];
      const { body } = await app().post('/api/ingest', { traces, spans: [...all.map(span), ...SPECIAL] });
      expect(body.rejected).toEqual([]);
      await app().analyze();
    });

    describe('outlines', () => {
      const outlined = async (query: string): Promise<SpanOutline[]> =>
        (await app().get(`/api/spans?${query}`)).body.spans as unknown as SpanOutline[];
      const one = async (id: string, preview = 0): Promise<SpanOutline> =>
        (await outlined(`ids=${id}&view=outline&preview=${preview}`))[0]!;

      it('are the spans of the list, in its order, page by page', async () => {
        for (const sort of SORTS) {
          const query = `/api/spans?sort_by=${sort}`;
          const spans = await app().pages<SpanResource>(query, 'spans', 1_000);
          const shown = await app().pages<SpanOutline>(`${query}&view=outline`, 'spans', 150);
          expect(shown).toEqual(spans.map(outlineOf));
        }
      });

      it('are those of a trace in start order, of any size', async () => {
        for (const id of ['sample-0', 'special']) {
          const whole = (await app().get(`/api/traces/${id}`)).body;
          const { trace, spans, count } = (await app().get(`/api/traces/${id}?view=outline`)).body;
          expect({ trace, spans, count }).toEqual({ ...whole, spans: whole.spans.map(outlineOf) });
        }
      });

      it('are found by text without it', async () => {
        const found = await outlined('text_contains=hello&view=outline&limit=1000');
        const whole = (await app().get('/api/spans?text_contains=hello&limit=1000')).body.spans;
        expect(found.length).toBeGreaterThan(10);
        expect(found).toEqual(whole.map(outlineOf));
      });

      it('have previews of what a person would read', async () => {
        expect(await one('call', 2_000)).toMatchObject({ input_preview: '😀b', output_preview: 'yes' });
        expect(await one('call', 1)).toMatchObject({ input_preview: '😀', output_preview: 'y' });
        expect(await one('call')).toMatchObject({ input_preview: null, output_preview: null });
        expect(await one('big-kind', 9)).toMatchObject({ input_preview: null, output_preview: null });
        const big = await one('big-input', 20);
        expect(big).toMatchObject({ input_preview: '[{"role":"user","con', output_preview: 'ok' });
        expect(big.input_bytes).toBe(Buffer.byteLength(JSON.stringify([user(text(MEGABYTE))])));
      });

      it('have the metadata of the caller where it is asked for', async () => {
        const query = 'ids=call&view=outline&include=scores';
        const [[plain], [asked]] = [await outlined(query), await outlined(`${query}&include=metadata`)];
        expect(plain!.metadata).not.toHaveProperty('mine');
        expect(asked).toEqual({ ...plain, metadata: { mine: 1, ...plain!.metadata } });
        expect((await app().get('/api/spans?include=texts')).status).toBe(400);
      });

      it('preview alike whether they are found by text or without', async () => {
        const query = 'view=outline&preview=40&limit=1000';
        const byText = await outlined(`${query}&text_contains=hello`);
        const byId = new Map((await outlined(query)).map((span) => [span.id, span]));
        expect(byText).toEqual(byText.map(({ id }) => byId.get(id)));
        expect(byText.some(({ input_preview: preview }) => preview !== null)).toBe(true);
      });

      it('leave out what is not there, and take at most 200 ids', async () => {
        const ids = (await outlined('ids=call&ids=nothing&ids=late&view=outline')).map(({ id }) => id);
        expect(ids).toEqual(['late', 'call']);
        const { body } = await app().get('/api/traces?ids=special&ids=none%00');
        expect(body.traces.map(({ id }) => id)).toEqual(['special']);
        const many = Array.from({ length: 201 }, (_, n) => `ids=${n}`).join('&');
        for (const list of ['traces', 'spans']) {
          expect((await app().get(`/api/${list}?${many.replace('ids=0&', '')}`)).status).toBe(200);
          expect((await app().get(`/api/${list}?${many}`)).status).toBe(400);
        }
      });

      it.each(['preview=2001', 'preview=-1', 'preview=1.5', 'preview=', 'view=short'])('refuse %s', async (query) => {
        for (const path of ['/api/spans', '/api/traces/special']) {
          expect((await app().get(`${path}?${query}`)).body).toMatchObject({ status: 400, code: 'validation_failed' });
        }
      });
    });

    describe('previews of traces', () => {
      const traceOf = async (path: string): Promise<TraceListItem | undefined> =>
        (await app().get(path)).body.traces.find(({ id }) => id === 'special');

      it('are the question of the first call of a model and the answer of the last', async () => {
        const previewed = { input_preview: '[{"ro', output_preview: 'done', answer_span_id: 'late' };
        expect(await traceOf('/api/traces?preview=5')).toMatchObject(previewed);
        await app().patch('/api/traces/special', { session_id: 'previewed' });
        expect(await traceOf('/api/sessions/previewed?preview=5')).toMatchObject(previewed);
      });

      it.each<[string, Partial<SpanResource>[], { question: string; answer: string; call: string | null }]>([
        [
          'LangGraph, by the messages of its root',
          [
            {
              ...{ id: 'root', name: 'LangGraph', kind: { type: 'custom', kind: 'chain' } },
              input: { messages: [{ type: 'human', content: 'Q?' }] },
              output: {
                messages: [
                  { type: 'human', content: 'Q?' },
                  { type: 'ai', content: 'A.' },
                ],
              },
            },
            { ...{ id: 'call', parent_id: 'root', name: 'ChatOpenAI' }, ...said('rewritten', 'Draft') },
            { ...{ id: 'judge', parent_id: 'root', name: 'answer_grader' }, ...said('Is A. good?', '{"score": 1}') },
          ],
          { question: 'Q?', answer: 'A.', call: 'call' },
        ],
        [
          'the OpenAI Agents SDK, whose root has no texts',
          [
            { id: 'root', name: 'Agent workflow', kind: { type: 'custom', kind: 'agent' } },
            { ...{ id: 'first', parent_id: 'root', name: 'response' }, ...said('Q?', '') },
            { ...{ id: 'call', parent_id: 'root', name: 'response' }, ...said('Q?', 'A.') },
            { id: 'guard', parent_id: 'root', name: 'PII', kind: { type: 'custom', kind: 'guardrail' } },
            { ...{ id: 'checked', parent_id: 'guard', name: 'response' }, ...said('A.', 'safe') },
          ],
          { question: 'Q?', answer: 'A.', call: 'call' },
        ],
        [
          'a pipeline that has its question in JSON of its own',
          [
            { ...{ id: 'root', name: 'rag' }, kind: CUSTOM, input: { city: 'Oslo' }, output: 'A.' },
            { ...{ id: 'call', parent_id: 'root', name: 'chat' }, ...said('Q?', 'Other') },
          ],
          { question: 'Q?', answer: 'A.', call: 'call' },
        ],
        [
          'calls that nothing holds together, behind which a tool was used',
          [
            { ...{ id: 'call', name: 'chat' }, ...said('Q?', 'A.') },
            { id: 'tool', name: 'store', kind: { type: 'tool_call' }, input: 'A.', output: 'stored' },
          ],
          { question: 'Q?', answer: 'A.', call: 'call' },
        ],
        [
          'an agent that reports no calls',
          [{ ...{ id: 'root', name: 'agent' }, kind: CUSTOM, input: 'Q?', output: 'A.' }],
          { question: 'Q?', answer: 'A.', call: null },
        ],
      ])('are what the user read of %s', async (_framework, given, { question, answer, call }) => {
        const spans = given.map((members, n) => ({
          ...members,
          ...{
            id: `talk-${members.id}`,
            trace_id: 'talk',
            parent_id: members.parent_id && `talk-${members.parent_id}`,
          },
          ...{ started_at: `2026-05-03T00:00:0${n}Z`, ended_at: `2026-05-03T00:00:0${n + 1}Z` },
        }));
        const { body } = await app().post('/api/ingest', { traces: [{ id: 'talk' }], spans });
        expect(body.rejected).toEqual([]);
        const { traces } = (await app().get('/api/traces?ids=talk&preview=100')).body;
        expect(traces).toMatchObject([
          { input_preview: question, output_preview: answer, answer_span_id: call && `talk-${call}` },
        ]);
        await app().delete('/api/traces/talk');
      });

      it('are null without such a call, and absent without preview', async () => {
        await app().post('/api/traces', { id: 'quiet', session_id: 'previewed' });
        const { body } = await app().get('/api/sessions/previewed?preview=5');
        expect(body.traces.find(({ id }) => id === 'quiet')).toMatchObject({
          input_preview: null,
          output_preview: null,
          answer_span_id: null,
        });
        expect(await traceOf('/api/traces')).not.toHaveProperty('input_preview');
        expect((await app().get('/api/traces?preview=x')).status).toBe(400);
        await app().delete('/api/traces/quiet');
      });
    });

    describe('counts', () => {
      const overTime = async (query: string): Promise<TracesOverTime> =>
        (await app().get(`/api/count/traces/over-time?${query}`)).body as unknown as TracesOverTime;
      const counted = async (path: string): Promise<unknown> => (await app().get(`/api/count/${path}`)).body;

      it('of spans are what the list has, whatever the filters', async () => {
        await fc.assert(
          fc.asyncProperty(filters, fc.constantFrom({}, { text_contains: 'hello' }), async (filter, text) => {
            const found = all.filter((sample) => matches(sample, filter));
            const query = new URLSearchParams({ ...(filter as Record<string, string>), ...text }).toString();
            const ids = new Set((await app().get(`/api/spans?${query}&limit=1000`)).body.spans.map(({ id }) => id));
            const ofOthers = SPECIAL.filter(({ id }) => ids.has(id)).length;
            if (!('text_contains' in text)) expect(ids.size - ofOthers).toBe(found.length);
            expect(await counted(`spans?${query}`)).toEqual({ count: ids.size, exact: true });
          }),
          { numRuns: repetitions(40) },
        );
      });

      it.each([
        '',
        'tag=even',
        'status=failed',
        'session_id=s0&tag=even',
        'user_id=u1',
        'name_contains=x',
        'ids=sample-1',
      ])('of traces are what the list has (%s)', async (query) => {
        const { traces } = (await app().get(`/api/traces?${query}&limit=1000`)).body;
        expect(await counted(`traces?${query}`)).toEqual({ count: traces.length, exact: true });
      });

      it.each(['', 'tag=even', 'status=failed', 'user_id=u1', 'ids=sample-1', 'name_contains=nothing-like-it'])(
        'of traces over time are the list by start and status (%s)',
        async (query) => {
          const { traces } = (await app().get(`/api/traces?${query}&limit=1000`)).body;
          const { buckets, ...count } = await overTime(query);
          expect(count).toEqual({ count: traces.length, exact: true });
          expect(buckets.length > 0).toBe(traces.length > 0);
          for (const { since, until, ...counts } of buckets) {
            const within = traces.filter(({ started_at: at }) => since <= at && at < until);
            const of = (status: string): number => within.filter((trace) => trace.status === status).length;
            expect(counts).toEqual({ running: of('running'), completed: of('completed'), failed: of('failed') });
          }
          const total = buckets.reduce((sum, { running, completed, failed }) => sum + running + completed + failed, 0);
          expect(total).toBe(traces.length);
        },
      );

      it('of traces over time reach over the range that was asked for', async () => {
        const [trace] = (await app().get('/api/traces?limit=1')).body.traces;
        const since = new Date(Date.parse(trace!.started_at) - 86_400_000).toISOString();
        const { buckets } = await overTime(`since=${since}`);
        expect(buckets[0]!.since <= since && since < buckets[0]!.until).toBe(true);
        expect(buckets.at(-1)!.until > trace!.started_at).toBe(true);
        for (const [at, { since: begin }] of buckets.slice(1).entries()) expect(begin).toBe(buckets[at]!.until);
      });

      it('stop at one more than asked for, however the list is found', async () => {
        const spans = app().provided(SpanListStore);
        for (const query of [
          {},
          { text_contains: 'e' },
          { name_contains: 'a' },
          { duration_min: '1' },
          { tag: 'even' },
        ]) {
          const { sort_by: _by, sort_order: _order, limit: _limit, ...filter } = listSpansSchema.parse(query);
          expect([query, await spans.count(LOCAL_SCOPE, filter, 5)]).toEqual([query, 6]);
        }
        expect(await app().provided(TraceListStore).count(LOCAL_SCOPE, {}, 3)).toBe(4);
      });

      it('stop at 10,000, and then say so', async () => {
        const crowd = Array.from({ length: 10_001 }, (_, n) => ({ id: `crowd-${n}`, trace_id: 'crowd', name: 'c' }));
        await app().post('/api/traces', { id: 'crowd' });
        for (const spans of [crowd.slice(0, 5_000), crowd.slice(5_000, 10_000)])
          await app().post('/api/ingest', { spans });
        expect(await counted('spans?trace_id=crowd')).toEqual({ count: 10_000, exact: true });
        await app().post('/api/ingest', { spans: crowd.slice(10_000) });
        expect(await counted('spans?trace_id=crowd')).toEqual({ count: 10_000, exact: false });
        await app().delete('/api/traces/crowd');
      });

      it('know no page, and no order', async () => {
        for (const query of ['limit=1', 'cursor=x', 'sort_by=cost', 'view=outline']) {
          expect((await app().get(`/api/count/spans?${query}`)).status).toBe(400);
        }
      });
    });
  });
}
