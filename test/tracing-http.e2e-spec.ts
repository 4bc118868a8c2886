/** Traces, spans, sessions and ingest over HTTP, to the letter of docs/spec. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  IngestResult,
  Problem,
  SessionResource,
  SpanResource,
  TraceListItem,
  TraceResource,
} from '@spandrel/contract';
import { Api } from './support/api.ts';
import { cloudApp } from './support/cloud-app.ts';
import { showsAll } from './support/databases.ts';
import { createMigrated } from './support/migrated-database.ts';
import { startPostgres } from './support/postgres.ts';
import { startSpandrel } from './support/spandrel.ts';

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let api: Api;

/** A server, and what ends it. */
interface Started {
  api: Api;
  stop: () => Promise<unknown>;
}

async function startLocal(): Promise<Started> {
  const spandrel = await startSpandrel({ command: 'server' });
  return { api: new Api(spandrel.apiUrl), stop: () => spandrel.stop() };
}

async function startCloud(): Promise<Started> {
  const postgres = await startPostgres();
  const app = await cloudApp(await createMigrated(postgres, 'tracing'));
  const stop = async (): Promise<void> => {
    await app.close();
    await postgres.stop();
  };
  return { api: (await app.createTenant()).api, stop };
}

const newTrace = async (body: object = {}): Promise<TraceResource> => {
  const { status, body: trace } = await api.post<TraceResource>('/api/traces', body);
  expect(status).toBe(201);
  return trace;
};
const newSpan = async (body: object): Promise<string> => {
  const { status, body: span } = await api.post<{ id: string; trace_id: string }>('/api/spans', { name: 's', ...body });
  expect([status, span]).toEqual([201, { id: expect.any(String), trace_id: expect.any(String) }]);
  return span.id;
};
const spanOf = async (id: string): Promise<SpanResource> => (await api.get<SpanResource>(`/api/spans/${id}`)).body;
const complete = (id: string, body?: unknown) => api.post<SpanResource & Problem>(`/api/spans/${id}/complete`, body);
const fail = (id: string, body: unknown) => api.post<SpanResource & Problem>(`/api/spans/${id}/fail`, body);
const expectProblem = (answer: { status: number; body: Problem }, status: number, code: string): void =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
interface SpanPage {
  spans: SpanResource[];
  count: number;
  next_cursor: string | null;
}
const llm = (model: string, members: object = {}) => ({ type: 'llm_call', model, provider: 'openai', ...members });

/** What Postgres does alike is shown by the suites of `test/storage`, call for call; what callers may do, by those of `test/access`. */
const SERVERS = [
  ['the program on SQLite', startLocal],
  ['cloud mode on Postgres', startCloud],
] as const;

describe.each(showsAll('Postgres') ? SERVERS : SERVERS.slice(0, 1))('%s', (_name, start) => {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start();
    api = started.api;
  });
  afterAll(() => started?.stop());
  const forgetAll = () => api.delete('/api/traces');

  describe('traces', () => {
    beforeEach(forgetAll);

    it('are created with every member, or with none', async () => {
      const bare = await newTrace();
      expect(bare).toEqual({
        id: expect.stringMatching(ULID),
        name: null,
        tags: [],
        session_id: null,
        user_id: null,
        metadata: {},
        started_at: expect.stringMatching(TIMESTAMP),
        ended_at: null,
      });
      expect((await api.post<TraceResource>('/api/traces')).body).toMatchObject({ name: null, tags: [] });
      const full = {
        id: 'my.trace:1',
        name: 'n',
        tags: ['a', 'b', 'a'],
        session_id: ' s ',
        user_id: 'u',
        metadata: { deep: [1, null] },
      };
      const trace = await newTrace({ ...full, started_at: '2026-11-20T11:00:00+02:00', ignored: true });
      expect(trace).toEqual({ ...full, started_at: '2026-11-20T09:00:00.000Z', ended_at: null });
    });

    it('are made once for an id, whatever comes again', async () => {
      const body = { id: 'once', name: 'n', metadata: { a: 1, b: 2 } };
      const first = await newTrace(body);
      await api.patch('/api/traces/once', { name: 'renamed' });
      expect(await newTrace({ metadata: { b: 2, a: 1 }, name: 'n', id: 'once' })).toEqual(first);
      expectProblem(await api.post('/api/traces', { ...body, name: 'other' }), 409, 'id_conflict');
      expect(await api.traces()).toHaveLength(1);
    });

    it.each([
      [{ name: 7 }, 'name'],
      [{ tags: 'a' }, 'tags'],
      [{ tags: ['a', 1] }, 'tags[1]'],
      [{ metadata: [] }, 'metadata'],
      [{ started_at: 'yesterday' }, 'started_at'],
      [{ id: 'a b' }, 'id'],
      [{ id: 'x'.repeat(129) }, 'id'],
      [{ id: '' }, 'id'],
      [{ name: 'a\0b' }, 'name'],
      [{ session_id: '\ud800' }, 'session_id'],
    ])('refuse %j', async (body, path) => {
      const answer = await api.post('/api/traces', body);
      expectProblem(answer, 400, 'validation_failed');
      expect(answer.body.errors?.map((error) => error.path)).toEqual([path]);
    });

    it('are shown with all their spans in start order', async () => {
      const { id } = await newTrace({ name: 't' });
      const later = await newSpan({ trace_id: id, started_at: '2026-01-01T00:00:02Z' });
      const earlier = await newSpan({ trace_id: id, started_at: '2026-01-01T00:00:01Z' });
      const { body } = await api.get<{ trace: TraceResource; spans: SpanResource[]; count: number }>(
        `/api/traces/${id}`,
      );
      expect(body.spans.map((span) => span.id)).toEqual([earlier, later]);
      expect([body.count, body.trace.id]).toEqual([2, id]);
      expectProblem(await api.get('/api/traces/nothing'), 404, 'trace_not_found');
    });

    it('end when their last span ends, and open again', async () => {
      const { id } = await newTrace({ started_at: '2026-01-01T00:00:00Z' });
      const ended = async () => (await api.get<{ trace: TraceResource }>(`/api/traces/${id}`)).body.trace.ended_at;
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
      const one = await newSpan({ trace_id: id, started_at: at(1) });
      const two = await newSpan({ trace_id: id, started_at: at(1) });
      await complete(one, { ended_at: at(5) });
      expect(await ended()).toBeNull();
      await fail(two, { error: 'x', ended_at: at(3) });
      expect(await ended()).toBe(at(5));
      const three = await newSpan({ trace_id: id, started_at: at(6) });
      expect(await ended()).toBeNull();
      await complete(three, { ended_at: at(7) });
      expect(await ended()).toBe(at(7));
      await api.delete(`/api/spans/${three}`);
      expect(await ended()).toBe(at(5));
    });

    it('are patched member by member', async () => {
      const { id } = await newTrace({ name: 'n', tags: ['a'], metadata: { a: 1 }, session_id: 's' });
      const { status, body } = await api.patch<TraceResource>(`/api/traces/${id}`, {
        tags: ['b'],
        metadata: { b: 2 },
        session_id: null,
      });
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ name: 'n', tags: ['b'], metadata: { b: 2 }, session_id: null }),
      ]);
      expect(await api.traces('tag=a')).toEqual([]);
      expect(await api.traces('tag=b')).toHaveLength(1);
      expectProblem(await api.patch('/api/traces/nothing', { name: 'x' }), 404, 'trace_not_found');
      expectProblem(await api.patch(`/api/traces/${id}`, { tags: 'x' }), 400, 'validation_failed');
    });

    it('are listed newest first with the roll-up of their spans', async () => {
      const old = await newTrace({ name: 'old', started_at: '2026-01-01T00:00:00Z' });
      const { id } = await newTrace({ name: 'new', started_at: '2026-01-02T00:00:00Z' });
      const start = { trace_id: id, started_at: '2026-01-02T00:00:00Z' };
      await complete(await newSpan({ ...start, kind: llm('gpt-4o') }), {
        kind: llm('gpt-4o', { input_tokens: 1000, output_tokens: 100 }),
        ended_at: '2026-01-02T00:00:01.500Z',
      });
      await fail(await newSpan({ ...start, kind: llm('b-model', { cost: 0.25, input_tokens: 3 }) }), {
        error: 'x',
        ended_at: '2026-01-02T00:00:01Z',
      });
      const { body } = await api.get<{ traces: TraceListItem[]; count: number; next_cursor: null }>('/api/traces');
      expect(body.traces.map((trace) => trace.id)).toEqual([id, old.id]);
      expect(body.traces[0]).toMatchObject({
        status: 'failed',
        span_count: 2,
        error_count: 1,
        total_tokens: 1103,
        duration_ms: 1500,
        models: ['b-model', 'gpt-4o'],
      });
      expect(body.traces[0]?.total_cost).toBeCloseTo(0.25 + 0.0035, 12);
      expect(body.traces[1]).toMatchObject({
        status: 'running',
        span_count: 0,
        error_count: 0,
        total_tokens: 0,
        total_cost: null,
        duration_ms: null,
        models: [],
      });
      expect([body.count, body.next_cursor]).toEqual([2, null]);
    });

    it('are filtered', async () => {
      const a = await newTrace({
        name: 'Alpha 100%',
        tags: ['x', 'y'],
        session_id: 's',
        user_id: 'u',
        started_at: '2026-01-01T00:00:00Z',
      });
      const b = await newTrace({ name: 'beta_1', tags: ['x'], session_id: 'S', started_at: '2026-01-02T00:00:00Z' });
      await complete(await newSpan({ trace_id: b.id }));
      const ids = async (query: string) => (await api.traces(query)).map(({ id }) => id);
      expect(await ids('session_id=s')).toEqual([a.id]);
      expect(await ids('session_id=S')).toEqual([b.id]);
      expect(await ids('session_id=%20s')).toEqual([]);
      expect(await ids('user_id=u')).toEqual([a.id]);
      expect(await ids('tag=x')).toEqual([b.id, a.id]);
      expect(await ids('tag=x&tag=y')).toEqual([a.id]);
      expect(await ids('name_contains=alpha')).toEqual([a.id]);
      expect(await ids('name_contains=%25')).toEqual([a.id]);
      expect(await ids('name_contains=_')).toEqual([b.id]);
      expect(await ids('since=2026-01-02T00:00:00Z')).toEqual([b.id]);
      expect(await ids('until=2026-01-02T00:00:00Z')).toEqual([a.id]);
      expect(await ids('status=running')).toEqual([a.id]);
      expect(await ids('status=completed')).toEqual([b.id]);
      expectProblem(await api.get('/api/traces?status=done'), 400, 'validation_failed');
    });

    it('are deleted with their spans', async () => {
      const { id } = await newTrace();
      const span = await newSpan({ trace_id: id });
      await newSpan({ trace_id: id });
      expect(await api.delete(`/api/traces/${id}`)).toMatchObject({
        status: 200,
        body: { trace_id: id, spans_deleted: 2 },
      });
      expectProblem(await api.delete(`/api/traces/${id}`), 404, 'trace_not_found');
      expectProblem(await api.get(`/api/spans/${span}`), 404, 'span_not_found');
      await newSpan({ trace_id: (await newTrace()).id });
      expect(await api.delete('/api/traces')).toMatchObject({ status: 200, body: { message: expect.any(String) } });
      expect([await api.traces(), await api.spans()]).toEqual([[], []]);
    });
  });

  describe('spans', () => {
    let trace_id: string;
    beforeEach(async () => {
      await forgetAll();
      trace_id = (await newTrace()).id;
    });

    it('start running, with every member present', async () => {
      const id = await newSpan({ trace_id });
      expect(await spanOf(id)).toEqual({
        id: expect.stringMatching(ULID),
        trace_id,
        parent_id: null,
        name: 's',
        kind: { type: 'custom', kind: 'custom', attributes: {} },
        input: null,
        output: null,
        status: 'running',
        error: null,
        started_at: expect.stringMatching(TIMESTAMP),
        ended_at: null,
        metadata: {},
      });
    });

    it('are completed once', async () => {
      const id = await newSpan({
        trace_id,
        input: { q: 1 },
        metadata: { a: 1, b: 1 },
        started_at: '2026-01-01T00:00:00Z',
      });
      const { status, body } = await complete(id, {
        output: [1],
        ended_at: '2026-01-01T00:00:00.250Z',
        metadata: { b: 2, duration_ms: 9 },
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'completed',
        error: null,
        input: { q: 1 },
        output: [1],
        metadata: { a: 1, b: 2, duration_ms: 250, total_tokens: null, cost: null },
      });
      expect(await spanOf(id)).toEqual(body);
      expectProblem(await complete(id, {}), 409, 'span_already_finished');
      expectProblem(await fail(id, { error: 'x' }), 409, 'span_already_finished');
      expect(await spanOf(id)).toEqual(body);
      expectProblem(await complete('nothing'), 404, 'span_not_found');
    });

    it('are failed with an error', async () => {
      const id = await newSpan({ trace_id });
      expectProblem(await fail(id, {}), 400, 'validation_failed');
      const { body } = await fail(id, {
        error: 'boom \0 \ud800',
        output: 'partial',
        kind: { type: 'tool_call', tool: 'x' },
      });
      expect(body).toMatchObject({
        status: { failed: { error: 'boom \0 \ud800' } },
        error: 'boom \0 \ud800',
        output: 'partial',
        kind: { type: 'tool_call', tool: 'x' },
      });
      expectProblem(await complete(id), 409, 'span_already_finished');
      expectProblem(await fail('nothing', { error: 'x' }), 404, 'span_not_found');
    });

    it('need an existing trace, but not an existing parent', async () => {
      expectProblem(await api.post('/api/spans', { trace_id: 'nothing', name: 's' }), 404, 'trace_not_found');
      const id = await newSpan({ trace_id, parent_id: 'not-here-yet' });
      expect((await spanOf(id)).parent_id).toBe('not-here-yet');
    });

    it.each([
      [{ name: 's' }, 'trace_id'],
      [{ trace_id: 't' }, 'name'],
      [{ trace_id: 't', name: 's', kind: 'llm_call' }, 'kind'],
      [{ trace_id: 't', name: 's', kind: {} }, 'kind.type'],
      [{ trace_id: 't', name: 's', kind: { type: 'llm_call' } }, 'kind.model'],
      [{ trace_id: 't', name: 's', kind: llm('m', { input_tokens: -1 }) }, 'kind.input_tokens'],
      [{ trace_id: 't', name: 's', kind: llm('m', { cost: 'free' }) }, 'kind.cost'],
      [{ trace_id: 't', name: 's', metadata: 'x' }, 'metadata'],
      [{ trace_id: 't', name: 's', started_at: 5 }, 'started_at'],
    ])('refuse %j', async (body, path) => {
      const answer = await api.post('/api/spans', body);
      expectProblem(answer, 400, 'validation_failed');
      expect(answer.body.errors?.map((error) => error.path)).toEqual([path]);
    });

    it('are made once for an id', async () => {
      const body = { id: 'span-1', trace_id, name: 's', input: { a: 1 } };
      expect([await newSpan(body), await newSpan(body)]).toEqual(['span-1', 'span-1']);
      await complete('span-1');
      expect(await newSpan(body)).toBe('span-1');
      expect((await spanOf('span-1')).status).toBe('completed');
      expectProblem(await api.post('/api/spans', { ...body, input: { a: 2 } }), 409, 'id_conflict');
    });

    it('do not end before they start', async () => {
      const id = await newSpan({ trace_id, started_at: '2026-01-02T00:00:00Z' });
      expectProblem(await complete(id, { ended_at: '2026-01-01T00:00:00Z' }), 400, 'validation_failed');
      expectProblem(await fail(id, { error: 'x', ended_at: '2026-01-01T00:00:00Z' }), 400, 'validation_failed');
      expect((await spanOf(id)).status).toBe('running');
    });

    it('take an action without a body, with or without a media type', async () => {
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        const id = await newSpan({ trace_id });
        expect(
          (await api.send('POST', `/api/spans/${id}/complete`, undefined, headers as Record<string, string>)).status,
        ).toBe(200);
      }
    });

    it('cost what the pricing table says, when it knows the model exactly', async () => {
      const costOf = async (kind: object) => {
        const { body } = await complete(await newSpan({ trace_id, kind: llm('gpt-4o') }), { kind });
        expect(body.metadata['cost']).toBe(body.kind['cost']);
        return body.kind['cost'];
      };
      expect(await costOf(llm('gpt-4o', { input_tokens: 1_000, output_tokens: 500 }))).toBeCloseTo(0.0025 + 0.005, 12);
      expect(
        await costOf(llm('gpt-4o', { input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 0 })),
      ).toBeCloseTo(0.0015 + 0.0005, 12);
      expect(await costOf(llm('GPT-4o', { input_tokens: 1_000, output_tokens: 500 }))).toBeNull();
      expect(await costOf(llm('gpt-4o'))).toBeNull();
      expect(await costOf(llm('gpt-4o', { input_tokens: 1_000, output_tokens: 500, cost: 7 }))).toBe(7);
      expect(await costOf(llm('gpt-4o', { input_tokens: 1_000, output_tokens: 500, cost: 0 }))).toBe(0);
      expect(await costOf(llm('gpt-4o', { input_tokens: 1_000, output_tokens: 500, cost: null }))).toBeGreaterThan(0);
    });

    it('show what is unknown of a call as null', async () => {
      const id = await newSpan({ trace_id, kind: { type: 'llm_call', model: 'm' } });
      expect((await spanOf(id)).kind).toEqual({
        type: 'llm_call',
        model: 'm',
        provider: null,
        input_tokens: null,
        output_tokens: null,
        cost: null,
      });
      const { body } = await complete(id, { kind: { type: 'llm_call', model: 'm', output_tokens: 5, mine: { x: 1 } } });
      expect(body.kind).toMatchObject({ output_tokens: 5, input_tokens: null, mine: { x: 1 } });
      expect(body.metadata['total_tokens']).toBe(5);
    });

    it('are deleted', async () => {
      const id = await newSpan({ trace_id });
      expect(await api.delete(`/api/spans/${id}`)).toMatchObject({ status: 200, body: { id, deleted: true } });
      expectProblem(await api.delete(`/api/spans/${id}`), 404, 'span_not_found');
      expect((await api.traces())[0]?.span_count).toBe(0);
    });

    it.each([
      ['NUL and lone surrogates', String.raw`{"a\u0000":"\u0000\ud800","\udfff":[]}`],
      ['__proto__ and constructor', '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'],
      ['big numbers', '[9007199254740993,-123456789012345678901234567890,0.1234567890123456789]'],
      ['a bare text', '"héllo 🌊"'],
      ['false', 'false'],
      ['zero', '0'],
      ['deep nesting', `${'['.repeat(150)}${']'.repeat(150)}`],
    ])('keep %s exactly', async (_what, value) => {
      const id = `exact-${Math.random().toString(36).slice(2)}`;
      const created = await api.send(
        'POST',
        '/api/spans',
        `{"id":"${id}","trace_id":"${trace_id}","name":"s","input":${value},"metadata":{"m":${value}}}`,
      );
      expect(created.status).toBe(201);
      await api.send('POST', `/api/spans/${id}/complete`, `{"output":${value}}`);
      const text = await (await fetch(`${api.baseUrl}/api/spans/${id}`, { headers: api.headers })).text();
      expect(text).toContain(`"input":${value}`);
      expect(text).toContain(`"output":${value}`);
      expect(text).toContain(`"m":${value}`);
    });
  });

  describe('the span list', () => {
    const ids = async (query: string) => (await api.spans(query)).map(({ id }) => id);
    beforeAll(async () => {
      await forgetAll();
      await newTrace({ id: 'T', session_id: 'sess', tags: ['red', 'big'] });
      await newTrace({ id: 'U' });
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
      await newSpan({
        id: 'a',
        trace_id: 'T',
        name: 'Search 100%',
        kind: llm('gpt-4o'),
        input: [{ role: 'user', content: 'say "hi"\nto_me' }],
        started_at: at(1),
      });
      await complete('a', {
        output: { text: 'Grüße' },
        kind: llm('gpt-4o', { input_tokens: 10, output_tokens: 5 }),
        ended_at: at(3),
      });
      await newSpan({
        id: 'b',
        trace_id: 'T',
        parent_id: 'a',
        name: 'answer',
        kind: { type: 'custom', n: 1 },
        input: 'back\\slash',
        started_at: at(2),
      });
      await fail('b', { error: 'x', ended_at: at(9) });
      await newSpan({
        id: 'c',
        trace_id: 'U',
        name: 'other',
        kind: llm('claude-x', { provider: 'anthropic' }),
        input: { n: 42 },
        started_at: at(3),
      });
    });

    it.each([
      ['', ['c', 'b', 'a']],
      ['trace_id=T', ['b', 'a']],
      ['trace_id=nothing', []],
      ['parent_id=a', ['b']],
      ['session_id=sess', ['b', 'a']],
      ['session_id=Sess', []],
      ['tag=red', ['b', 'a']],
      ['tag=red&tag=big', ['b', 'a']],
      ['tag=red&tag=small', []],
      ['kind=llm_call', ['c', 'a']],
      ['kind=custom', ['b']],
      ['model=gpt-4o', ['a']],
      ['provider=anthropic', ['c']],
      ['status=running', ['c']],
      ['status=completed', ['a']],
      ['status=failed', ['b']],
      ['since=2026-01-01T00:00:02Z', ['c', 'b']],
      ['until=2026-01-01T00:00:02Z', ['a']],
      ['since=2026-01-01T02:00:02%2B02:00', ['c', 'b']],
      ['name_contains=search', ['a']],
      ['name_contains=%25', ['a']],
      ['name_contains=_', []],
      ['text_contains=GR%C3%BC%C3%9Fe', ['a']],
      ['text_contains=%22hi%22', ['a']],
      ['text_contains=%22hi%22%0Ato_me', ['a']],
      ['text_contains=to%25me', []],
      ['text_contains=toxme', []],
      ['text_contains=back%5Cslash', ['b']],
      ['text_contains=nto_me', []],
      ['text_contains=42', ['c']],
      ['input_contains=hi', ['a']],
      ['output_contains=hi', []],
      ['output_contains=gr', ['a']],
      ['duration_min=2000', ['b', 'a']],
      ['duration_min=2001', ['b']],
      ['duration_max=2000', ['a']],
      ['tokens_min=15', ['a']],
      ['tokens_min=16', []],
      ['cost_min=0.00001', ['a']],
      ['sort_by=name&sort_order=asc', ['a', 'b', 'c']],
      ['sort_by=duration', ['b', 'a', 'c']],
      ['sort_by=duration&sort_order=asc', ['a', 'b', 'c']],
      ['sort_by=tokens&sort_order=asc', ['a', 'b', 'c']],
      ['sort_by=tokens', ['a', 'c', 'b']],
      ['sort_by=cost', ['a', 'c', 'b']],
      ['sort_by=started_at&sort_order=asc', ['a', 'b', 'c']],
      ['kind=llm_call&status=completed&text_contains=hi&duration_min=1', ['a']],
    ])('?%s', async (query, expected) => {
      expect(await ids(query)).toEqual(expected);
    });

    it.each([
      'status=done',
      'sort_by=id',
      'sort_order=up',
      'limit=0',
      'limit=1001',
      'limit=ten',
      'limit=',
      'duration_min=fast',
      'tokens_min=',
      'cost_min=1e999',
      'since=yesterday',
      'limit=1&limit=2',
    ])('?%s is refused', async (query) => {
      expectProblem(await api.get(`/api/spans?${query}`), 400, 'validation_failed');
    });

    it('refuses cursors it did not give out', async () => {
      const { body } = await api.get<{ next_cursor: string }>('/api/spans?limit=1');
      expect(body.next_cursor).toEqual(expect.any(String));
      for (const query of [
        'cursor=x',
        'cursor=',
        `cursor=${body.next_cursor}x`,
        `cursor=${body.next_cursor}&sort_by=name`,
        `cursor=${body.next_cursor}&sort_order=asc`,
      ]) {
        expectProblem(await api.get(`/api/spans?limit=1&${query}`), 400, 'invalid_cursor');
      }
      expectProblem(await api.get(`/api/traces?cursor=${body.next_cursor}`), 400, 'invalid_cursor');
    });

    // Behind those that read what the suite begins with.
    it('is paged without a repeat or a gap while spans arrive', async () => {
      await forgetAll();
      await newTrace({ id: 'P' });
      const spans = Array.from({ length: 57 }, (_, i) => ({
        id: `p${String(i).padStart(2, '0')}`,
        trace_id: 'P',
        name: `n${i % 5}`,
        started_at: `2026-01-01T00:00:00.00${i % 7}Z`,
        ...(i % 3 > 0 && { status: 'completed', ended_at: `2026-01-01T00:00:0${1 + (i % 4)}Z` }),
      }));
      await api.post('/api/ingest', { spans });
      for (const sort_by of ['started_at', 'duration', 'name', 'tokens']) {
        for (const sort_order of ['asc', 'desc']) {
          const seen: string[] = [];
          let cursor: string | null = null;
          do {
            const query: string = `limit=10&sort_by=${sort_by}&sort_order=${sort_order}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
            const { body }: { body: SpanPage } = await api.get<SpanPage>(`/api/spans?trace_id=P&${query}`);
            expect(body.count).toBe(body.spans.length);
            seen.push(...body.spans.map(({ id }) => id));
            cursor = body.next_cursor;
          } while (cursor !== null);
          expect(seen.toSorted()).toEqual(spans.map(({ id }) => id).toSorted());
          expect(seen).toEqual(
            (await api.spans(`trace_id=P&sort_by=${sort_by}&sort_order=${sort_order}`)).map(({ id }) => id),
          );
        }
      }
    });
  });

  describe('sessions', () => {
    beforeEach(forgetAll);

    it('are distinguished exactly, and show their traces', async () => {
      for (const session_id of ['A', 'a', ' a', 'ü/%?#', 'A']) await newTrace({ session_id });
      const { body } = await api.get<{ sessions: SessionResource[]; count: number; next_cursor: null }>(
        '/api/sessions',
      );
      expect(body.sessions.map((session) => [session.session_id, session.trace_count]).toSorted()).toEqual(
        [
          ['A', 2],
          ['a', 1],
          [' a', 1],
          ['ü/%?#', 1],
        ].toSorted(),
      );
      expect(body.sessions[0]).toEqual({
        session_id: expect.any(String),
        trace_count: expect.any(Number),
        span_count: 0,
        error_count: 0,
        total_tokens: 0,
        total_cost: null,
        unpriced_count: 0,
        user_ids: [],
        started_at: expect.stringMatching(TIMESTAMP),
        ended_at: null,
      });
      for (const session of ['A', 'a', ' a', 'ü/%?#']) {
        const { status, body: one } = await api.get<{ traces: TraceListItem[]; count: number }>(
          `/api/sessions/${encodeURIComponent(session)}`,
        );
        expect([status, one.traces.every(({ session_id }) => session_id === session)]).toEqual([200, true]);
        expect(one.count).toBe(session === 'A' ? 2 : 1);
      }
      expectProblem(await api.get('/api/sessions/nothing'), 404, 'session_not_found');
    });
  });

  describe('ingest', () => {
    beforeEach(forgetAll);

    const ingest = async (body: unknown) => {
      const { status, body: result } = await api.post<IngestResult>('/api/ingest', body);
      expect(status).toBe(200);
      return result;
    };

    it('takes whole traces and spans, child before parent, once', async () => {
      const body = {
        traces: [{ id: 'T', name: 'n', tags: ['x'], session_id: 's' }],
        spans: [
          {
            id: 'child',
            trace_id: 'T',
            parent_id: 'root',
            name: 'c',
            kind: llm('gpt-4o', { input_tokens: 1, output_tokens: 1 }),
            status: 'completed',
            started_at: '2026-01-01T00:00:00Z',
            ended_at: '2026-01-01T00:00:01Z',
            output: 1,
          },
          { id: 'root', trace_id: 'T', name: 'r' },
          { id: 'bad', trace_id: 'T', name: 'f', status: { failed: { error: 'boom' } } },
        ],
      };
      expect(await ingest(body)).toEqual({ accepted: { traces: 1, spans: 3 }, rejected: [] });
      const before = await api.spans();
      expect(await ingest(body)).toEqual({ accepted: { traces: 1, spans: 3 }, rejected: [] });
      expect(await api.spans()).toEqual(before);
      expect(await api.traces()).toMatchObject([
        { id: 'T', name: 'n', span_count: 3, error_count: 1, status: 'running' },
      ]);
      expect((await spanOf('bad')).status).toEqual({ failed: { error: 'boom' } });
    });

    it('rejects items one by one', async () => {
      await newTrace({ id: 'here' });
      await newTrace({ id: 'there' });
      await newSpan({ id: 'taken', trace_id: 'there' });
      const { accepted, rejected } = await ingest({
        traces: [{ name: 'no id' }, { id: 'ok' }],
        spans: [
          { id: 's1', trace_id: 'here', name: 'fine' },
          { id: 's2', trace_id: 'nowhere', name: 'x' },
          'text',
          { id: 's3', trace_id: 'ok' },
          { id: 'taken', trace_id: 'here', name: 'x' },
        ],
      });
      expect(accepted).toEqual({ traces: 1, spans: 1 });
      expect(rejected.map(({ collection, index, code }) => [collection, index, code])).toEqual([
        ['traces', 0, 'validation_failed'],
        ['spans', 1, 'trace_not_found'],
        ['spans', 2, 'validation_failed'],
        ['spans', 3, 'validation_failed'],
        ['spans', 4, 'id_conflict'],
      ]);
      for (const { message } of rejected) expect(message).toEqual(expect.any(String));
    });

    it('never takes a finished span back, and takes corrections', async () => {
      const done = {
        id: 's',
        trace_id: 'T',
        name: 'n',
        status: 'completed',
        started_at: '2026-01-01T00:00:00Z',
        ended_at: '2026-01-01T00:00:05Z',
        output: 'first',
        metadata: { a: 1 },
      };
      await ingest({ traces: [{ id: 'T' }], spans: [done] });
      await ingest({ spans: [{ id: 's', trace_id: 'T', name: 'again', status: 'running' }] });
      expect(await spanOf('s')).toMatchObject({ name: 'n', status: 'completed', output: 'first' });
      await ingest({ spans: [{ ...done, output: 'second', ended_at: '2026-01-01T00:00:02Z' }] });
      expect(await spanOf('s')).toMatchObject({ output: 'second', metadata: { a: 1, duration_ms: 2000 } });
      expect(await api.traces()).toMatchObject([{ ended_at: '2026-01-01T00:00:02.000Z', span_count: 1 }]);
    });

    it('takes 10,000 items and refuses more', async () => {
      const spans = Array.from({ length: 10_000 }, (_, i) => ({
        id: `b${i}`,
        trace_id: 'T',
        name: 'n',
        status: 'completed',
      }));
      expect((await ingest({ traces: [{ id: 'T' }], spans: spans.slice(1) })).accepted).toEqual({
        traces: 1,
        spans: 9_999,
      });
      expectProblem(await api.post('/api/ingest', { traces: [{ id: 'T' }], spans }), 413, 'payload_too_large');
      expect((await api.traces())[0]).toMatchObject({ span_count: 9_999, status: 'completed' });
    });

    it('refuses what is no ingest', async () => {
      for (const body of [{ spans: {} }, { traces: 'x' }, []])
        expectProblem(await api.post('/api/ingest', body), 400, 'validation_failed');
      expect(await ingest({})).toEqual({ accepted: { traces: 0, spans: 0 }, rejected: [] });
    });
  });

  describe('bodies', () => {
    beforeEach(forgetAll);

    it('over the limit are refused, and the server goes on', async () => {
      const { id } = await newTrace();
      const megabytes = (count: number) => ({ trace_id: id, name: 's', input: 'x'.repeat(count * 1_048_576) });
      expect((await api.post('/api/spans', megabytes(9))).status).toBe(201);
      expectProblem(await api.post('/api/spans', megabytes(11)), 413, 'payload_too_large');
      await expect(
        api.post('/api/spans', megabytes(20)).then(
          ({ status }) => status,
          () => 413,
        ),
      ).resolves.toBe(413);
      expect((await api.get('/api/health')).status).toBe(200);
    });

    it('that are large come back whole, a page of them in parts', async () => {
      const { id } = await newTrace();
      const sent: string[] = [];
      for (let i = 0; i < 10; i++) {
        sent.push(await newSpan({ trace_id: id, name: `large ${i}`, input: `${i} ${'x'.repeat(3_500_000)}` }));
      }
      for (const filter of ['', '&text_contains=xxxx']) {
        const seen: string[] = [];
        let pages = 0;
        for (let cursor: string | null = ''; cursor !== null; pages++) {
          const path: string = `/api/spans?sort_order=asc&limit=1000${filter}${cursor && `&cursor=${cursor}`}`;
          const { body }: { body: SpanPage } = await api.get<SpanPage>(path);
          seen.push(...body.spans.map((span) => span.id));
          cursor = body.next_cursor;
        }
        expect(seen).toEqual(sent);
        expect(pages).toBeGreaterThan(1);
      }
      const whole = await api.get<{ trace: TraceResource; spans: SpanResource[]; count: number }>(`/api/traces/${id}`);
      expect([whole.body.trace.id, whole.body.count, whole.body.spans.map((span) => span.id)]).toEqual([id, 10, sent]);
    });

    it('with a million tags, or a very long name, are refused or kept exactly', async () => {
      const tagged = (length: number) => api.post('/api/traces', { tags: Array.from({ length }, () => 't') });
      expectProblem(await tagged(490_000), 400, 'validation_failed');
      expectProblem(await tagged(1_000_000), 413, 'payload_too_large');
      const name = 'ü'.repeat(2_000);
      expect((await newTrace({ name })).name).toBe(name);
      expectProblem(await api.post('/api/traces', { name: 'x'.repeat(100_000) }), 400, 'validation_failed');
    });

    it('never make the server answer 5xx', async () => {
      const { id } = await newTrace();
      const values = ['1e308', '-0', '2e-308', '9223372036854775808', '"\\u0000"', '{"":{"":[]}}', '[[],{}]', 'null'];
      const members = ['name', 'kind', 'input', 'metadata', 'parent_id', 'started_at', 'id', 'trace_id'];
      for (const member of members) {
        for (const value of values) {
          const { status } = await api.send(
            'POST',
            '/api/spans',
            `{"trace_id":"${id}","name":"s","${member}":${value}}`,
          );
          expect([member, value, status < 500]).toEqual([member, value, true]);
        }
      }
      for (const path of [
        '/api/spans/%00',
        '/api/traces/%F0%9F',
        `/api/traces/${'x'.repeat(5_000)}`,
        '/api/spans/..%2f..',
        '/api/sessions/%00',
        '/api//traces',
        '/api/traces/',
      ]) {
        const { status } = await api.get(path).catch(() => ({ status: 0 }));
        expect([path, status < 500]).toEqual([path, true]);
      }
    });
  });
});
