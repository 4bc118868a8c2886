/** Capture rules, seen from outside on any database (docs/spec/capture-rules.md). */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureRuleResource, DatapointResource, DatasetResource, SpanResource } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { sql } from '@spandrel/storage';
import { CaptureWorker } from '../../libs/datasets/src/capture/capture-worker.js';
import type { ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { anyRows } from '../support/any-rows.ts';

const HOUR_MS = 3_600_000;

/** Text that a span's input holds when the sink of this suite is to refuse its datapoint. */
export const POISON = 'poisonous';

interface RuleList {
  capture_rules: CaptureRuleResource[];
  count: number;
  next_cursor: string | null;
}

interface DatapointList {
  datapoints: DatapointResource[];
  next_cursor: string | null;
}

/** @param errors what the server logged as errors so far. */
export function captureRules(server: () => ServerApp, errors: () => Record<string, unknown>[]): void {
  const at = (datasetId: string, ruleId = ''): string =>
    `/api/datasets/${datasetId}/capture-rules${ruleId && `/${ruleId}`}`;

  const newDataset = async (): Promise<string> => {
    const { status, body } = await server().api.post<DatasetResource>('/api/datasets', { name: 'captured' });
    expect(status).toBe(201);
    return body.id;
  };

  const newRule = async (datasetId: string, rule: object = {}): Promise<CaptureRuleResource> => {
    const { status, body } = await server().api.post<CaptureRuleResource>(at(datasetId), { name: 'rule', ...rule });
    expect(status).toBe(201);
    return body;
  };

  const readRule = async ({ dataset_id: datasetId, id }: CaptureRuleResource): Promise<CaptureRuleResource> =>
    (await server().api.get<CaptureRuleResource>(at(datasetId, id))).body;

  /** A dataset with one rule for spans of a name that no other test uses. */
  const newNamedRule = async (rule: { filters?: object } = {}) => {
    const name = `only-${newId()}`;
    const filters = { name_contains: name, ...rule.filters };
    return { name, rule: await newRule(await newDataset(), { ...rule, filters }) };
  };

  const newTrace = async (tags: string[] = []): Promise<string> => {
    const { body } = await server().api.post<{ id: string }>('/api/traces', { tags });
    return body.id;
  };

  const ingest = async (spans: object[]): Promise<void> => {
    const { status, body } = await server().api.post<{ rejected: unknown[] }>('/api/ingest', { spans });
    expect([status, body.rejected]).toEqual([200, []]);
  };

  /** Finished spans of a new trace. @returns their ids. */
  const finish = async (name: string, count = 1, more: object = {}): Promise<string[]> => {
    const traceId = await newTrace();
    const ids = Array.from({ length: count }, () => newId());
    await ingest(ids.map((id) => ({ id, trace_id: traceId, name, status: 'completed', input: `in ${id}`, ...more })));
    return ids;
  };

  /** All of a dataset, page by page: a page of large ones ends early. */
  const datapoints = async (datasetId: string): Promise<DatapointResource[]> => {
    const path = `/api/datasets/${datasetId}/datapoints`;
    const read = async (query: string): Promise<DatapointList> => {
      const { status, body } = await server().api.get<DatapointList>(path + query);
      expect(status).toBe(200);
      return body;
    };
    let page = await read('');
    const found = page.datapoints;
    while (page.next_cursor !== null) {
      page = await read(`?cursor=${page.next_cursor}`);
      found.push(...page.datapoints);
    }
    return found;
  };

  const count = async (table: 'capture' | 'capture_task' | 'capture_rule', ruleId: string): Promise<number> => {
    const { storage } = server();
    const id = table === 'capture_rule' ? sql`id = ${ruleId}` : sql`rule_id = ${ruleId}`;
    const from = { capture: sql`capture`, capture_task: sql`capture_task`, capture_rule: sql`capture_rule` }[table];
    const [row] = await storage.read(anyRows<{ n: number }>()`select count(*) as n from ${from} where ${id}`);
    return Number(row!.n);
  };

  /** Resolves when no task is left that may be tried now. */
  const settled = (): Promise<void> =>
    until(async () => {
      const due = anyRows()`select 1 as one from capture_task where due_at <= ${Date.now()} limit 1`;
      return (await server().storage.read(due)).length === 0;
    });

  /** The spans that a rule captured, each once, as its dataset, its count and its captures agree. */
  const capturedBy = async (rule: CaptureRuleResource): Promise<string[]> => {
    await settled();
    const spanIds = (await datapoints(rule.dataset_id)).map(({ source_span_id: id }) => id!);
    expect(new Set(spanIds).size).toBe(spanIds.length);
    expect((await readRule(rule)).captured_count).toBe(spanIds.length);
    expect(await count('capture', rule.id)).toBe(spanIds.length);
    return spanIds.sort();
  };

  /** A task as a crash leaves it, of a span that its rule took. */
  const leaveTask = (ruleId: string, spanId: string, dueAt: number): Promise<number> =>
    server().storage.write((tx) =>
      tx.run(sql`insert into capture_task (project_id, rule_id, span_id, failures, due_at)
        values ('local', ${ruleId}, ${spanId}, 0, cast(${dueAt} as bigint))`),
    );

  const doDue = (now: number): Promise<void> =>
    server()
      .app.get(CaptureWorker, { strict: false })
      .doDue(() => now);

  describe('capture rules', () => {
    it('are made, listed in order, read, changed and deleted', async () => {
      const datasetId = await newDataset();
      const first = await newRule(datasetId, { filters: null, sample_rate: null });
      expect(first).toEqual({
        id: expect.any(String),
        dataset_id: datasetId,
        name: 'rule',
        enabled: true,
        filters: {},
        sample_rate: 1,
        captured_count: 0,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: first.created_at,
      });
      const filters = {
        model: 'm',
        provider: 'p',
        kind: 'k',
        status: 'failed',
        name_contains: '\0\ud83d',
        tag: 't',
        min_cost: 0,
        min_tokens: 1.5,
        min_duration_ms: 2,
      };
      const second = await newRule(datasetId, {
        name: 'all',
        enabled: false,
        filters: { ...filters, tag: null },
        sample_rate: 0.25,
      });
      const { tag: _, ...given } = filters;
      expect(second).toMatchObject({ name: 'all', enabled: false, sample_rate: 0.25 });
      expect(second.filters).toEqual(given);
      const { body: page } = await server().api.get<RuleList>(`${at(datasetId)}?limit=1`);
      expect(page).toMatchObject({ capture_rules: [first], count: 1, next_cursor: expect.any(String) });
      const { body: rest } = await server().api.get<RuleList>(`${at(datasetId)}?cursor=${page.next_cursor!}`);
      expect(rest).toEqual({ capture_rules: [second], count: 1, next_cursor: null });
      const put = await server().api.send<CaptureRuleResource>('PUT', at(datasetId, first.id), { filters });
      expect(put.status).toBe(200);
      expect(put.body).toEqual({ ...first, filters, updated_at: put.body.updated_at });
      expect(put.body.updated_at >= first.updated_at).toBe(true);
      const others = { name: 'renamed', enabled: false, sample_rate: 0 };
      const { body: changed } = await server().api.send<CaptureRuleResource>('PUT', at(datasetId, first.id), others);
      expect(changed).toEqual({ ...put.body, ...others, updated_at: changed.updated_at });
      expect(await readRule(first)).toEqual(changed);
      const deleted = await server().api.delete<object>(at(datasetId, first.id));
      expect([deleted.status, deleted.body]).toEqual([200, { id: first.id, deleted: true }]);
      expect((await server().api.get(at(datasetId, first.id))).body.code).toBe('capture_rule_not_found');
    });

    it('refuse what they do not know', async () => {
      const datasetId = await newDataset();
      const { id } = await newRule(datasetId, { enabled: false });
      for (const [body, path] of [
        [{}, 'name'],
        [{ name: '' }, 'name'],
        [{ name: 'r', enabled: 'yes' }, 'enabled'],
        [{ name: 'r', sample_rate: 1.01 }, 'sample_rate'],
        [{ name: 'r', sample_rate: -0.01 }, 'sample_rate'],
        [{ name: 'r', filters: { session_id: 's' } }, 'filters.session_id'],
        [{ name: 'r', filters: { status: 'running' } }, 'filters.status'],
        [{ name: 'r', filters: { min_cost: -1 } }, 'filters.min_cost'],
        [{ name: 'r', filters: { model: 'a\0' } }, 'filters.model'],
        [{ name: 'r', filters: [] }, 'filters'],
      ] as const) {
        const posted = await server().api.post(at(datasetId), body);
        expect([path, posted.status, posted.body.code]).toEqual([path, 400, 'validation_failed']);
        expect(posted.body.errors?.map((fault) => fault.path)).toEqual([path]);
      }
      expect((await server().api.send('PUT', at(datasetId, id), { filters: { nope: 1 } })).status).toBe(400);
      expect((await server().api.get<RuleList>(at(datasetId))).body.count).toBe(1);
    });

    it('are found in their dataset and project alone', async () => {
      const [datasetId, otherId] = [await newDataset(), await newDataset()];
      const { id } = await newRule(datasetId, { enabled: false });
      const { api } = server();
      for (const [dataset, rule, code] of [
        [otherId, id, 'capture_rule_not_found'],
        [datasetId, 'none', 'capture_rule_not_found'],
        [datasetId, '%00', 'capture_rule_not_found'],
        ['none', id, 'dataset_not_found'],
        ['%00', id, 'dataset_not_found'],
      ] as const) {
        const answers = [
          await api.get(at(dataset, rule)),
          await api.send('PUT', at(dataset, rule), { name: 'stolen' }),
          await api.delete(at(dataset, rule)),
        ];
        if (code === 'dataset_not_found')
          answers.push(await api.get(at(dataset)), await api.post(at(dataset), { name: 'r' }));
        for (const { status, body } of answers) expect([status, body.code]).toEqual([404, code]);
      }
      const foreign = { 'x-test-project': 'foreign' };
      for (const [method, path, body] of [
        ['GET', at(datasetId)],
        ['POST', at(datasetId), { name: 'r' }],
        ['GET', at(datasetId, id)],
        ['PUT', at(datasetId, id), {}],
        ['DELETE', at(datasetId, id)],
      ] as const) {
        expect((await api.send(method, path, body, foreign)).status).toBe(404);
      }
      expect((await api.get(at(datasetId, id))).status).toBe(200);
    });
  });

  describe('capture filters', () => {
    const prefix = newId();
    const started = Date.parse('2026-06-01T00:00:00.000Z');
    const finished = (n: number, span: object, durationMs = 1): object => ({
      id: `${prefix}-${n}`,
      trace_id: `${prefix}-${n % 2}`,
      name: `Span ${n} Ä 100% a_b`,
      started_at: new Date(started).toISOString(),
      ended_at: new Date(started + durationMs).toISOString(),
      input: n,
      ...span,
    });
    const call = (kind: object): object => ({ kind: { type: 'llm_call', model: 'm1', ...kind } });
    const spans = [
      finished(0, call({ provider: 'openai', input_tokens: 10, output_tokens: 5, cost: 0.5 }), 1_000),
      finished(1, call({ provider: 'openai', input_tokens: 10, output_tokens: 4, cost: 0.25 }), 999),
      finished(2, call({ model: 'M1', provider: 'OpenAI' })),
      finished(3, call({ provider: 'anthropic', input_tokens: 15, cost: 0 })),
      finished(4, { kind: { type: 'tool_call', model: 'm1' } }, 5_000),
      finished(5, { error: 'broken', status: { failed: { error: 'broken' } } }),
      finished(6, { name: 'other' }, 0),
      finished(7, { name: '😀' }),
    ];
    const cases: [filters: object, query: string][] = [
      [{}, ''],
      [{ model: 'm1' }, 'model=m1'],
      [{ provider: 'openai' }, 'provider=openai'],
      [{ kind: 'llm_call' }, 'kind=llm_call'],
      [{ status: 'failed' }, 'status=failed'],
      [{ status: 'completed' }, 'status=completed'],
      [{ name_contains: 'sPAN' }, 'name_contains=sPAN'],
      [{ name_contains: 'ä' }, `name_contains=${encodeURIComponent('ä')}`],
      [{ name_contains: '100% A_' }, `name_contains=${encodeURIComponent('100% A_')}`],
      [{ name_contains: '😀' }, `name_contains=${encodeURIComponent('😀')}`],
      [{ tag: 'prod' }, 'tag=prod'],
      [{ tag: 'Prod' }, 'tag=Prod'],
      [{ min_cost: 0.5 }, 'cost_min=0.5'],
      [{ min_cost: 0 }, 'cost_min=0'],
      [{ min_tokens: 15 }, 'tokens_min=15'],
      [{ min_tokens: 14.5 }, 'tokens_min=14.5'],
      [{ min_duration_ms: 1_000 }, 'duration_min=1000'],
      [{ min_duration_ms: 1.5 }, 'duration_min=1.5'],
      [{ model: 'm1', tag: 'prod', min_tokens: 1 }, 'model=m1&tag=prod&tokens_min=1'],
    ];
    const rules: CaptureRuleResource[] = [];

    beforeAll(async () => {
      for (const [filters] of cases) rules.push(await newRule(await newDataset(), { filters }));
      await server().api.post('/api/traces', { id: `${prefix}-0`, tags: ['eu', 'prod'] });
      await server().api.post('/api/traces', { id: `${prefix}-1`, tags: ['Prod', 'production'] });
      await ingest(spans);
      await settled();
      for (const { dataset_id: datasetId, id } of rules) {
        await server().api.send('PUT', at(datasetId, id), { enabled: false });
      }
    });

    it.each(cases.map(([filters, query], index) => ({ filters, query, index })))(
      '$filters take what the list of spans shows for "$query"',
      async ({ query, index }) => {
        const listed: SpanResource[] = [];
        for (const trace of [0, 1]) listed.push(...(await server().api.spans(`trace_id=${prefix}-${trace}&${query}`)));
        const ids = listed.map(({ id }) => id).sort();
        expect(await capturedBy(rules[index]!)).toEqual(ids);
        if (!['tag=Prod', ''].includes(query)) expect(ids.length).toBeLessThan(spans.length);
        expect(ids.length > 0 || query.includes('%C3%A4')).toBe(true);
      },
    );
  });

  describe('what a capture makes', () => {
    it('is a datapoint as export-span makes it, and reports both', async () => {
      const { name, rule } = await newNamedRule();
      const messages = [{ role: 'user', content: 'hi' }];
      const traceId = await newTrace();
      const { events, api } = server();
      const { body: span } = await api.post<{ id: string }>('/api/spans', { trace_id: traceId, name, input: messages });
      expect((await api.post(`/api/spans/${span.id}/complete`, { output: 'hello' })).status).toBe(200);
      const [second] = await finish(name, 1, { input: { q: 1 }, output: [2], status: { failed: { error: 'e' } } });
      expect(await capturedBy(rule)).toEqual([span.id, second!].sort());
      const made = await datapoints(rule.dataset_id);
      const bySpan = new Map(made.map((datapoint) => [datapoint.source_span_id, datapoint]));
      expect(bySpan.get(span.id)).toMatchObject({
        source: 'span_export',
        kind: { LlmConversation: { messages, expected: 'hello', metadata: null } },
      });
      expect(bySpan.get(second!)?.kind).toMatchObject({ Generic: { input: { q: 1 }, expected_output: [2] } });
      const reported = events.flatMap(({ event }): object[] => {
        if (event.type === 'datapoint_created' && event.datapoint.dataset_id === rule.dataset_id)
          return [event.datapoint];
        return event.type === 'capture_triggered' && event.rule_id === rule.id ? [event] : [];
      });
      for (const datapoint of made) {
        expect(reported).toContainEqual(datapoint);
        expect(reported).toContainEqual({
          type: 'capture_triggered',
          rule_id: rule.id,
          span_id: datapoint.source_span_id,
          datapoint_id: datapoint.id,
        });
      }
      expect(reported).toHaveLength(4);
      const { body: dataset } = await api.get<DatasetResource>(`/api/datasets/${rule.dataset_id}`);
      expect(dataset.datapoint_count).toBe(2);
      expect(dataset.version).toBeGreaterThan(0);
      expect((await readRule(rule)).updated_at).toBe(rule.updated_at);
    });

    it('is one datapoint for each rule that takes the span', async () => {
      const { name, rule } = await newNamedRule();
      const sibling = await newRule(rule.dataset_id, { filters: { name_contains: name } });
      const ids = await finish(name, 3);
      await settled();
      const made = await datapoints(rule.dataset_id);
      expect(made.map(({ source_span_id: id }) => id).sort()).toEqual([...ids, ...ids].sort());
      expect([(await readRule(rule)).captured_count, (await readRule(sibling)).captured_count]).toEqual([3, 3]);
    });

    it('is nothing for a span that still runs', async () => {
      const { name, rule } = await newNamedRule();
      const traceId = await newTrace();
      await server().api.post('/api/spans', { trace_id: traceId, name });
      await ingest([{ id: newId(), trace_id: traceId, name, status: 'running' }]);
      const [ended] = await finish(name);
      expect(await capturedBy(rule)).toEqual([ended]);
    });

    it('is complete and in bounded steps for large spans', async () => {
      const { name, rule } = await newNamedRule();
      await newRule(rule.dataset_id, { filters: { name_contains: name } });
      const input = 'x'.repeat(1_100_000);
      const ids: string[] = [];
      for (let n = 0; n < 4; n++) ids.push(...(await finish(name, 1, { input })));
      await settled();
      const made = await datapoints(rule.dataset_id);
      expect(made.map(({ source_span_id: id }) => id).sort()).toEqual([...ids, ...ids].sort());
      for (const { kind } of made) expect('Generic' in kind && kind.Generic.input === input).toBe(true);
    });
  });

  describe('at most once', () => {
    it('however often a span is sent, corrected, deleted and sent again', async () => {
      const { name, rule } = await newNamedRule();
      const traceId = await newTrace();
      const spans = ['a', 'b', 'c'].map((n) => ({
        id: `${name}-${n}`,
        trace_id: traceId,
        name,
        status: 'completed',
        input: n,
      }));
      await Promise.all([ingest(spans), ingest(spans), ingest(spans)]);
      await ingest([...spans, ...spans]);
      await ingest(spans.map((span) => ({ ...span, output: 'corrected' })));
      expect((await server().api.post(`/api/spans/${name}-a/complete`, {})).status).toBe(409);
      await settled();
      await server().api.delete(`/api/spans/${name}-b`);
      await ingest(spans);
      expect(await capturedBy(rule)).toEqual(spans.map(({ id }) => id));
    });

    it('also when its datapoint was deleted, and when the task comes back', async () => {
      const { name, rule } = await newNamedRule();
      const [spanId] = await finish(name);
      await settled();
      const [datapoint] = await datapoints(rule.dataset_id);
      await server().api.delete(`/api/datasets/${rule.dataset_id}/datapoints/${datapoint!.id}`);
      await leaveTask(rule.id, spanId!, 0);
      await doDue(Date.now());
      expect(await datapoints(rule.dataset_id)).toEqual([]);
      expect((await readRule(rule)).captured_count).toBe(1);
      expect(await count('capture_task', rule.id)).toBe(0);
    });

    it('with two workers at the same tasks', async () => {
      const { name, rule } = await newNamedRule();
      const ids = await finish(name, 150);
      await Promise.all([doDue(Date.now()), doDue(Date.now()), doDue(Date.now())]);
      expect(await capturedBy(rule)).toEqual(ids.sort());
    });
  });

  describe('whether a rule takes a span', () => {
    it('is sampled', async () => {
      const { name, rule } = await newNamedRule();
      const rates = [0, 0.2, 0.7];
      const sampled: CaptureRuleResource[] = [];
      for (const rate of rates) {
        sampled.push(await newRule(await newDataset(), { filters: { name_contains: name }, sample_rate: rate }));
      }
      const ids = await finish(name, 400);
      const [{ trace_id: traceId }] = (await server().api.spans(`name_contains=${name}`)) as [SpanResource];
      const [none, few, many] = await Promise.all(sampled.map(capturedBy));
      expect(await capturedBy(rule)).toEqual(ids.sort());
      expect(none).toEqual([]);
      // Six standard deviations.
      expect(Math.abs(few!.length - 80)).toBeLessThan(48);
      expect(Math.abs(many!.length - 280)).toBeLessThan(55);
      // Equal spans end again as new ones: the sample takes the same ones.
      await server().storage.write(async (tx) => {
        await tx.run(sql`delete from capture where rule_id = ${sampled[1]!.id}`);
      });
      await server().api.delete(`/api/traces/${traceId}`);
      const again = await newTrace();
      await ingest(ids.map((id) => ({ id, trace_id: again, name, status: 'completed' })));
      await settled();
      const both = (await datapoints(sampled[1]!.dataset_id)).map(({ source_span_id: id }) => id!);
      expect(both.sort()).toEqual([...few!, ...few!].sort());
    });

    it('is decided with the rule as it is when the span ends', async () => {
      const { name, rule } = await newNamedRule();
      const put = (body: object) => server().api.send('PUT', at(rule.dataset_id, rule.id), body);
      await put({ enabled: false });
      await finish(name);
      await settled();
      await put({ enabled: true });
      const [taken] = await finish(name);
      await settled();
      await put({ filters: { name_contains: `${name}-x` } });
      await finish(name);
      const [later] = await finish(`${name}-x`);
      expect(await capturedBy(rule)).toEqual([taken!, later!].sort());
    });

    it('looks at the project of the span alone', async () => {
      const { name, rule } = await newNamedRule();
      const foreign = { 'x-test-project': `foreign-${name}` };
      const span = { id: `${name}-f`, trace_id: 't', name, status: 'completed' };
      const { api } = server();
      expect((await api.send('POST', '/api/ingest', { traces: [{ id: 't' }], spans: [span] }, foreign)).status).toBe(
        200,
      );
      const [own] = await finish(name);
      expect(await capturedBy(rule)).toEqual([own]);
      const { body: dataset } = await api.send<DatasetResource>('POST', '/api/datasets', { name: 'd' }, foreign);
      const { body: theirs } = await api.send<CaptureRuleResource>('POST', at(dataset.id), { name: 'r' }, foreign);
      await api.send('POST', '/api/ingest', { spans: [{ ...span, id: `${name}-g` }] }, foreign);
      await until(async () => {
        const { body } = await api.send<CaptureRuleResource>('GET', at(dataset.id, theirs.id), undefined, foreign);
        return body.captured_count === 1;
      });
      expect(await capturedBy(rule)).toEqual([own]);
    });
  });

  describe('tasks left over', () => {
    it('are done by anyone who starts next', async () => {
      const { name, rule } = await newNamedRule({ filters: { status: 'failed' } });
      const [spanId] = await finish(name);
      await settled();
      expect(await capturedBy(rule)).toEqual([]);
      await leaveTask(rule.id, spanId!, Date.now() + HOUR_MS);
      await doDue(Date.now());
      expect(await capturedBy(rule)).toEqual([]);
      await doDue(Date.now() + 2 * HOUR_MS);
      expect(await capturedBy(rule)).toEqual([spanId]);
    });

    it('end quietly when span, rule or trace are gone or the rule is off', async () => {
      const { name, rule } = await newNamedRule();
      const [deleted, cleared, disabled] = await finish(`other-${newId()}`, 3);
      const running = newId();
      await ingest([{ id: running, trace_id: await newTrace(), name: 'other', status: 'running' }]);
      const { api } = server();
      const off = await newRule(rule.dataset_id, { enabled: false });
      for (const [ruleId, spanId] of [
        [rule.id, deleted],
        [rule.id, cleared],
        [rule.id, running],
        [off.id, disabled],
        ['no-rule', disabled],
      ] as const) {
        await leaveTask(ruleId, spanId!, Date.now() + HOUR_MS);
      }
      const { body: span } = await api.get<SpanResource>(`/api/spans/${cleared!}`);
      await api.delete(`/api/spans/${deleted!}`);
      await api.delete(`/api/traces/${span.trace_id}`);
      await doDue(Date.now() + 2 * HOUR_MS);
      expect(await capturedBy(rule)).toEqual([]);
      for (const id of [rule.id, off.id, 'no-rule']) expect(await count('capture_task', id)).toBe(0);
      expect(errors()).toEqual([]);
      expect(name).toBeDefined();
    });

    it('that cannot be done hold up no other, are tried again ever later, and are given up with a line in the log', async () => {
      const { name, rule } = await newNamedRule();
      const traceId = await newTrace();
      const spans = Array.from({ length: 12 }, (_, n) => ({
        id: `${name}-${n}`,
        trace_id: traceId,
        name,
        status: 'completed',
        input: n === 5 ? POISON : n,
      }));
      await ingest(spans);
      const good = spans.filter(({ input }) => input !== POISON).map(({ id }) => id);
      await until(async () => (await capturedBy(rule)).length === good.length);
      expect(await capturedBy(rule)).toEqual(good.sort());
      const failures = async (): Promise<number[]> =>
        (
          await server().storage.read(
            anyRows<{ failures: number }>()`select failures from capture_task where rule_id = ${rule.id}`,
          )
        ).map((row) => row.failures);
      const tried = (await failures())[0]!;
      expect(tried).toBeGreaterThanOrEqual(1);
      let now = Date.now();
      for (let n = tried + 1; n <= 4; n++) {
        await doDue((now += HOUR_MS));
        expect(await failures()).toEqual([n]);
        await doDue(now + 500);
        expect(await failures()).toEqual([n]);
      }
      expect(errors()).toEqual([]);
      await doDue((now += HOUR_MS));
      expect(await failures()).toEqual([]);
      expect(errors()).toEqual([expect.objectContaining({ rule_id: rule.id, span_id: `${name}-5` })]);
      expect(await capturedBy(rule)).toEqual(good.sort());
    });
  });

  describe('deleting', () => {
    it('a rule takes its tasks and captures along and leaves the datapoints', async () => {
      const { name, rule } = await newNamedRule();
      await finish(name, 5);
      await settled();
      await leaveTask(rule.id, 'span', Date.now() + HOUR_MS);
      expect((await server().api.delete(at(rule.dataset_id, rule.id))).status).toBe(200);
      for (const table of ['capture', 'capture_task', 'capture_rule'] as const) {
        expect([table, await count(table, rule.id)]).toEqual([table, 0]);
      }
      expect(await datapoints(rule.dataset_id)).toHaveLength(5);
      await finish(name);
      await settled();
      expect(await datapoints(rule.dataset_id)).toHaveLength(5);
    });

    it('a dataset takes its rules along, also while they capture', async () => {
      const { name, rule } = await newNamedRule();
      const { rule: other } = await newNamedRule({ filters: { name_contains: name } });
      const ids = await finish(name, 150);
      expect((await server().api.delete(`/api/datasets/${rule.dataset_id}`)).status).toBe(200);
      await settled();
      for (const table of ['capture', 'capture_task', 'capture_rule'] as const) {
        expect([table, await count(table, rule.id)]).toEqual([table, 0]);
      }
      const left = anyRows()`select 1 as one from datapoint where dataset_id = ${rule.dataset_id} limit 1`;
      expect(await server().storage.read(left)).toEqual([]);
      expect(await capturedBy(other)).toEqual(ids.sort());
    });

    it('all traces leaves what was captured', async () => {
      const { name, rule } = await newNamedRule();
      const ids = await finish(name, 3);
      await settled();
      expect((await server().api.delete('/api/traces')).status).toBe(200);
      expect(await capturedBy(rule)).toEqual(ids.sort());
    });
  });
}
