/** Replays (docs/spec/replay.md), in this process, on both databases. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  DatapointResource,
  EvalRunResource,
  EvalStatistics,
  ReplayResource,
  TraceListItem,
} from '@spandrel/contract';
import { EvalsLab } from '../evals/evals-lab.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

const MARKS = { truncated: 15, masked: 12, failed: 8, running: 3, not_llm_call: 2 } as const;
const TOOLS = [{ type: 'function', function: { name: 'tides', parameters: { type: 'object' } } }];

describeOnBothDatabases('replays', ({ newDatabase }) => {
  let lab: EvalsLab;
  beforeAll(async () => {
    lab = await EvalsLab.open(await newDatabase('replays'));
  });
  afterAll(() => lab?.close());

  /** Records calls: what each says, by its number. @returns their ids, in the order of their start. */
  const record = async (name: string, spans: object[], tags: string[] = []): Promise<string[]> => {
    const items = spans.map((span, index) => ({
      ...{ id: `${name}-${index}`, trace_id: name, name: 'answer' },
      kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 1_000, output_tokens: 100 },
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: `${name} question ${index}` },
      ],
      output: { text: `You said: ${name} question ${index}`, finish_reason: 'stop' },
      started_at: new Date(Date.now() - 60_000 + index).toISOString(),
      ended_at: new Date(Date.now() - 58_000 + index).toISOString(),
      ...span,
    }));
    const { body } = await lab.api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: [{ id: name, tags }],
      spans: items,
    });
    expect(body.rejected).toEqual([]);
    return items.map(({ id }) => id);
  };
  const post = <Body = ReplayResource>(body: object) => lab.api.post<Body>('/api/replays', body);
  const replay = async (body: object): Promise<ReplayResource> => {
    const change = { connection_id: lab.connectionId };
    const answer = await post({ name: 'try', scoring: 'Contains', change, ...body });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body;
  };
  const runsOf = async ({ baseline_run_id: baseline, run_id: run }: ReplayResource): Promise<EvalRunResource[]> => [
    await lab.ended(baseline),
    await lab.ended(run),
  ];
  const datapointsOf = async ({ dataset_id: id }: ReplayResource): Promise<DatapointResource[]> =>
    (await lab.api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${id}/datapoints`)).body.datapoints;
  /** The bodies that the model was asked with. */
  const asked = (word: string): Record<string, unknown>[] =>
    lab.provider.requests
      .map(({ body }) => JSON.parse(String(body)))
      .filter((body) => JSON.stringify(body).includes(word));

  it('leave out what cannot be repeated, and pair the rest with what was recorded', async () => {
    const left = Object.entries(MARKS).flatMap(([mark, count]) => Array.from({ length: count }, () => mark));
    const spanOf = (mark: string | undefined): object => {
      if (mark === 'truncated') return { metadata: { truncated: true } };
      if (mark === 'masked') return { input: [{ role: 'user', content: 'Write to [email:abcdefghijklmnopqrst]' }] };
      if (mark === 'failed') return { error: 'HTTP 500: no' };
      if (mark === 'running') return { ended_at: null, output: null };
      return mark === 'not_llm_call' ? { kind: { type: 'tool_call' } } : {};
    };
    // The marks lie between the others.
    const marks = Array.from({ length: 300 }, (_, i) => (i % 7 === 0 ? left[i / 7] : undefined));
    const ids = await record('many', marks.map(spanOf));
    const begun = await replay({ source: { span_ids: [...ids, 'nowhere'] } });
    expect(begun).toMatchObject({
      ...{ status: 'ready', error: null, matched: 301, taken: 301, replayed: 260 },
      left_out: [...Object.entries({ ...MARKS, not_found: 1 })].map(([reason, count]) => ({ reason, count })),
      change: { connection_id: lab.connectionId },
    });
    expect(begun.left_out.at(-1)!.span_ids).toEqual(['nowhere']);
    const [baseline, run] = await runsOf(begun);
    expect(baseline).toMatchObject({
      ...{ status: 'completed', execution: 'external', total: 260, failed_count: 0, avg_score: 1 },
      config: { model: 'gpt-5.1', connection_id: null },
    });
    expect(baseline!.call_cost).toBeCloseTo(260 * (1_000 * 1.25e-6 + 100 * 1e-5), 6);
    expect(run).toMatchObject({ status: 'completed', execution: 'server', total: 260, failed_count: 0, avg_score: 1 });

    const datapoints = await lab.api.get<{ datapoints: DatapointResource[] }>(
      `/api/datasets/${begun.dataset_id}/datapoints?limit=1000`,
    );
    const spanIds = new Map(datapoints.body.datapoints.map(({ id, source_span_id }) => [id, source_span_id]));
    expect([...spanIds.values()].toSorted()).toEqual(ids.filter((_, i) => marks[i] === undefined).toSorted());
    for (const item of [...baseline!.result_items, ...run!.result_items]) {
      const number = spanIds.get(item.datapoint_id)!.split('-')[1];
      expect(item.output).toBe(`You said: many question ${number}`);
    }
    expect(baseline!.result_items[0]).toMatchObject({ latency_ms: 2_000, tokens: 1_100, trace_id: 'many' });
    const { body: statistics } = await lab.api.get<EvalStatistics>(
      `/api/eval/${begun.run_id}/statistics?baseline=${begun.baseline_run_id}`,
    );
    expect(statistics.comparison).toMatchObject({
      ...{ pairs: 260, unpaired_run: 0, unpaired_baseline: 0 },
      score: { same: 260, verdict: 'no_difference' },
    });
    expect(statistics.comparison!.latency_ms.diff).toBeLessThan(0);

    const found = await lab.api.get<{ replays: ReplayResource[] }>(`/api/replays?run_id=${begun.baseline_run_id}`);
    expect(found.body.replays).toEqual([begun]);
    expect((await lab.api.get(`/api/replays/${begun.id}`)).body).toEqual(begun);
  });

  it('take what the filters take, in a sample that is exact and the same each time', async () => {
    await record(
      'sampled',
      Array.from({ length: 40 }, () => ({})),
      ['prod'],
    );
    await record('other', [{}], ['staging']);
    const source = { filters: { tag: 'prod', name_contains: 'answer', tokens_min: 5 }, sample: 12, seed: 7 };
    const [one, two] = [await replay({ source }), await replay({ source })];
    const spansOf = async (begun: ReplayResource) =>
      (await datapointsOf(begun)).map(({ source_span_id: id }) => id).toSorted();
    expect(one).toMatchObject({ matched: 40, taken: 12, replayed: 12, left_out: [] });
    expect(await spansOf(one)).toHaveLength(12);
    expect(await spansOf(one)).toEqual(await spansOf(two));
    const other = await replay({ source: { ...source, seed: 8 } });
    expect(await spansOf(other)).not.toEqual(await spansOf(one));
    const newest = await replay({ source: { filters: { tag: ['prod'] }, max: 3 } });
    expect(newest).toMatchObject({ matched: 40, taken: 3 });
    expect(await spansOf(newest)).toEqual(['sampled-37', 'sampled-38', 'sampled-39']);
    await runsOf(newest);
  });

  it('do not take what evaluations asked, unless that is asked for', async () => {
    await record('asked', [{}]);
    await record('by-run', [{}], ['eval']);
    const since = { filters: { name_contains: 'answer', model: 'gpt-5.1', text_contains: 'question 0' } };
    const begun = await replay({ source: since });
    expect((await datapointsOf(begun)).map(({ source_span_id: id }) => id)).not.toContain('by-run-0');
    expect(await replay({ source: { filters: { tag: 'eval', trace_id: 'by-run' } } })).toMatchObject({ replayed: 1 });
    expect(await replay({ source: { span_ids: ['by-run-0'] } })).toMatchObject({ replayed: 1 });
  });

  it('send what was recorded beside the messages, and the system prompt as it is changed', async () => {
    const tool = { id: 'c1', name: 'tides', arguments: '{"at":"Brest"}' };
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'When is high water?' },
      { role: 'assistant', content: null, tool_calls: [tool] },
      { role: 'tool', tool_call_id: 'c1', content: '07:12' },
    ];
    const request = { tools: TOOLS, temperature: 0.3, max_tokens: 50, stream: true };
    const [id] = await record('tools', [
      {
        input: messages,
        metadata: { request },
        output: { text: null, finish_reason: 'tool_calls', tool_calls: [tool] },
      },
    ]);
    const send = async (change: object): Promise<Record<string, unknown>> => {
      lab.provider.requests.length = 0;
      const begun = await replay({
        source: { span_ids: [id] },
        change: { connection_id: lab.connectionId, ...change },
      });
      const [baseline] = await runsOf(begun);
      expect(JSON.parse(baseline!.result_items[0]!.output!)).toMatchObject({ tool_calls: [{ name: 'tides' }] });
      return asked('high water')[0]!;
    };
    const own = { ...tool, type: 'function', function: { name: 'tides', arguments: '{"at":"Brest"}' } };
    const { id: callId, type, function: called } = own;
    const rest = [
      messages[1],
      { role: 'assistant', content: null, tool_calls: [{ id: callId, type, function: called }] },
      messages[3],
    ];
    expect(await send({})).toEqual({
      ...{ model: 'gpt-5.1', tools: TOOLS, temperature: 0.3, max_completion_tokens: 50 },
      messages: [messages[0], ...rest],
    });
    const replaced = await send({
      model: 'gpt-5',
      system_prompt: { replace: 'Rhyme.' },
      parameters: { temperature: 0 },
    });
    expect(replaced).toMatchObject({
      ...{ model: 'gpt-5', temperature: 0, max_completion_tokens: 50 },
      messages: [{ role: 'system', content: 'Rhyme.' }, ...rest],
    });
    expect(await send({ system_prompt: { append: 'Rhyme.' } })).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.\n\nRhyme.' }, ...rest],
    });
  });

  it('are judged by one judge, and by gates against what was recorded', async () => {
    const ids = await record('judged', [{}, {}, {}]);
    const judge = { model: 'fake:judge:0.5', rubric: 'Is it good?' };
    const gates = [{ metric: 'regression' }, { metric: 'mean', op: '>', value: 0.9 }];
    const begun = await replay({ source: { span_ids: ids }, scoring: 'LlmJudge', judge, gates });
    const [baseline, run] = await runsOf(begun);
    expect(baseline).toMatchObject({
      avg_score: 0.5,
      config: { judge: { connection_id: lab.connectionId, ...judge } },
    });
    expect(run).toMatchObject({
      ...{ avg_score: 0.5, passed: false },
      gates: [
        { metric: 'regression', baseline_run_id: begun.baseline_run_id, passed: true },
        { metric: 'mean', passed: false },
      ],
    });
  });

  it('are judged by preference, beside what was recorded', async () => {
    const ids = await record('preferred', [{}, {}, { output: { text: 'Something else.' } }]);
    const judge = { model: 'fake:huge:0' };
    const begun = await replay({ source: { span_ids: ids }, scoring: 'Preference', judge });
    const [baseline, run] = await runsOf(begun);
    expect(baseline).toMatchObject({ status: 'completed', scoring: 'External', avg_score: null });
    expect(run).toMatchObject({ scoring: 'Preference', baseline_run_id: begun.baseline_run_id });
    // Equal answers are ties without a judge; this judge says nothing about the third.
    expect(run!.result_items.map(({ score }) => score).toSorted()).toEqual([0.5, 0.5, null].toSorted());
    const { body } = await lab.api.get<EvalStatistics>(
      `/api/eval/${begun.run_id}/statistics?baseline=${begun.baseline_run_id}`,
    );
    expect(body.scorers['Preference']!.preference).toMatchObject({ wins: 0, ties: 2, losses: 0 });
    // Beside a scorer that still looks at what was recorded.
    const scorers = [
      { scoring: 'Preference' },
      { scoring: 'LlmJudge', judge: { model: 'fake:slow:300 fake:judge:1' } },
    ];
    const [, both] = await runsOf(await replay({ source: { span_ids: ids.slice(0, 2) }, scoring: undefined, scorers }));
    expect(both!.result_items.map(({ scores }) => scores['Preference']!.score)).toEqual([0.5, 0.5]);
  });

  describe('that are refused', () => {
    const change = () => ({ connection_id: lab.connectionId });
    it.each([
      ['neither ids nor filters', { source: {} }, 'source.span_ids'],
      ['both', { source: { span_ids: ['a'], filters: {} } }, 'source.span_ids'],
      ['an unknown filter', { source: { filters: { tags: 'x' } } }, 'source.filters.tags'],
      ['a filter that is none', { source: { filters: { status: 'gone' } } }, 'source.filters.status'],
      ['no scoring', { scoring: undefined }, 'scoring'],
      ['two changes of the prompt', { system_prompt: { replace: 'a', append: 'b' } }, 'change.system_prompt'],
      ['an unknown parameter', { parameters: { top_p: 1 } }, 'change.parameters.top_p'],
      ['too large a sample', { source: { filters: {}, sample: 10_001 } }, 'source.sample'],
      ['an unknown scorer', { scoring: 'Nobody' }, 'scoring'],
    ])('for %s', async (_what, body, path) => {
      const { source, scoring, ...changed } = { source: { span_ids: ['a'] }, scoring: 'None', ...body } as never as {
        source: object;
        scoring: string;
      };
      const answer = await post<{ errors: { path: string }[] }>({
        ...{ name: 'no', source, scoring, change: { ...change(), ...changed } },
      });
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path]);
    });

    it('leave nothing behind', async () => {
      const countAll = async () => {
        const datasets = await lab.api.get<{ count: number }>('/api/datasets?limit=1000');
        const replays = await lab.api.get<{ count: number }>('/api/replays?limit=1000');
        return [datasets.body.count, replays.body.count];
      };
      const [id] = await record('refused', [{}]);
      const before = await countAll();
      const body = { name: 'no', scoring: 'None', source: { span_ids: [id] } };
      expect(await post({ ...body, source: { span_ids: ['gone'] }, change: change() })).toMatchObject({
        status: 400,
        body: { code: 'nothing_to_replay', detail: expect.stringContaining('1 not_found') },
      });
      expect(await post({ ...body, change: { connection_id: 'gone' } })).toMatchObject({
        ...{ status: 404, body: { code: 'connection_not_found' } },
      });
      // What the run alone can say comes when its dataset is there.
      const cap = await post({ ...body, change: { ...change(), model: 'no-price' }, max_cost_usd: 1 });
      expect(cap).toMatchObject({ status: 400, body: { errors: [{ path: 'max_cost_usd' }] } });
      // All who ask for one replay at the same time are answered what is wrong with it.
      const gates = [{ metric: 'regression', baseline_run_id: 'gone' }];
      const many = Array.from({ length: 6 }, () =>
        post<{ code: string }>({ ...body, id: 'many', change: change(), gates }),
      );
      const codes = (await Promise.all(many)).map((answer) => answer.body.code);
      expect(codes).toEqual(codes.map(() => 'eval_run_not_found'));
      expect(await countAll()).toEqual(before);
    });
  });

  it('answer the same request again with the same replay', async () => {
    const ids = await record('again', [{}, {}]);
    const body = {
      id: 'nightly',
      name: 'n',
      scoring: 'None',
      source: { span_ids: ids },
      change: { connection_id: lab.connectionId },
    };
    const [one, two] = await Promise.all([post(body), post(body)]);
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body).toEqual(two.body);
    expect(await datapointsOf(one.body)).toHaveLength(2);
    expect((await post({ ...body, name: 'other' })).body).toMatchObject({ code: 'id_conflict' });
  });

  it('go with their dataset', async () => {
    const [id] = await record('gone', [{}]);
    const begun = await replay({ source: { span_ids: [id] } });
    await runsOf(begun);
    await lab.api.delete(`/api/datasets/${begun.dataset_id}`);
    expect((await lab.api.get(`/api/replays/${begun.id}`)).body).toMatchObject({ code: 'replay_not_found' });
    expect((await lab.api.get<{ traces: TraceListItem[] }>('/api/traces?limit=1')).status).toBe(200);
  });
});
