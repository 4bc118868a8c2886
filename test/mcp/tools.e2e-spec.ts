/** The tools of MCP by the official clients, on both transports, in local mode (docs/spec/mcp.md). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalStatistics } from '@spandrel/contract';
import { ConnectionsSettings } from '@spandrel/connections';
import { EvalsSettings } from '@spandrel/evals';
import { McpSettings } from '@spandrel/mcp';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import { CONNECTIONS, type Answered, type Listed, type McpClient } from './clients.ts';
import { plant, WORST, type Planted } from './planted.ts';

let app: ServerApp;
let planted: Planted;
const clients: Record<string, McpClient> = {};
let client: McpClient;

beforeAll(async () => {
  app = await startServerApp(
    { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') },
    {
      settings: (settings) => {
        settings.of(McpSettings).write = true;
        settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
        // Runs wait, so that they can be looked at and cancelled.
        settings.of(EvalsSettings).paused = true;
      },
    },
  );
  planted = await plant(app.api);
  for (const [name, connect] of Object.entries(CONNECTIONS)) clients[name] = await connect({ url: app.url });
  client = clients['client 2 over HTTP']!;
});

afterAll(async () => {
  for (const each of Object.values(clients)) await each.close();
  await app?.close();
});

const READS = [
  ...['get_analytics', 'get_run', 'get_span', 'get_trace', 'list_datapoints', 'list_datasets', 'list_reviews'],
  ...['list_scores', 'list_run_items', 'list_runs', 'list_sessions', 'list_spans', 'list_traces'],
];
const WRITES = [
  'add_datapoints',
  'add_score',
  'cancel_run',
  'create_dataset',
  'enqueue_reviews',
  'export_span',
  'start_run',
];

/** A call of each tool that reads, with data that is there. */
const readCalls = (): [string, Record<string, unknown>][] => [
  ['get_analytics', { group_by: 'hour' }],
  ['get_run', { run_id: planted.run.id, baseline: planted.baseline.id, cluster_by: 'topic', group_by: ['topic'] }],
  ['get_span', { span_id: `${planted.hugeTraceId}-span` }],
  ['get_span', { span_id: `${planted.hugeTraceId}-span`, field: 'error', offset: 1_000 }],
  ['get_trace', { trace_id: planted.hugeTraceId }],
  ['get_trace', { trace_id: planted.deepTraceId }],
  ['get_trace', { trace_id: planted.deepTraceId, depth: 2 }],
  ['get_trace', { trace_id: planted.deepTraceId, only: 'failed' }],
  ['get_trace', { trace_id: planted.deepTraceId, only: 'slow' }],
  ['list_datapoints', { dataset_id: planted.dataset.id }],
  ['list_datasets', {}],
  ['list_reviews', {}],
  ['list_scores', {}],
  ['list_reviews', { dataset_id: planted.dataset.id, status: 'pending' }],
  ['list_run_items', { run_id: planted.run.id, sort: 'worst' }],
  ['list_runs', { dataset_id: planted.dataset.id, metadata: { branch: 'after' } }],
  ['list_sessions', {}],
  ['list_spans', { status: 'failed' }],
  ['list_spans', { kind: 'tool_call' }],
  ['list_traces', {}],
  ['list_traces', { ids: ['huge-1', 'huge-2'] }],
];

/** What the first client was answered, which all others must be, too. */
const firstAnswers: string[] = [];

const ok = (answered: Answered) => {
  if (answered.isError) throw new Error(answered.text);
  return answered.body;
};

describe.each(Object.keys(CONNECTIONS))('the %s', (name) => {
  it('lists every tool, with what it does to the world', async () => {
    const tools = await clients[name]!.list();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual([...READS, ...WRITES].toSorted());
    for (const { annotations, description, inputSchema, name: tool } of tools) {
      expect([tool, annotations]).toEqual([
        tool,
        {
          readOnlyHint: READS.includes(tool),
          destructiveHint: false,
          idempotentHint: READS.includes(tool) || ['cancel_run', 'enqueue_reviews'].includes(tool),
          openWorldHint: tool === 'start_run',
        },
      ]);
      expect(inputSchema.properties).toHaveProperty('max_chars');
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
      if (READS.includes(tool) && !['get_analytics'].includes(tool))
        expect(description).toContain('never instructions');
    }
    expect(clients[name]!.version()).toBe(name.startsWith('client 2') ? '2026-07-28' : '2025-11-25');
  });

  it('calls every tool that reads, with the same answers', async () => {
    for (const [index, [tool, args]] of readCalls().entries()) {
      const { text, isError } = await clients[name]!.call(tool, args);
      expect([tool, args, isError]).toEqual([tool, args, false]);
      expect(text.length).toBeLessThanOrEqual(20_000);
      expect(text).toBe((firstAnswers[index] ??= text));
    }
    expect(new Set(readCalls().map(([tool]) => tool)).size).toBe(READS.length);
  });
});

describe('an answer', () => {
  it.each([2_000, 3_333, 100_000])('of any tool has at most %i characters', async (max_chars) => {
    const huge: [string, Record<string, unknown>] = ['get_span', { span_id: planted.hugeSpanId }];
    for (const [tool, args] of [...readCalls(), huge]) {
      const limited = tool.startsWith('list_') ? { ...args, limit: 100 } : args;
      const { text, isError } = await client.call(tool, { ...limited, max_chars });
      expect([tool, args, isError, text.length <= max_chars]).toEqual([tool, args, false, true]);
    }
  });

  it('shows 20 items unless asked for more', async () => {
    const { traces, next_cursor } = ok(await client.call('list_traces', { tag: ['week'] }));
    expect([traces.length, typeof next_cursor]).toEqual([20, 'string']);
    const { body } = await client.call('list_datasets');
    expect(body.next_cursor).toBeNull();
  });

  it('pages through everything, however few of the items fit', async () => {
    const pagesOf = async (tool: string, member: string, args: Record<string, unknown>): Promise<string[]> => {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const body: Record<string, never> & { next_cursor: string | null } = ok(
          await client.call(tool, { ...args, limit: 100, max_chars: 6_000, ...(cursor !== null && { cursor }) }),
        );
        ids.push(
          ...(body[member] as unknown as Record<string, string>[]).map((item) => item['id'] ?? item['datapoint_id']!),
        );
        cursor = body.next_cursor;
      } while (cursor !== null);
      return ids;
    };
    expect(await pagesOf('list_traces', 'traces', {})).toEqual(planted.traceIds);
    expect(await pagesOf('list_datapoints', 'datapoints', { dataset_id: planted.dataset.id })).toEqual(
      planted.datapointIds,
    );
    expect(await pagesOf('list_run_items', 'items', { run_id: planted.run.id })).toEqual(planted.datapointIds);
    expect(await pagesOf('list_spans', 'spans', { trace_id: 'deep', sort_order: 'asc' })).toEqual(
      Array.from({ length: 300 }, (_, n) => `deep-${n}`),
    );
  });

  it('that reads a text of 10 MB piece by piece gives the text', async () => {
    for (const [field, original] of [
      ['input', planted.hugeInput],
      ['output', planted.hugeOutput],
    ] as const) {
      let together = '';
      let format = '';
      let next: Record<string, unknown> = { span_id: planted.hugeSpanId, field };
      for (;;) {
        const answered = await client.call('get_span', { ...next, max_chars: 100_000 });
        const piece = ok(answered);
        expect(answered.text.length).toBeLessThanOrEqual(100_000);
        expect(piece.offset).toBe(together.length);
        together += piece.text;
        format = piece.format;
        if (piece.next_offset === null) {
          expect(piece.total_chars).toBe(together.length);
          break;
        }
        expect(piece.read_on).toEqual({
          tool: 'get_span',
          arguments: { span_id: planted.hugeSpanId, field, offset: piece.next_offset },
        });
        next = piece.read_on.arguments;
      }
      expect(format).toBe(field === 'input' ? 'json' : 'text');
      // Equal texts of 10 MB are not to be printed where they differ.
      expect(field === 'input' ? together === JSON.stringify(original) : together === original).toBe(true);
    }
    expect(JSON.stringify(planted.hugeInput).length).toBeGreaterThan(8_500_000);
  });

  it('of a small span is the span', async () => {
    const { body: span } = await app.api.get<Record<string, unknown>>('/api/spans/week-1-span');
    const { id, trace_id, name, input, error, metadata, kind, started_at, ended_at } = span;
    expect(ok(await client.call('get_span', { span_id: 'week-1-span' }))).toEqual({
      ...{ id, trace_id, name, status: 'failed', input, error, metadata, kind, started_at, ended_at },
    });
  });

  it('of a trace is its tree', async () => {
    const { trace, spans, left_out } = ok(await client.call('get_trace', { trace_id: 'deep', max_chars: 100_000 }));
    expect([trace.span_count, spans.length, left_out]).toEqual([300, 300, undefined]);
    expect(spans.slice(0, 3)).toMatchObject([
      { depth: 0, id: 'deep-0' },
      { depth: 1, id: 'deep-1', parent_id: 'deep-0' },
      { depth: 2, id: 'deep-4', parent_id: 'deep-1' },
    ]);
    const shallow = ok(await client.call('get_trace', { trace_id: 'deep', depth: 1 }));
    expect([shallow.spans.length, shallow.left_out]).toEqual([4, 296]);
    const failed = ok(await client.call('get_trace', { trace_id: 'deep', only: 'failed' }));
    expect(failed.spans.map(({ id }: { id: string }) => id)).toEqual([
      'deep-7',
      'deep-67',
      'deep-127',
      'deep-187',
      'deep-247',
    ]);
    const slow = ok(await client.call('get_trace', { trace_id: 'deep', only: 'slow' }));
    expect([slow.spans.length, slow.spans[0].duration_ms, slow.spans[19].duration_ms]).toEqual([20, 49, 46]);
  });

  it('of a run has its statistics and its gates, and says how it differs', async () => {
    const shown = ok(
      await client.call('get_run', { run_id: planted.run.id, baseline: planted.baseline.id, max_chars: 100_000 }),
    );
    expect(shown.run).toMatchObject({ id: planted.run.id, status: 'completed', failed_count: 1, passed: false });
    expect(shown.gates).toMatchObject([
      { metric: 'mean', passed: false },
      { metric: 'regression', actual: 'worse', passed: false },
    ]);
    expect(shown.comparison.score).toMatchObject({ verdict: 'worse' });
    expect(Object.keys(shown.scorers)).toHaveLength(8);
    const by = { run_id: planted.run.id, baseline: planted.baseline.id, group_by: ['topic'] };
    const { groups, correction } = ok(await client.call('get_run', by));
    const { body: asked } = await app.api.get<EvalStatistics>(
      `/api/eval/${by.run_id}/statistics?baseline=${by.baseline}&group_by=topic`,
    );
    expect(correction).toEqual({ method: 'holm', tests: 4 });
    expect(groups).toHaveLength(4);
    for (const [at, { group, n, mean, comparison }] of asked.groups!.entries()) {
      const { p_holm, verdict } = comparison!;
      expect(groups[at]).toMatchObject({ group, n, mean, comparison: { p_holm, verdict } });
    }
    const { left_out } = ok(
      await client.call('get_run', { run_id: planted.run.id, baseline: planted.baseline.id, max_chars: 5_000 }),
    );
    expect(left_out).toMatchObject({ scorers: expect.any(Number) });
    const { items } = ok(await client.call('list_run_items', { run_id: planted.run.id, sort: 'worst', limit: 3 }));
    expect(items.map(({ score }: { score: number }) => score)).toEqual([0, 0, 0]);
  });
});

describe.each(Object.keys(CONNECTIONS))('an agent by the %s', (name) => {
  it('writes with every tool that writes', async () => {
    const { call } = clients[name]!;
    const { dataset } = ok(await call('create_dataset', { name: `by the ${name}`, description: null }));
    const dataset_id = dataset.id as string;
    const { datapoint_ids } = ok(
      await call('add_datapoints', {
        dataset_id,
        datapoints: [
          { Generic: { input: 'one', expected_output: 1 } },
          { LlmConversation: { messages: [{ role: 'user', content: 'two' }], expected: '2' } },
        ],
      }),
    );
    const { datapoint } = ok(await call('export_span', { dataset_id, span_id: 'week-0-span' }));
    const listed = ok(await call('list_datapoints', { dataset_id }));
    expect(listed.datapoints.map(({ id }: { id: string }) => id)).toEqual([...datapoint_ids, datapoint.id]);
    const scored = { id: `score-${name.replaceAll(' ', '-')}`, name: 'tone', value: 0.5, span_id: 'week-0-span' };
    const { score } = ok(await call('add_score', { ...scored, metadata: { by: 'agent' } }));
    expect(score).toMatchObject({ ...scored, source: 'code', metadata: { by: 'agent' } });
    expect(ok(await call('list_scores', { span_id: 'week-0-span', name: 'tone' })).scores[0]).toMatchObject(scored);
    const found = ok(await call('list_spans', { score: ['tone>=0.5', 'tone<1'] }));
    expect(found.spans).toMatchObject([{ id: 'week-0-span', scores: { tone: { mean: 0.5 } } }]);
    const span = ok(await call('get_span', { span_id: 'week-0-span' }));
    expect(span.scores[0]).toEqual({ name: 'tone', value: 0.5, source: 'code' });
    const { trace_id } = found.spans[0];
    const { trace, spans } = ok(await call('get_trace', { trace_id }));
    expect([trace.scores.tone.mean, spans[0].scores.tone.mean]).toEqual([0.5, 0.5]);
    expect(ok(await call('list_traces', { score: ['tone>=0.5'] })).traces[0].scores.tone.mean).toBe(0.5);
    for (const range of [{ group_by: 'week' }, { group_by: 'auto', since: trace.started_at }]) {
      const { scores } = ok(await call('get_analytics', { score: 'tone', ...range }));
      expect(scores).toEqual([expect.objectContaining({ mean: 0.5, min: 0.5, max: 0.5 })]);
    }
    expect(ok(await call('get_analytics', { score: 'tone', model: 'of nobody' })).scores).toEqual([]);
    const { reviews, count } = ok(await call('enqueue_reviews', { dataset_id, datapoint_ids }));
    expect([count, reviews.map(({ datapoint_id }: { datapoint_id: string }) => datapoint_id)]).toEqual([
      2,
      datapoint_ids,
    ]);
    const start = {
      ...{ dataset_id, id: `run-${name.replaceAll(' ', '-')}`, name: 'started by an agent', scoring: 'ExactMatch' },
      ...{
        config: { connection_id: planted.connectionId, model: 'gpt-4o-mini', temperature: 0.5 },
        max_cost_usd: 1,
        metadata: { by: 'agent' },
      },
    };
    const { run } = ok(await call('start_run', start));
    expect(run).toMatchObject({ id: start.id, status: 'pending', total: 3, model: 'gpt-4o-mini', max_cost_usd: 1 });
    expect(ok(await call('start_run', start)).run.id).toBe(run.id);
    const external = { dataset_id, name: 'of its own', execution: 'external', scoring: 'ExactMatch' };
    const run_id = ok(await call('start_run', external)).run.id as string;
    await app.api.post(`/api/eval/${run_id}/results`, { results: [{ datapoint_id: datapoint.id, output: 'x' }] });
    expect(ok(await call('cancel_run', { run_id })).run).toMatchObject({ status: 'cancelled', total: 3 });
    const { body } = await app.api.get<{ status: string }>(`/api/eval/${run_id}?items=none`);
    expect(body.status).toBe('cancelled');
  });
});

describe('an agent that sends every value as a text', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['list_spans', { limit: '3', max_chars: '50000' }, { limit: 3, max_chars: 50_000 }],
    ['list_traces', { ids: '["huge-1", "huge-2"]' }, { ids: ['huge-1', 'huge-2'] }],
    ['get_trace', { trace_id: 'deep', depth: '2' }, { trace_id: 'deep', depth: 2 }],
    ['list_spans', { status: '', model: '', cursor: '', sort_by: '', since: '', limit: '' }, {}],
    ['list_runs', { metadata: '{"branch": "after"}', passed: '' }, { metadata: { branch: 'after' } }],
    ['get_analytics', { since: '', until: '', model: '', group_by: 'week' }, { group_by: 'week' }],
  ])('is answered by %s with %j as with %j', async (tool, sent, meant) => {
    const [one, other] = [await client.call(tool, sent), await client.call(tool, meant)];
    expect([one.isError, one.text]).toEqual([false, other.text]);
  });

  it('reads a piece of a text', async () => {
    const place = { span_id: planted.hugeSpanId, field: 'input' };
    const sent = await client.call('get_span', { ...place, offset: '1000', chars: '50' });
    expect(ok(sent)).toMatchObject({ offset: 1_000 });
    expect(sent.text).toBe((await client.call('get_span', { ...place, offset: 1_000, chars: 50 })).text);
  });

  it('reads why a list is empty', async () => {
    const { spans, hint, next_cursor } = ok(await client.call('list_spans', { model: 'gpt-unknown', status: '' }));
    expect([spans, next_cursor]).toEqual([[], null]);
    expect(hint).toBe('nothing matches model: leave one out to see more; status: an empty text counts as left out');
    const filled = ok(await client.call('list_spans', { model: '', limit: '1' }));
    expect([filled.spans.length, filled.hint]).toEqual([1, undefined]);
  });
});

describe('what a tool is asked for wrongly', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['get_trace', { trace_id: 'nothing' }, 'trace_not_found', 'the trace does not exist'],
    ['get_span', { span_id: 'nothing' }, 'span_not_found', 'span'],
    ['get_span', {}, 'validation_failed', 'span_id is required'],
    ['get_span', { span_id: 'x', offset: 3 }, 'validation_failed', 'offset needs field'],
    [
      'list_spans',
      { modle: 'gpt' },
      'validation_failed',
      'modle is not an argument of this tool; did you mean "model"?',
    ],
    ['list_spans', { status: 'broken' }, 'validation_failed', 'status must be "running", "completed" or "failed"'],
    ['list_spans', { limit: 101 }, 'validation_failed', 'limit must be at most 100'],
    ['list_spans', { max_chars: 1_999 }, 'validation_failed', 'max_chars must be at least 2000'],
    ['list_spans', { max_chars: 100_001 }, 'validation_failed', 'max_chars must be at most 100000'],
    ['list_spans', { cursor: 'x' }, 'invalid_cursor', 'cursor'],
    ['list_spans', { model: { a: {} } }, 'validation_failed', 'model.a must be a text, a number, true or false'],
    ['list_runs', { dataset_id: 7.5, passed: 'perhaps' }, 'validation_failed', 'passed must be'],
    ['list_run_items', { run_id: 'nothing' }, 'eval_run_not_found', 'run'],
    ['get_analytics', { group_by: 'minute' }, 'validation_failed', 'since'],
    ['create_dataset', {}, 'validation_failed', 'name is required'],
    [
      'add_datapoints',
      { dataset_id: 'x', datapoints: [{ Generic: {} }] },
      'validation_failed',
      'datapoints[0].Generic.input is required',
    ],
    [
      'add_datapoints',
      { dataset_id: 'nothing', datapoints: [{ Generic: { input: 1 } }] },
      'dataset_not_found',
      'dataset',
    ],
    [
      'add_datapoints',
      { dataset_id: 'x', datapoints: Array.from({ length: 101 }, () => ({})) },
      'validation_failed',
      'at most 100 items',
    ],
    ['cancel_run', { run_id: 'nothing' }, 'eval_run_not_found', 'run'],
    ['start_run', { dataset_id: 'nothing', name: 'x' }, 'validation_failed', 'is required'],
    ['enqueue_reviews', { dataset_id: 'nothing', datapoint_ids: [] }, 'dataset_not_found', 'dataset'],
    ['add_score', { name: 'x', value: 1, trace_id: 'nothing' }, 'trace_not_found', 'trace'],
    ['add_score', { value: 1, trace_id: 'nothing' }, 'validation_failed', 'is required'],
  ])('by %s with %j is %s', async (tool, args, code, detail) => {
    const { isError, body, text } = await client.call(tool, args);
    expect([isError, body.code]).toEqual([true, code]);
    expect(body.detail).toContain(detail);
    expect(text.length).toBeLessThan(2_000);
  });

  it('is refused within the characters that were asked for, however many faults there are', async () => {
    const datapoints = Array.from({ length: 100 }, () => ({ Generic: { metadata: 7, score: 'x'.repeat(100) } }));
    const { body, text } = await client.call('add_datapoints', { dataset_id: 'x', datapoints, max_chars: 3_000 });
    expect(text.length).toBeLessThanOrEqual(3_000);
    expect(body.errors.length).toBeGreaterThan(10);
  });

  it('is an error of the protocol where there is no such tool', async () => {
    await expect(client.call('delete_everything')).rejects.toThrow(
      'there is no tool "delete_everything" for this caller',
    );
    await expect(client.call('search_spans', { query: 'x' })).resolves.toMatchObject({
      isError: true,
      body: { code: 'search_not_available' },
    });
  });
});

/**
 * An agent without a model: it knows the question, reads what the tools say of themselves, and goes from answer to answer.
 * It takes no argument that a tool does not list.
 */
class ScriptedAgent {
  constructor(
    private readonly mcp: McpClient,
    private readonly tools: readonly Listed[],
  ) {}

  /** The first tool whose description has all these words. */
  private choose(...words: string[]): Listed {
    const tool = this.tools.find(({ description }) => words.every((word) => description?.includes(word)));
    if (!tool) throw new Error(`no tool says: ${words.join(', ')}`);
    return tool;
  }

  private async use(tool: Listed, args: Record<string, unknown>) {
    for (const name of Object.keys(args)) {
      if (!tool.inputSchema.properties || !(name in tool.inputSchema.properties))
        throw new Error(`${tool.name} has no ${name}`);
    }
    const { body, isError } = await this.mcp.call(tool.name, args);
    if (isError) throw new Error(JSON.stringify(body));
    return body;
  }

  /** Which model fails most this week, and show me one failure. */
  async answer(now: number) {
    const since = new Date(now - 7 * 86_400_000).toISOString();
    const { models } = await this.use(this.choose('Sums', 'errors', 'by model'), { since });
    const [worst] = (models as { model: string | null; error_count: number; span_count: number }[])
      .filter(({ model }) => model !== null)
      .toSorted((a, b) => b.error_count - a.error_count);
    const list = this.choose('Lists spans', 'status: failed');
    const { spans } = await this.use(list, { model: worst!.model, status: 'failed', since, limit: 1 });
    const read = this.choose('Reads a span', 'error');
    const span = await this.use(read, { span_id: spans[0].id });
    return { ...worst!, failure: { error: span.error, input: span.input, trace: span.trace_id } };
  }
}

describe('an agent that has nothing but the tools', () => {
  it('says which model fails most this week, and shows one failure', async () => {
    const agent = new ScriptedAgent(client, await client.list());
    const { model, error_count, span_count, failure } = await agent.answer(Date.now());
    expect({ model, error_count, span_count }).toEqual({
      ...{ model: WORST.model, error_count: WORST.failures, span_count: WORST.calls },
    });
    expect(failure).toEqual({
      error: WORST.error,
      input: [{ role: 'user', content: expect.stringMatching(/^What is week-\d+\?$/) }],
      trace: expect.any(String),
    });
  });
});
