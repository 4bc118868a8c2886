/** `evaluate` of the SDK on real servers: runs that are killed and resumed, gates, scorers of all kinds, and what stops an eval. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalItemList, EvalRunSummary, EvalStatistics, SpanResource, TraceListItem } from '@spandrel/contract';
import { Spandrel, SpandrelError } from '@spandrel/sdk';
import {
  contains,
  defineEval,
  DefinitionError,
  evaluate as evaluateWith,
  exactMatch,
  findBaseline,
  scorer,
  server as serverScorer,
  type EvalDefinition,
  type EvalProgress,
  type EvaluateOptions,
} from '@spandrel/sdk/eval';
import { EvalsLab } from '../evals/evals-lab.ts';
import type { Api } from '../support/api.ts';
import { builtSdk } from '../support/built-sdk.ts';
import { cloudApp } from '../support/cloud-app.ts';
import { POSTGRES, SQLITE } from '../support/databases.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { usersPath } from '../support/users-path.ts';

const CAPITALS = [
  { input: 'France', expected: 'Paris' },
  { input: 'Peru', expected: 'Lima' },
  { input: 'Chad', expected: "N'Djamena" },
];
const RIGHT: Record<string, string> = Object.fromEntries(CAPITALS.map(({ input, expected }) => [input, expected]));

/** A definition over a dataset of its own. */
let made = 0;
const capitals = () => ({ name: `capitals ${++made}`, items: CAPITALS });

const itemsOf = async (api: Api, runId: string): Promise<EvalItemList['items']> =>
  (await api.get<EvalItemList>(`/api/eval/${runId}/items?include=samples&limit=1000`)).body.items;

describe('evaluate', () => {
  const databases = SQLITE.open();
  let lab: EvalsLab;
  let api: Api;
  let spandrel: Spandrel;
  let sdk: string;
  beforeAll(async () => {
    [lab, sdk] = await Promise.all([EvalsLab.open(await databases.newDatabase('evaluate')), builtSdk().then(dirname)]);
    api = lab.api;
    spandrel = new Spandrel({ apiUrl: lab.server.url });
  });
  afterAll(async () => {
    await spandrel?.shutdown();
    await lab?.close();
    await databases.drop();
  });

  /** Types of definitions are shown by the unit specs. */
  const evaluate = (definition: EvalDefinition, options: EvaluateOptions = {}) =>
    evaluateWith(definition, { spandrel, ...options });
  const run = (definition: Partial<EvalDefinition>, options: EvaluateOptions = {}) =>
    evaluate(
      { dataset: capitals(), task: ({ input }) => RIGHT[input as string], scorers: [exactMatch], ...definition },
      options,
    );

  /** Starts a program on the Node of the PATH, the oldest that the SDK promises. */
  const start = (
    args: string[],
    env: Record<string, string> = {},
  ): { child: ChildProcess; ended: Promise<number | null>; out: () => string } => {
    const child = spawn('node', args, {
      env: { PATH: usersPath(), SPANDREL_API_URL: lab.server.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
    return { child, out: () => out, ended: new Promise((done) => child.on('close', done)) };
  };

  describe('over 200 datapoints × 3 in a process of its own', () => {
    const folder = tempDir();
    const program = resolve('test/sdk/programs/evaluate.mjs');
    const begin = (calls: string, more: object = {}) => {
      writeFileSync(calls, '');
      return start([program, JSON.stringify({ sdk, calls, ...more })]);
    };
    const finish = async (calls: string, more: object = {}) => {
      const { ended, out } = begin(calls, more);
      if ((await ended) !== 0) throw new Error(`the program failed: ${out()}`);
      return JSON.parse(out()) as { runId: string; statistics: EvalStatistics; gates: object[]; passed: boolean };
    };
    const callsIn = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const nameOf = ({ input }: { input: unknown }, repeat: number): string => `${(input as { n: number }).n} ${repeat}`;
    /** What does not depend on the clock. */
    const numbers = ({ run_id: _run, latency_ms: _latency, ...others }: EvalStatistics) => others;

    it('makes each sample once, though it is killed half way and resumed', async () => {
      const [first, second, whole] = ['first', 'second', 'whole'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      const { child, ended } = begin(first, { hangsFrom: 301 });
      let begun: EvalRunSummary | undefined;
      await until(async () => {
        [begun] = (await api.get<{ runs: EvalRunSummary[] }>('/api/eval?name=numbers')).body.runs;
        return begun?.sample_progress === 300;
      });
      child.kill('SIGKILL');
      await ended;
      const half = await itemsOf(api, begun!.id);
      const finished = half.flatMap((item) =>
        item.samples!.filter(({ status }) => status !== 'pending').map(({ repeat }) => nameOf(item, repeat)),
      );
      expect(finished).toHaveLength(300);

      const resumed = await finish(second, { resume: begun!.id });
      expect(resumed).toMatchObject({ runId: begun!.id, passed: true });
      // No finished sample was made again, and each other one once.
      const again = callsIn(second);
      expect(again).toHaveLength(300);
      expect(new Set([...finished, ...again]).size).toBe(600);
      const items = await itemsOf(api, begun!.id);
      expect(
        items.flatMap(({ samples }) => samples!.map(({ status }) => status)).filter((status) => status === 'pending'),
      ).toEqual([]);

      const unbroken = await finish(whole);
      expect(callsIn(whole).toSorted()).toEqual([...finished, ...again].toSorted());
      expect(numbers(resumed.statistics)).toEqual(numbers(unbroken.statistics));
      expect(resumed.gates).toEqual(unbroken.gates);
      // The dataset was given with its items each time.
      expect(unbroken.statistics).toMatchObject({ datapoints: 200, samples: 600, failed_samples: 30 });
      const runs = (await api.get<{ runs: EvalRunSummary[] }>('/api/eval?name=numbers')).body.runs;
      expect(new Set(runs.map(({ dataset_version: version, dataset_id: id }) => `${id} ${version}`)).size).toBe(1);

      // The traces of the killed process may have been lost with it.
      const { trace_id: traceId, span_id: spanId } = items[151]!.samples![2]!;
      const { body } = await api.get<{ trace: TraceListItem; spans: SpanResource[] }>(`/api/traces/${traceId}`);
      expect(body.trace).toMatchObject({
        name: 'numbers',
        tags: ['eval'],
        metadata: { eval_run_id: begun!.id, repeat: 2 },
      });
      const task = body.spans.find(({ name }) => name === 'task');
      expect(task).toMatchObject({ id: spanId, parent_id: null, input: { n: 151 }, output: 'it is 151' });
      expect(body.spans.find(({ name }) => name === 'inner')).toMatchObject({ parent_id: spanId, status: 'completed' });
    });

    it('is a test of node:test', async () => {
      const { ended, out } = start(['--test', '--test-reporter=tap', resolve('test/sdk/programs/passes.test.mjs')], {
        SDK: sdk,
      });
      expect(await ended).toBe(1);
      expect(out()).toMatch(/^ok 1 - is right half of the time$/m);
      expect(out()).toMatch(/^not ok 2 - is always right$/m);
      expect(out()).toContain('✗  mean >= 0.9  0.5');
      expect(out()).toContain('"Peru" → "Cusco", expected "Lima"');
    });
  });

  it('says how far it is, and what came out', async () => {
    const reported: EvalProgress[] = [];
    const started: EvalRunSummary[] = [];
    const result = await run(
      {
        name: 'recorded',
        repeats: 2,
        gates: ['mean >= 1', 'failed_samples <= 0', 'latency_p95 < 60000'],
        metadata: { team: 'x' },
      },
      {
        onProgress: (progress) => reported.push(progress),
        onStarted: (one) => started.push(one as EvalRunSummary),
        metadata: { commit: 'abc' },
      },
    );
    expect(result).toMatchObject({
      ...{ passed: true, baselineRunId: undefined, skippedGates: [], worst: [] },
      run: { name: 'recorded', execution: 'external', metadata: { team: 'x', commit: 'abc' }, passed: true },
      statistics: { samples: 6, score: { mean: 1 } },
    });
    expect(() => result.assertPassed()).not.toThrow();
    expect(result.table()).toContain('eval "recorded" passed');
    expect(started).toMatchObject([{ id: result.run.id }]);
    expect(reported.at(-1)).toEqual({ done: 6, failed: 0, total: 6 });
    expect(reported.map(({ done }) => done)).toEqual(reported.map(({ done }) => done).toSorted((a, b) => a - b));
  });

  it('makes failed samples of tasks that throw or take too long, and goes on', async () => {
    const result = await run({
      task: ({ input }, { signal }) => {
        if (input === 'Peru') throw new TypeError('no such country');
        if (input === 'Chad')
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        return RIGHT[input as string];
      },
      timeoutMs: 50,
      gates: ['failed_rate <= 10%'],
    });
    expect(result.passed).toBe(false);
    const items = await itemsOf(api, result.run.id);
    expect(items.map(({ status, error, score }) => [status, error, score])).toEqual([
      ['completed', null, 1],
      ['failed', 'TypeError: no such country', null],
      ['failed', 'TimeoutError: timed out after 50 ms', null],
    ]);
    expect(() => result.assertPassed()).toThrow(
      /✗ {2}failed_rate <= 0.1 {2}0.6667\n(.|\n)*"Peru" → TypeError: no such country, trace/,
    );
    const all = await run({ task: () => Promise.reject(new Error('down')), scorers: [] });
    expect(all).toMatchObject({ passed: false, gates: [], run: { status: 'completed', passed: null } });
    expect(() => all.assertPassed()).toThrow('did not pass (all 3 items failed: down)');
  });

  it('takes scorers of all kinds, those of the server too', async () => {
    const judge = { connectionId: lab.connectionId, model: 'fake:judge:0.5', rubric: 'Is it polite?' };
    let calls = 0;
    const result = await run({
      task: ({ input }) => {
        calls++;
        return { output: RIGHT[input as string]!, usage: { inputTokens: 3, outputTokens: 4 }, cost: 0.25 };
      },
      scorers: [
        exactMatch,
        async ({ output }) => ({ name: 'short', score: output.length < 6 ? 1 : 0, reason: 'counted' }),
        scorer('half', () => ({ name: 'other', score: 0.5, metadata: { rationale: 'by rule' } }), { weight: 0 }),
        serverScorer('LlmJudge', { name: 'polite', judge, weight: 2, passScore: 0.5 }),
        serverScorer('Contains'),
      ],
      gates: ['short.mean >= 0.6', 'polite.pass_rate >= 1', 'half.mean <= 0.5', 'Contains.mean >= 1'],
      repeats: 2,
    });
    expect(result).toMatchObject({ passed: true, run: { total_cost: 1.5, total_tokens: 42, failed_samples: 0 } });
    // The first datapoint was tried before the run was started, to learn the name of the second scorer.
    expect(calls).toBe(6);
    const [item] = await itemsOf(api, result.run.id);
    expect(item!.samples!.map(({ scores }) => scores)).toEqual(
      Array(2).fill(
        expect.objectContaining({
          exactMatch: expect.objectContaining({ score: 1 }),
          short: expect.objectContaining({ score: 1, reason: 'counted' }),
          half: expect.objectContaining({ score: 0.5, reason: 'by rule' }),
          polite: expect.objectContaining({ score: 0.5, reason: 'so it seems', judge_model: 'fake:judge:0.5' }),
          Contains: expect.objectContaining({ score: 1 }),
        }),
      ),
    );
    expect(item!.samples![0]).toMatchObject({ score: (1 + 1 + 2 * 0.5 + 1) / 5, trace_id: expect.any(String) });
    const failing = await run({
      scorers: [
        contains,
        function strict() {
          throw new Error('boom');
        },
      ],
    });
    expect((await itemsOf(api, failing.run.id))[0]).toMatchObject({
      ...{ status: 'failed', error: 'scorer strict: boom', scores: { contains: { score: 1 } } },
    });
  });

  it('says what came of each category, and is gated by it', async () => {
    const items = ['legal', 'login'].flatMap((category) =>
      Array.from({ length: 20 }, (_, n) => ({
        input: `${category} ${n}`,
        expected: 'right',
        metadata: { category, doc: n % 5 },
      })),
    );
    const desk = (wrong: Record<string, number>, options: EvaluateOptions = {}) =>
      run(
        {
          dataset: { name: 'desk', items },
          task: ({ input }) => {
            const [category, n] = String(input).split(' ');
            return Number(n) < wrong[category!]! ? 'wrong' : 'right';
          },
          groupBy: 'category',
          clusterBy: 'metadata.doc',
        },
        options,
      );
    const before = await desk({ legal: 0, login: 15 });
    expect(before.table()).toMatch(/^category +n +mean +95% interval +pass rate\nlegal +20 +1 .*\nlogin +20 +0\.25/m);
    const gates = ['no regression by category', 'legal.pass_rate >= 50%', 'category:legal.exactMatch.mean >= 0.7'];
    const after = await desk({ legal: 8, login: 0 }, { gates, baseline: before.run.id });
    expect(after.gates.map(({ passed, failing }) => [passed, failing?.map(({ value }) => value)])).toEqual([
      ...[
        [false, ['legal']],
        [true, undefined],
        [false, undefined],
      ],
    ]);
    expect(after.gates[0]).toMatchObject({ by: 'category', cluster_by: 'doc', actual: 'worse' });
    expect(after.statistics).toMatchObject({ cluster_by: 'doc', score: { clusters: 5 }, correction: { tests: 2 } });
    expect(after.table()).toMatch(/^✗ +no regression by category +worse \(legal\)$/m);
    expect(after.table()).toMatch(/^legal +20 +0\.6 .* -0\.4 /m);
  });

  it('is held against a baseline', async () => {
    const dataset = {
      name: 'a baseline',
      items: Array.from({ length: 12 }, (_, n) => ({ input: n, expected: `${n}` })),
    };
    const of = (right: number, options: EvaluateOptions = {}) =>
      run(
        {
          dataset,
          task: ({ input }) => (input < right ? `${input as number}` : 'no'),
          gates: ['no regression', 'worse <= 2', 'mean > 0'],
          baseline: 'latest:branch=main',
        },
        options,
      );
    const first = await of(12, { metadata: { branch: 'main' } });
    expect(first).toMatchObject({
      passed: true,
      baselineRunId: undefined,
      skippedGates: ['no regression', 'worse <= 2'],
    });
    expect(first.run.gates).toMatchObject([{ metric: 'mean' }]);
    const second = await of(10, { metadata: { branch: 'feature' } });
    expect(second).toMatchObject({ passed: true, baselineRunId: first.run.id });
    expect(second.statistics.comparison).toMatchObject({ pairs: 12, score: { worse: 2, verdict: 'no_difference' } });
    const third = await of(4, { metadata: { branch: 'feature' } });
    expect(third).toMatchObject({ passed: false, baselineRunId: first.run.id });
    expect(third.gates.map(({ passed }) => passed)).toEqual([false, false, true]);
    expect(() => third.assertPassed()).toThrow('✗  no regression  worse, difference -0.6667, p 0.0078');
    const datasetId = first.run.dataset_id;
    expect(await findBaseline(spandrel.api, datasetId, 'latest')).toBe(third.run.id);
    expect(await findBaseline(spandrel.api, datasetId, 'latest', { except: third.run.id })).toBe(second.run.id);
    const easier = await run(
      {
        ...{ dataset, task: () => 'no', passScore: 0.5, gates: ['no regression', 'mean >= 0'] },
        baseline: 'latest:branch=main',
      },
      { requireBaseline: true },
    );
    expect(easier).toMatchObject({
      ...{ passed: false, baselineRunId: undefined, skippedGates: ['no regression'] },
      missingBaseline: expect.stringContaining('scored or executed differently'),
    });
    expect(easier.table()).toMatch(/^the regression gate was skipped: there is no run to compare with/);
    const named = { dataset, passScore: 0.5, gates: ['no regression'], baseline: first.run.id };
    const unknown = await run({ ...named, task: ({ input }) => `${input as number}` });
    expect(unknown).toMatchObject({ passed: false, gates: [{ actual: 'unknown', passed: false }] });
    expect(unknown.table()).toContain('unknown: scored differently: pass_score 0.5 instead of 1');
    const task = ({ input }: { input: unknown }) => `${input as number}`;
    expect(await run({ ...named, task, allowDifferentScoring: true })).toMatchObject({
      ...{ passed: true, gates: [{ actual: 'no_difference' }] },
    });
    expect(() => defineEval({ dataset, task, requireBaseline: true })).toThrow('requireBaseline needs a baseline');
    const other = await run({ baseline: third.run.id }).catch((error: unknown) => error);
    expect(other).toBeInstanceOf(DefinitionError);
    expect(String(other)).toContain('is of another dataset');
  });

  it('is stopped by a signal: the run is cancelled, kept for a resume, or was never there', async () => {
    const stopped = async (options: EvaluateOptions, from: number) => {
      const stop = new AbortController();
      const reason = new Error('stopped');
      let id = '';
      let called = 0;
      const definition: Partial<EvalDefinition> = {
        dataset: { name: 'stopped', items: CAPITALS },
        concurrency: 1,
        task: ({ input }) => {
          if (called++ < from) return RIGHT[input as string];
          // What is done already becomes durable first.
          void until(async () => (await api.get<EvalRunSummary>(`/api/eval/${id}`)).body.sample_progress === from).then(
            () => stop.abort(reason),
          );
          return new Promise(() => {});
        },
      };
      const onStarted = (one: { id: string }): void => void (id = one.id);
      await expect(run(definition, { signal: stop.signal, onStarted, ...options })).rejects.toBe(reason);
      return { id, definition, answer: await api.get<EvalRunSummary>(`/api/eval/${id}`) };
    };
    expect((await stopped({}, 2)).answer.body).toMatchObject({ status: 'cancelled', sample_progress: 2 });
    expect((await stopped({}, 0)).answer.status).toBe(404);
    const { id, definition, answer } = await stopped({ onAbort: 'keep' }, 1);
    expect(answer.body).toMatchObject({ status: 'running', sample_progress: 1 });
    const inputs: unknown[] = [];
    const task = ({ input }: { input: string }) => {
      inputs.push(input);
      return RIGHT[input];
    };
    const resumed = await run({ ...definition, task }, { resume: id });
    expect([inputs, resumed.run.id, resumed.statistics.score.mean]).toEqual([['Peru', 'Chad'], id, 1]);
    // A run that is complete is only read.
    expect((await run({ ...definition, task }, { resume: id })).passed).toBe(true);
    expect(inputs).toHaveLength(2);
    await expect(run({ ...definition, scorers: [contains] }, { resume: id })).rejects.toThrow(
      `resume: run ${id} has other scorers (exactMatch) than the definition (contains)`,
    );
    await expect(run({ ...definition, dataset: 'another' }, { resume: id })).rejects.toThrow(
      `is over the dataset "stopped", not "another"`,
    );
    const done = AbortSignal.abort(new Error('before'));
    await expect(run({}, { signal: done })).rejects.toThrow('before');
  });

  it('ends when the run does: at its budget, or cancelled by somebody', async () => {
    // However slow the machine is, a try ends only when the results of those before it are recorded.
    let called = 0;
    let recorded = 0;
    const costly = await run(
      {
        task: async (_, { signal }) => {
          const before = called++;
          await until(() => recorded >= before || signal.aborted);
          return { output: 'x', cost: 1 };
        },
        ...{ maxCostUsd: 2, repeats: 100, concurrency: 1 },
      },
      { onProgress: ({ done }) => void (recorded = done) },
    );
    expect(costly).toMatchObject({ passed: false, run: { status: 'cancelled', stop_reason: 'cost_cap' } });
    expect(costly.table()).toContain('was cancelled (cost_cap)');
    expect(called).toBeLessThanOrEqual(4);
    // And here none begins behind the one that hears that the run is cancelled, and whose result is refused.
    const stopped = (signal: AbortSignal): Promise<never> =>
      new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error)));
    let id = '';
    called = 0;
    const cancelled = await run(
      {
        repeats: 100,
        concurrency: 2,
        task: async (_, { signal }) => {
          if (++called > 20) return stopped(signal);
          if (called === 20) await until(async () => (await api.post(`/api/eval/${id}/cancel`)).status === 200);
          return 'x';
        },
      },
      { onStarted: (one) => void (id = one.id) },
    );
    expect(cancelled).toMatchObject({ passed: false, run: { status: 'cancelled', stop_reason: 'cancelled' } });
    expect(called).toBeLessThanOrEqual(22);
  });

  it.each<[string, Partial<EvalDefinition>, string]>([
    ['an unknown dataset', { dataset: 'nowhere' }, 'there is no dataset "nowhere"'],
    ['an empty one', { dataset: { name: 'empty', items: [] } }, 'the dataset "empty" has no datapoints'],
    [
      'a gate on another scorer',
      { gates: ['short.mean > 0'] },
      'gate "short.mean > 0": "short" is no scorer of the eval; there are exactMatch',
    ],
    [
      'a gate on what a scorer did not call itself',
      { scorers: [() => 1], gates: ['short.mean > 0'] },
      'there are scorer-1',
    ],
  ])('starts no run with %s', async (_, definition, why) => {
    const before = (await api.get<{ count: number }>('/api/eval?limit=1000')).body.count;
    const error = await run({ ...definition }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(String(error)).toContain(why);
    expect((await api.get<{ count: number }>('/api/eval?limit=1000')).body.count).toBe(before);
  });

  it('says which of several datasets of a name to take, and takes one by its id', async () => {
    const twins = [];
    for (const input of ['Peru', 'Chad']) {
      const { body } = await api.post<{ id: string }>('/api/datasets', { name: 'twins' });
      await api.post(`/api/datasets/${body.id}/datapoints`, {
        kind: { Generic: { input, expected_output: RIGHT[input] } },
      });
      twins.push(body.id);
    }
    await expect(run({ dataset: 'twins' })).rejects.toThrow('several datasets are named "twins"; give the id of one');
    expect((await run({ dataset: twins[1]! })).run).toMatchObject({
      dataset_id: twins[1],
      total: 1,
      avg_score: 1,
      name: 'twins',
    });
  });

  it('works without traces, and reads conversations', async () => {
    const off = new Spandrel({ apiUrl: lab.server.url, enabled: false });
    const messages = [{ role: 'user', content: 'France' }];
    const dataset = { name: 'talks', items: [{ messages, expected: 'Paris' }] };
    const result = await run(
      { dataset, task: ({ input }) => RIGHT[(input as typeof messages)[0]!.content] },
      { spandrel: off },
    );
    expect(result.run).toMatchObject({ total: 1, avg_score: 1 });
    expect((await itemsOf(api, result.run.id))[0]).toMatchObject({ trace_id: null, span_id: null });
  });
});

describe('evaluate in cloud mode', () => {
  const databases = POSTGRES.open();
  let app: Awaited<ReturnType<typeof cloudApp>>;
  beforeAll(async () => {
    const database = await databases.newDatabase('evaluate');
    app = await cloudApp((database as { url: string }).url);
  });
  afterAll(async () => {
    await app?.close();
    await databases.drop();
  });

  it('takes a key that may read and write', async () => {
    const tenant = await app.createTenant();
    const of = async (...scopes: ('read' | 'write' | 'ingest')[]): Promise<Spandrel> =>
      new Spandrel({ apiUrl: app.url, apiKey: (await tenant.createKey(scopes)).key, onWarning: () => {} });
    const definition: EvalDefinition = {
      dataset: capitals(),
      task: ({ input }) => (input === 'Chad' ? 'Abéché' : RIGHT[input as string]),
      scorers: [exactMatch],
      repeats: 2,
      gates: ['pass_hat_k@2 >= 60%', 'no regression'],
      baseline: 'latest',
    };
    const spandrel = await of('read', 'write');
    const first = await evaluateWith(definition, { spandrel });
    const second = await evaluateWith({ ...definition, task: () => 'Rome' }, { spandrel });
    expect(first).toMatchObject({
      passed: true,
      skippedGates: ['no regression'],
      statistics: { score: { mean: 2 / 3 } },
    });
    expect(second).toMatchObject({ passed: false, baselineRunId: first.run.id });
    const [item] = await itemsOf(tenant.api, first.run.id);
    const { body } = await tenant.api.get<{ trace: TraceListItem }>(`/api/traces/${item!.samples![1]!.trace_id}`);
    expect(body.trace.tags).toEqual(['eval']);
    for (const scopes of [['read'], ['ingest', 'write']] as const) {
      const refused = await evaluateWith(definition, { spandrel: await of(...scopes) }).catch(
        (error: unknown) => error,
      );
      expect(refused).toBeInstanceOf(SpandrelError);
      expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope' });
    }
  });
});
