/** Scoring rules (docs/spec/online-scoring.md), in this process, on both databases. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  isInSample,
  sampleHash,
  type BackfillAnswer,
  type ScoreResource,
  type ScoringExplanation,
  type ScoringRuleResource,
  type ScoringTest,
} from '@spandrel/contract';
import {
  refused,
  said,
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from './evals/scripted-provider.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { until } from './support/spandrel.ts';

const JUDGED = '{"score": 0.75, "reason": "as the rubric says"}';

describeOnBothDatabases('scoring rules', ({ newDatabase }) => {
  let server: ServerApp;
  let provider: ScriptedProvider;
  let connection: string;
  let made = 0;
  /** What the judge answers. */
  let answer: () => ScriptedAnswer | Promise<ScriptedAnswer> = () => said(JUDGED);

  beforeAll(async () => {
    provider = await startScriptedProvider(() => answer());
    server = await startServerApp(await newDatabase('online_scoring'));
    connection = await connect();
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  const connect = async (url = provider.url): Promise<string> => {
    const body = { name: 'judge', provider: 'openai', api_key: 'sk-x', base_url: `${url}/v1`, default_model: 'gpt-4o' };
    return (await server.api.post<{ id: string }>('/api/provider-connections', body)).body.id;
  };
  const newRule = async (rule: object = {}): Promise<ScoringRuleResource> => {
    const judge = { connection_id: connection };
    const { status, body } = await server.api.post<ScoringRuleResource>('/api/scoring-rules', {
      ...{ name: `rule ${++made}`, scoring: 'LlmJudge', judge },
      ...rule,
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    return body;
  };
  const readRule = async (id: string) => (await server.api.get<ScoringRuleResource>(`/api/scoring-rules/${id}`)).body;
  const drop = (id: string) => server.api.delete(`/api/scoring-rules/${id}`);
  /** A trace with a call in it. */
  const record = async (given: { trace?: object; span?: object } = {}): Promise<{ trace: string; span: string }> => {
    const trace = `trace-${++made}`;
    const span = {
      ...{ id: `${trace}-span`, trace_id: trace, name: 'answer', input: 'Who?', output: 'Ada.' },
      ...{ started_at: new Date().toISOString(), ended_at: new Date().toISOString() },
      ...given.span,
    };
    const { body } = await server.api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: [{ id: trace, ...given.trace }],
      spans: [span],
    });
    expect(body.rejected).toEqual([]);
    return { trace, span: span.id };
  };
  const scoresOf = async (ruleId: string): Promise<ScoreResource[]> =>
    (await server.api.get<{ scores: ScoreResource[] }>(`/api/scores?rule_id=${ruleId}&limit=1000`)).body.scores;
  const explain = async (ruleId: string, query: string): Promise<ScoringExplanation> =>
    (await server.api.get<ScoringExplanation>(`/api/scoring-rules/${ruleId}/explain?${query}`)).body;

  it('judge spans as they end, once, and say so', async () => {
    const rule = await newRule({ score_name: 'helpful' });
    const { trace, span } = await record();
    await until(async () => (await scoresOf(rule.id)).length === 1);

    expect(await scoresOf(rule.id)).toMatchObject([
      {
        ...{ id: `rule:${rule.id}:${span}`, name: 'helpful', value: 0.75, comment: 'as the rubric says' },
        ...{ source: 'judge', rule_id: rule.id, span_id: span, trace_id: trace, author: `rule:${rule.id}` },
        metadata: { model: 'gpt-4o', selected_by: 'random' },
      },
    ]);
    expect(await readRule(rule.id)).toMatchObject({
      ...{ scored_count: 1, failed_count: 0, skipped_count: 0, last_error: null },
      state: { matched: 1, sampled: 1, scored: 1, failed: 0, pending: 0, lag_s: 0 },
    });
    expect((await readRule(rule.id)).spent_today).toBeGreaterThan(0);
    expect(await explain(rule.id, `span_id=${span}`)).toMatchObject({
      ...{ decision: 'scored', score_id: `rule:${rule.id}:${span}`, attempts: [], next_try_at: null },
    });
    const sent = JSON.stringify(provider.calls.at(-1));
    expect(sent).toContain('Ada.');
    await drop(rule.id);
    expect((await scoresOf(rule.id)).length).toBe(1);
  });

  it('record what ends at one time together', async () => {
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    answer = () => {
      if (++calls === 8) asked.resolve();
      return released.promise.then(() => said(JUDGED));
    };
    const rule = await newRule();
    const id = `trace-${++made}`;
    const now = new Date().toISOString();
    const span = { trace_id: id, name: 'answer', input: 'Who?', output: 'Ada.', started_at: now, ended_at: now };
    const spans = Array.from({ length: 8 }, (_, n) => ({ ...span, id: `${id}-${n}` }));
    await server.api.post('/api/ingest', { traces: [{ id }], spans });
    await asked.promise;
    released.resolve();
    answer = () => said(JUDGED);
    await until(async () => (await scoresOf(rule.id)).length === 8);
    expect(await readRule(rule.id)).toMatchObject({ scored_count: 8, state: { scored: 8, pending: 0 } });
    await drop(rule.id);
  });

  it('look at the traces that the documented hash chooses, and pass over what filters and tags exclude', async () => {
    const rate = 0.4;
    const rule = await newRule({ scoring: 'None', sample_rate: rate, filters: { name_contains: 'answer' } });
    const cohort = await newRule({ scoring: 'None', sample_rate: rate, cohort: 'mine' });
    const recorded = [];
    for (let n = 0; n < 30; n++) recorded.push(await record());
    const evaluated = await record({ trace: { tags: ['eval'] } });
    const other = await record({ span: { name: 'other' } });
    const running = await record({ span: { ended_at: undefined } });

    for (const { trace, span } of recorded) {
      const hash = sampleHash('local', trace);
      const { decision, ...shown } = await explain(rule.id, `span_id=${span}`);
      expect(shown).toMatchObject({ hash, sample_rate: rate });
      expect(decision === 'sampled_out').toBe(!isInSample(hash, rate));
      expect((await explain(cohort.id, `span_id=${span}`)).hash).toBe(sampleHash('mine', trace));
    }
    const why = async ({ span }: { span: string }) => {
      const { decision, failed_filter } = await explain(rule.id, `span_id=${span}`);
      return [decision, failed_filter];
    };
    expect(await why(evaluated)).toEqual(['filtered', 'exclude_tag']);
    expect(await why(other)).toEqual(['filtered', 'name_contains']);
    expect(await why(running)).toEqual(['not_ended', null]);
    await server.api.send('PUT', `/api/scoring-rules/${rule.id}`, { enabled: false });
    expect(await why(recorded[0]!)).toEqual(['disabled', null]);
    expect((await server.api.get<{ code: string }>(`/api/scoring-rules/${rule.id}/explain?span_id=x`)).body.code).toBe(
      'span_not_found',
    );
    for (const { id } of [rule, cohort]) await drop(id);
  });

  it.each([
    ['a scorer that needs an expected value', { scoring: 'ExactMatch', judge: undefined }, 'scoring'],
    ['a scorer that nobody has', { scoring: 'Guess' }, 'scoring'],
    ['a judge without a connection', { judge: { model: 'gpt-4o' } }, 'judge.connection_id'],
    ['a budget for a model without a price', { model: 'mystery', max_cost_usd_per_day: 1 }, 'max_cost_usd_per_day'],
    ['a trigger without its score', { trigger: 'score' }, 'on_score'],
    ['a filter that there is none of', { filters: { colour: 'red' } }, 'filters.colour'],
    ['a rate above 1', { sample_rate: 1.5 }, 'sample_rate'],
    ['a quiet time of spans', { quiet_ms: 5 }, 'quiet_ms'],
  ])('are refused with %s', async (_what, { model, ...rule }: { model?: string; [member: string]: unknown }, path) => {
    const judge = { connection_id: connection, ...(model && { model }) };
    const body = { name: 'x', scoring: 'LlmJudge', judge, ...rule };
    const answered = await server.api.post<{ errors: { path: string }[] }>('/api/scoring-rules', body);
    expect([answered.status, answered.body.errors?.map((error) => error.path)]).toEqual([400, [path]]);
  });

  it('are listed, changed and deleted', async () => {
    const rule = await newRule({ filters: { model: 'm' }, scoring_config: { rubric: 'Is it polite?' } });
    const path = `/api/scoring-rules/${rule.id}`;
    expect(await readRule(rule.id)).toEqual(rule);
    const listed = await server.api.get<{ scoring_rules: ScoringRuleResource[] }>('/api/scoring-rules');
    expect(listed.body.scoring_rules).toContainEqual(rule);
    const changed = await server.api.send<ScoringRuleResource>('PUT', path, {
      filters: { exclude_tag: [] },
      sample_rate: 0.5,
    });
    expect(changed.body).toMatchObject({
      ...{ name: rule.name, score_name: rule.name, filters: { exclude_tag: [] }, sample_rate: 0.5 },
      scoring_config: { rubric: 'Is it polite?' },
    });
    expect((await server.api.send<ScoringRuleResource>('PUT', path, { name: 'new' })).body.score_name).toBe('new');
    expect((await drop(rule.id)).body).toEqual({ id: rule.id, deleted: true });
    expect((await server.api.get<{ code: string }>(path)).body.code).toBe('scoring_rule_not_found');
  });

  it('keep what others change at the same time', async () => {
    const rule = await newRule();
    const changes = [{ name: 'one' }, { sample_rate: 0.5 }, { max_cost_usd_per_day: 3 }, { enabled: false }];
    await Promise.all(changes.map((change) => server.api.send('PUT', `/api/scoring-rules/${rule.id}`, change)));
    expect(await readRule(rule.id)).toMatchObject(Object.assign({}, ...changes));
    await drop(rule.id);
  });

  it('judge traces and sessions when they are quiet, and again when they went on', async () => {
    const trace = await newRule({ target: 'trace', quiet_ms: 100 });
    const session = await newRule({ target: 'session', quiet_ms: 100 });
    const { trace: id } = await record({ trace: { session_id: `s-${made}` } });
    const sessionId = `s-${made - 1}`;
    await until(async () => (await scoresOf(trace.id)).length === 1 && (await scoresOf(session.id)).length === 1);
    expect(await scoresOf(trace.id)).toMatchObject([{ trace_id: id, span_id: null, value: 0.75 }]);
    expect(await scoresOf(session.id)).toMatchObject([{ session_id: sessionId, trace_id: null }]);

    answer = () => said('{"score": 0.25, "reason": "worse"}');
    const now = new Date().toISOString();
    const spans = [{ id: `${id}-2`, trace_id: id, name: 'more', output: 'Bye.', started_at: now, ended_at: now }];
    await server.api.post('/api/ingest', { traces: [], spans });
    await until(async () => (await scoresOf(trace.id))[0]!.value === 0.25);
    answer = () => said(JUDGED);
    expect((await scoresOf(trace.id)).map(({ revisions }) => revisions.map(({ value }) => value))).toEqual([[0.75]]);
    expect((await explain(trace.id, `span_id=${id}-2`)).decision).toBe('scored');
    for (const rule of [trace, session]) await drop(rule.id);
  });

  it('say of a trace that went on while it was judged what was judged last', async () => {
    const judges = [0.25, 0.75].map((score) => ({ score, ...Promise.withResolvers<void>() }));
    let asked = 0;
    answer = async () => {
      const { score, promise } = judges[asked++] ?? judges[1]!;
      await promise;
      return said(`{"score": ${score}, "reason": "as it was"}`);
    };
    const rule = await newRule({ target: 'trace', quiet_ms: 0 });
    const { trace: id } = await record();
    await until(() => asked === 1);
    const now = new Date().toISOString();
    const spans = [{ id: `${id}-2`, trace_id: id, name: 'more', output: 'Bye.', started_at: now, ended_at: now }];
    await server.api.post('/api/ingest', { traces: [], spans });
    await until(() => asked === 2);
    judges[0]!.resolve();
    await until(async () => (await readRule(rule.id)).spent_today > 0);
    judges[1]!.resolve();
    await until(async () => (await readRule(rule.id)).state.pending === 0);
    answer = () => said(JUDGED);
    expect((await scoresOf(rule.id)).map(({ value }) => value)).toEqual([0.75]);
    await drop(rule.id);
  });

  it('judge what got a thumb down', async () => {
    const rule = await newRule({ trigger: 'score', on_score: { name: 'thumb', value: 0 } });
    const [down, up] = [await record(), await record()];
    await server.api.post('/api/scores', { name: 'thumb', value: 1, span_id: up.span });
    await server.api.post('/api/scores', { name: 'thumb', value: 0, span_id: down.span, source: 'end_user' });
    await until(async () => (await scoresOf(rule.id)).length === 1);
    expect(await scoresOf(rule.id)).toMatchObject([{ span_id: down.span, metadata: { selected_by: 'score' } }]);
    expect(await explain(rule.id, `span_id=${up.span}`)).toMatchObject({
      decision: 'filtered',
      failed_filter: 'on_score',
    });
    await drop(rule.id);
  });

  it('judge what got a thumb down before it had ended, and before it came', async () => {
    const rule = await newRule({ trigger: 'score', on_score: { name: 'thumb', value: 0 } });
    const { trace, span } = await record({ span: { output: undefined, ended_at: undefined } });
    const late = `${trace}-late`;
    for (const id of [late, span])
      await server.api.post('/api/scores', { name: 'thumb', value: 0, trace_id: trace, span_id: id });
    // Each is looked at in vain, in this order, and put off.
    const scored = Date.now();
    await until(async () => Date.parse((await explain(rule.id, `span_id=${span}`)).next_try_at ?? '') > scored);
    expect((await readRule(rule.id)).state.pending).toBe(2);
    expect((await explain(rule.id, `span_id=${span}`)).decision).toBe('not_ended');
    const now = new Date().toISOString();
    const ended = { trace_id: trace, name: 'answer', input: 'Who?', output: 'Ada.', started_at: now, ended_at: now };
    await server.api.post('/api/ingest', { spans: [span, late].map((id) => ({ id, ...ended })) });
    await until(async () => (await scoresOf(rule.id)).length === 2);
    expect((await readRule(rule.id)).state.pending).toBe(0);
    await drop(rule.id);
  });

  it('give what went on a score of the name that they have by then', async () => {
    const rule = await newRule({ target: 'trace', quiet_ms: 100 });
    const { trace } = await record();
    await until(async () => (await scoresOf(rule.id)).length === 1);
    expect((await server.api.send('PUT', `/api/scoring-rules/${rule.id}`, { name: `new ${rule.name}` })).status).toBe(
      200,
    );
    answer = () => said('{"score": 0.25, "reason": "worse"}');
    const now = new Date().toISOString();
    const spans = [{ id: `${trace}-2`, trace_id: trace, name: 'more', output: 'Bye.', started_at: now, ended_at: now }];
    await server.api.post('/api/ingest', { spans });
    await until(async () => (await scoresOf(rule.id))[0]!.value === 0.25);
    answer = () => said(JUDGED);
    expect(await scoresOf(rule.id)).toMatchObject([{ name: `new ${rule.name}`, revisions: [{ value: 0.75 }] }]);
    const sums = (name: string) =>
      server.api.get<{ buckets: { count: number }[] }>(`/api/analytics/scores?name=${name}`);
    expect((await sums(rule.name)).body.buckets).toEqual([]);
    expect((await sums(`new ${rule.name}`)).body.buckets).toMatchObject([{ count: 1, mean: 0.25 }]);
    await drop(rule.id);
  });

  it('show what failed and when it is tried again', async () => {
    answer = () => refused(401, 'no such key');
    const rule = await newRule();
    const { span } = await record();
    await until(async () => (await explain(rule.id, `span_id=${span}`)).attempts.length > 0);
    const explained = await explain(rule.id, `span_id=${span}`);
    expect(explained).toMatchObject({ decision: 'pending', attempts: [{ status: 401 }], score_id: null });
    expect((await readRule(rule.id)).last_error).toContain('no such key');
    answer = () => said(JUDGED);
    await until(async () => (await explain(rule.id, `span_id=${span}`)).decision === 'scored', 20_000);
    await drop(rule.id);
  });

  it('keep no value that masking replaces of what a judge said instead of a score', async () => {
    const rules = (given: object[]) => server.api.send('PUT', '/api/projects/local/masking', { rules: given });
    expect((await rules([{ masker: 'email' }])).status).toBe(200);
    answer = () => said('Ask jane@planted.example.');
    const rule = await newRule();
    const { span } = await record();
    await until(async () => (await explain(rule.id, `span_id=${span}`)).attempts.length > 0);
    const { attempts } = await explain(rule.id, `span_id=${span}`);
    const { last_error: error } = await readRule(rule.id);
    answer = () => said(JUDGED);
    expect((await rules([])).status).toBe(200);
    await drop(rule.id);
    for (const kept of [attempts[0]!.error, error]) expect(kept).toContain('Ask [email].');
  });

  it('stop at the budget of the day', async () => {
    // A call costs 3 × 2.5 and 2 × 10 millionths of a dollar.
    const rule = await newRule({ max_cost_usd_per_day: 0.0000275 * 2.5 });
    for (let n = 0; n < 6; n++) await record();
    await until(async () => (await readRule(rule.id)).skipped_count === 4);
    const shown = await readRule(rule.id);
    expect(shown).toMatchObject({ scored_count: 2, state: { skipped: { budget: 4, overload: 0 } } });
    expect(shown.spent_today).toBeLessThanOrEqual(shown.max_cost_usd_per_day!);
    await drop(rule.id);
  });

  it('judge what waits by the sample as it is by then', async () => {
    const rule = await newRule({ target: 'trace', quiet_ms: 60_000 });
    const recorded = [];
    for (let n = 0; n < 12; n++) recorded.push(await record());
    await server.api.send('PUT', `/api/scoring-rules/${rule.id}`, { sample_rate: 0.3 });
    const wanted = recorded
      .filter(({ trace }) => isInSample(sampleHash('local', trace), 0.3))
      .map(({ trace }) => trace);
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    await until(async () => (await readRule(rule.id)).state.pending === 0).finally(() => clock.mockRestore());
    expect((await scoresOf(rule.id)).map(({ trace_id: id }) => id!).toSorted()).toEqual(wanted.toSorted());
    for (const { trace } of recorded) {
      const decision = wanted.includes(trace) ? 'scored' : 'sampled_out';
      expect((await explain(rule.id, `trace_id=${trace}`)).decision).toBe(decision);
    }
    await drop(rule.id);
  });

  it('know of another judge not what it costs, only of the one before', async () => {
    const rule = await newRule({ max_cost_usd_per_day: 0.0000275 * 2.5 });
    await record();
    await until(async () => (await readRule(rule.id)).scored_count === 1);
    // One call of gpt-4o would not fit any more; one of the small model does.
    const change = {
      max_cost_usd_per_day: 0.0000275 * 1.5,
      judge: { connection_id: connection, model: 'gpt-4o-mini' },
    };
    expect((await server.api.send('PUT', `/api/scoring-rules/${rule.id}`, change)).status).toBe(200);
    await record();
    await until(async () => (await readRule(rule.id)).state.pending === 0);
    expect(await readRule(rule.id)).toMatchObject({ scored_count: 2, skipped_count: 0 });
    await drop(rule.id);
  });

  it('are tried on a span, and store nothing of it', async () => {
    const { span, trace } = await record();
    const rule = await newRule({ enabled: false });
    // A trace has spans, but which of them is meant nobody says.
    for (const [method, path, body] of [
      ['POST', 'test', { trace_id: trace }],
      ['GET', `explain?trace_id=${trace}`, undefined],
    ] as const) {
      const unnamed = await server.api.send(method, `/api/scoring-rules/${rule.id}/${path}`, body);
      expect(unnamed).toMatchObject({ status: 400, body: { errors: [{ path: 'span_id' }] } });
    }
    const tried = await server.api.post<ScoringTest>(`/api/scoring-rules/${rule.id}/test`, { span_id: span });
    expect(tried.body).toMatchObject({
      answer: JUDGED,
      score: { value: 0.75 },
      error: null,
      model: 'gpt-4o',
      tokens: 5,
    });
    expect(JSON.stringify(tried.body.prompt)).toContain('Ada.');
    expect(await scoresOf(rule.id)).toEqual([]);
    await drop(rule.id);
  });

  it('judge earlier spans in a backfill, each once', async () => {
    const spans = [await record(), await record(), await record()].map(({ span }) => span);
    const rule = await newRule({ filters: { name_contains: 'answer' } });
    expect((await explain(rule.id, `span_id=${spans[0]}`)).decision).toBe('disabled');
    const path = `/api/scoring-rules/${rule.id}/backfill`;
    const dry = await server.api.post<BackfillAnswer>(path, { max: 3, dry_run: true });
    expect(dry.body).toMatchObject({ status: 'dry_run', sampled: 3, estimated_cost_usd: null });
    expect(await scoresOf(rule.id)).toEqual([]);
    expect((await server.api.post<BackfillAnswer>(path, { max: 3 })).body.status).toBe('running');
    await until(async () => (await scoresOf(rule.id)).length === 3);
    expect((await scoresOf(rule.id)).map(({ span_id }) => span_id).sort()).toEqual([...spans].sort());
    await until(async () => (await readRule(rule.id)).backfill?.status === 'completed');
    const again = await server.api.post<BackfillAnswer>(path, {
      max: 3,
      dry_run: true,
      since: new Date(0).toISOString(),
    });
    expect(again.body.sampled).toBe(3);
    await drop(rule.id);
  });

  it('judge in a backfill what was asked for by a score alone', async () => {
    const since = new Date().toISOString();
    const [, down] = [await record(), await record(), await record()];
    await server.api.post('/api/scores', { name: 'earlier', value: 0, span_id: down.span });
    for (const [target, about] of [
      ['span', { span_id: down.span }],
      ['trace', { span_id: null, trace_id: down.trace }],
    ] as const) {
      const rule = await newRule({
        target,
        trigger: 'score',
        on_score: { name: 'earlier' },
        score_name: `of a ${target}`,
        ...(target === 'trace' && { quiet_ms: 0 }),
      });
      const path = `/api/scoring-rules/${rule.id}/backfill`;
      expect((await server.api.post<BackfillAnswer>(path, { since, dry_run: true })).body.sampled).toBe(1);
      await server.api.post(path, { since });
      await until(async () => (await readRule(rule.id)).backfill?.status === 'completed');
      await until(async () => (await readRule(rule.id)).state.pending === 0);
      expect(await scoresOf(rule.id)).toMatchObject([about]);
      await drop(rule.id);
    }
  });

  it('count a session once in a dry run, however many spans it has', async () => {
    const rule = await newRule({ target: 'session', enabled: false });
    const [session, at] = [`long-${made}`, '2001-01-01T00:00:00.000Z'];
    const spans = Array.from({ length: 600 }, (_, n) => ({
      ...{ id: `${session}-${n}`, trace_id: session, name: 'step', started_at: at, ended_at: at },
    }));
    await server.api.post('/api/ingest', { traces: [{ id: session, session_id: session }], spans });
    const range = { since: at, until: '2001-01-02T00:00:00.000Z' };
    const path = `/api/scoring-rules/${rule.id}/backfill`;
    const dry = await server.api.post<BackfillAnswer>(path, { ...range, dry_run: true });
    expect(dry.body).toMatchObject({ sampled: 1, matched: 1 });
    await drop(rule.id);
  });
});
