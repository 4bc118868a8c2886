import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalItem, EvalStatistics, Problem } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { digits, seedRun, singles, type SeededRun, type SeededSample } from './seeded-runs.ts';

/** What the first of the databases answered, which the others are to repeat to the last digit. */
const answered = new Map<string, string>();

const near = (value: number) => expect.closeTo(value, 11);

/** What the scores of runs are worth, on both databases. The estimators have their own tests beside them. */
export function statisticsOfRuns(lab: () => EvalsLab): void {
  type Answered = EvalStatistics & Omit<Problem, 'status'>;
  const read = (run: string, query = '') => lab().api.get<Answered>(`/api/eval/${run}/statistics${query}`);
  const statistics = async (run: string, query = ''): Promise<EvalStatistics> => {
    const { status, body } = await read(run, query);
    expect([query, status, body.detail]).toEqual([query, 200, undefined]);
    return body;
  };
  const generic = (input: string, others: object = {}) => ({ Generic: { input, ...others } });
  const names = (count: number) => Array.from({ length: count }, (_, i) => `d${String(i).padStart(5, '0')}`);

  describe('statistics', () => {
    let dataset: string;
    beforeAll(async () => {
      dataset = (await lab().dataset('x')).id;
    });
    /** A run of datapoints that nothing but its rows knows. */
    const seed = (samples: SeededRun['samples'], others: Partial<SeededRun> = {}) =>
      seedRun(lab(), { datasetId: dataset, datapointIds: names(samples.length), samples, ...others });

    it('count every datapoint once, however often it is tried', async () => {
      const run = await seed(digits('111 101 001 000'));
      const { score, scorers, ...others } = await statistics(run, '?k=3,2,3');
      expect(others).toMatchObject({
        ...{ run_id: run, status: 'completed', repeats: 3, datapoints: 4, samples: 12, failed_samples: 0 },
        ...{ pending_samples: 0, pass_score: 1, failed_as: 'excluded', cluster_by: null, comparison: null },
        ...{ call_cost: null, judge_cost: null, tokens: 0 },
      });
      expect(score).toMatchObject({
        ...{ datapoints: 4, samples: 12, clusters: 4, mean: 0.5, se: near(0.215165741456) },
        ...{ within_sd: near(0.408248290464), flaky_datapoints: 2, always_passed: 1, never_passed: 1 },
        ...{ min: 0, max: 1, min_datapoint_pass_rate: 0, pass_rate: { mean: 0.5 } },
        pass_k: [
          { k: 3, pass_at_k: near(0.75), pass_hat_k: near(0.25) },
          { k: 2, pass_at_k: near(2 / 3), pass_hat_k: near(1 / 3) },
        ],
      });
      expect(scorers).toEqual({ External: score });
      expect((await statistics(run)).score.pass_k.map(({ k }) => k)).toEqual([1, 2, 3]);
      expect((await statistics(await seed(digits('1111 1111 1111 1111 1111')))).score.ci).toEqual({
        ...{ low: near(0.565517535217), high: 1, level: 0.95, method: 'wilson' },
      });
    });

    it('say what samples took and cost, the total as the run has it', async () => {
      const latencies = [120, 80, 95, 300, 110, 105, 2000];
      const samples = latencies.map((latencyMs) => [{ score: 1, latencyMs, cost: 0.1 }]);
      const run = await seed(samples);
      const { latency_ms, cost, score } = await statistics(run);
      const mean = 2810 / 7;
      const spread = latencies.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      // 2.446912 is the quantile of Student's t for six degrees of freedom.
      const high = mean + 2.446912 * Math.sqrt(spread / 6 / 7);
      const ci = { low: 0, high: expect.closeTo(high, 2), level: 0.95, method: 't' };
      expect(latency_ms).toEqual({ count: 7, mean: near(mean), ci, p50: 110, p95: near(1490), max: 2000 });
      // A sum of doubles would say 0.7 less a digit.
      expect(cost).toMatchObject({ count: 7, p50: 0.1, max: 0.1, total: 0.7 });
      expect((await lab().read(run)).total_cost).toBe(0.7);
      expect(score.ci?.method).toBe('wilson');
    });

    it('say nothing of runs without scores', async () => {
      const none = await lab().run((await lab().dataset('a', 'b')).id, { scoring: 'None' });
      const { score, scorers, latency_ms } = await statistics(none.id);
      expect(score).toMatchObject({ datapoints: 0, samples: 0, mean: null, se: null, ci: null, within_sd: null });
      expect([scorers['None'], latency_ms.count]).toEqual([score, 2]);
      const empty = await lab().run((await lab().dataset()).id, { scoring: 'None' });
      expect(await statistics(empty.id)).toMatchObject({ datapoints: 0, samples: 0, cost: { total: null } });
    });

    it('are those of the samples that are there while a run goes on', async () => {
      const [done, open] = [{ score: 1 }, undefined];
      const run = await seed(
        [
          [done, { score: 0 }],
          [done, open],
          [open, open],
        ],
        { status: 'running' },
      );
      expect(await statistics(run)).toMatchObject({
        ...{ status: 'running', datapoints: 3, samples: 6, pending_samples: 3 },
        score: { datapoints: 2, samples: 3, mean: 0.75, pass_k: [{ k: 1 }, { k: 2, datapoints: 1 }] },
      });
    });

    it('leave failed samples out, or count them as 0', async () => {
      const scorers = [{ scoring: 'External' }, { name: 'tone', scoring: 'External', pass_score: 0.5, weight: 0 }];
      const run = await seed(
        [
          [{ score: 1, scores: { External: 1, tone: 0.5 } }],
          [{ failed: true, scores: { External: null, tone: 0.25 } }],
          [{ failed: true }],
        ],
        { start: { scoring: undefined, scorers } },
      );
      expect(await statistics(run)).toMatchObject({
        failed_samples: 2,
        score: { datapoints: 1, mean: 1 },
        scorers: {
          External: { datapoints: 1, mean: 1 },
          tone: { datapoints: 2, mean: 0.375, pass_rate: { mean: 0.5 } },
        },
      });
      expect(await statistics(run, '?failed_as=zero')).toMatchObject({
        failed_as: 'zero',
        score: { datapoints: 3, mean: near(1 / 3) },
        scorers: { External: { datapoints: 3, mean: near(1 / 3) }, tone: { datapoints: 3, mean: 0.25 } },
      });
    });

    it('are clustered by metadata of the snapshot', async () => {
      const kinds = [...'aaaabbbbcccc'].map((doc, i) => generic(`q${i}`, { metadata: { doc: { id: doc } } }));
      const { id, datapointIds } = await lab().dataset(...kinds);
      const scores = [1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1];
      const run = await seedRun(lab(), { datasetId: id, datapointIds, samples: singles(scores) });
      await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${datapointIds[0]}`, { kind: generic('other') });
      expect(await statistics(run, '?cluster_by=doc')).toMatchObject({
        cluster_by: 'doc',
        score: { mean: 0.5, clusters: 3, se: near(0.144337567297), ci: { method: 't' } },
      });
      const unclustered = await statistics(run);
      expect(unclustered.score.clusters).toBe(12);
      expect((await read(run, '?cluster_by=none')).body.errors).toEqual([
        { path: 'cluster_by', message: 'names "none", which no datapoint has in its metadata; there are doc' },
      ]);
      expect((await statistics(run, '?cluster_by=metadata.doc')).score.clusters).toBe(3);
    });

    it('equal a recount of the items, in slices and alike on every database', async () => {
      // Numbers without a pattern, the same on every database.
      let state = 1;
      const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
      const samples = Array.from({ length: 400 }, () =>
        Array.from({ length: 3 }, (): SeededSample => {
          const [exact, tone] = [Number(random() < 0.5), random()];
          const used = { latencyMs: Math.floor(random() * 1e4), cost: random() / 100 };
          if (random() < 0.1) return { failed: true, scores: { exact, tone: null }, ...used };
          return { score: (exact + 3 * tone) / 4, scores: { exact, tone }, ...used };
        }),
      );
      const scorers = ['exact', 'tone'].map((name) => ({ name, scoring: 'External', pass_score: 0.5 }));
      const start = { scoring: undefined, scorers, pass_score: 0.6 };
      const run = await seed(samples, { start });
      const found = await statistics(run, '?k=2');
      const rows = samples.map((each) => each.map((sample) => ({ ...sample, scores: sample.scores! })));
      const passesAll = ({ scores: { exact, tone } }: (typeof rows)[number][number]) => exact! >= 0.5 && tone! >= 0.5;
      expect(found.score).toMatchObject(naive(rows, ({ score }) => score ?? null, passesAll));
      const mean = await statistics(await seed(samples, { start: { ...start, pass_mode: 'mean' } }));
      expect(mean.score).toMatchObject(naive(rows, ({ score }) => score ?? null, 0.6));
      for (const name of ['exact', 'tone'])
        expect(mean.scorers[name]!.pass_rate).toEqual(found.scorers[name]!.pass_rate);
      for (const name of ['exact', 'tone']) {
        expect(found.scorers[name]).toMatchObject(naive(rows, ({ scores }) => scores[name]!, 0.5));
      }
      const all = rows.flat().flatMap(({ latencyMs }) => latencyMs ?? []);
      expect(found.latency_ms).toMatchObject({ count: 1200, max: Math.max(...all) });
      expect(found.failed_samples).toBe(rows.flat().filter(({ failed }) => failed).length);
      const other = await seed(samples.toReversed(), { start });
      const { run_id: _run, comparison, ...compared } = await statistics(run, `?k=2&baseline=${other}&alpha=0.01`);
      expect(comparison).toMatchObject({ baseline_run_id: other, alpha: 0.01, score: { test: 'paired_t' } });
      const text = JSON.stringify({ ...compared, comparison: { ...comparison, baseline_run_id: '' } });
      expect(text).toBe(answered.get('recount') ?? text);
      answered.set('recount', text);
    });

    it('equal a recount of what the items of an executed run show', async () => {
      const { id } = await lab().dataset(
        generic('a', { expected_output: 'You said: a' }),
        generic('b', { expected_output: 'nothing' }),
        generic('c'),
      );
      const run = await lab().run(id, { scoring: 'Contains', config: { model: 'gpt-4.1-mini' } });
      const { body } = await lab().api.get<{ items: EvalItem[] }>(`/api/eval/${run.id}/items`);
      const rows = body.items.map((item) => [item]);
      const found = await statistics(run.id);
      expect(found.score).toMatchObject(naive(rows, ({ score }) => score, 1));
      expect(found).toMatchObject({ failed_samples: 1, tokens: run.total_tokens, cost: { total: run.total_cost } });
      expect(found.latency_ms.max).toBe(Math.max(...run.result_items.map((item) => item.latency_ms!)));
    });

    it('refuse what they cannot answer', async () => {
      const run = await seed(digits('11'));
      const foreign = await seedRun(lab(), {
        ...{ datasetId: (await lab().dataset('y')).id, datapointIds: ['d'], samples: singles([1]) },
      });
      for (const [query, status, code, path] of [
        ['?k=3', 400, 'validation_failed', 'k'],
        ['?k=0', 400, 'validation_failed', 'k[0]'],
        ['?k=', 400, 'validation_failed', 'k[0]'],
        ['?alpha=0', 400, 'validation_failed', 'alpha'],
        ['?failed_as=one', 400, 'validation_failed', 'failed_as'],
        ['?cluster_by=', 400, 'validation_failed', 'cluster_by'],
        [`?baseline=${foreign}`, 400, 'validation_failed', 'baseline'],
        ['?baseline=nope', 404, 'eval_run_not_found', undefined],
        ['?baseline=%00', 404, 'eval_run_not_found', undefined],
      ] as const) {
        const answer = await read(run, query);
        expect([query, answer.status, answer.body.code]).toEqual([query, status, code]);
        if (path) expect([query, answer.body.errors?.map((each) => each.path)]).toEqual([query, [path]]);
      }
      expect((await read('nope')).body.code).toBe('eval_run_not_found');
    });

    it('are of one project', async () => {
      const run = await seed(singles([1]));
      const there = <Body = Problem>(method: string, path: string, body?: unknown) =>
        lab().api.send<Body>(method, path, body, { 'x-test-project': 'another' });
      expect((await there('GET', `/api/eval/${run}/statistics`)).body.code).toBe('eval_run_not_found');
      expect((await there('POST', `/api/eval/${run}/gates`, { gates: [] })).body.code).toBe('eval_run_not_found');
      const { body: set } = await there<{ id: string }>('POST', '/api/datasets', { name: 'theirs' });
      const start = { name: 'theirs', scoring: 'External', execution: 'external' };
      const { body: foreign } = await there<{ id: string }>('POST', `/api/datasets/${set.id}/eval`, start);
      expect((await read(run, `?baseline=${foreign.id}`)).body.code).toBe('eval_run_not_found');
      const gates = [{ metric: 'regression', baseline_run_id: foreign.id }];
      expect((await lab().api.post(`/api/eval/${run}/gates`, { gates })).body.code).toBe('eval_run_not_found');
    });
  });

  describe('a comparison with a baseline', () => {
    it('pairs datapoints whose content is the same in both snapshots', async () => {
      const inputs = ['same', 'edited', 'only its result', 'deleted', 'reordered'];
      const metadata = { a: 1, b: [2] };
      const { id, datapointIds: ids } = await lab().dataset(...inputs.map((input) => generic(input, { metadata })));
      const before = await seedRun(lab(), { datasetId: id, datapointIds: ids, samples: singles([1, 1, 0, 1, 0]) });
      const put = (i: number, members: object) =>
        lab().api.send('PUT', `/api/datasets/${id}/datapoints/${ids[i]}`, { kind: generic(inputs[i]!, members) });
      await put(1, { metadata: { a: 1, b: [3] } });
      await put(2, { metadata, actual_output: 'mine', score: 0.5 });
      await put(4, { score: null, metadata: { b: [2], a: 1 }, expected_output: null });
      await lab().api.delete(`/api/datasets/${id}/datapoints/${ids[3]}`);
      const added = await lab().datapoint(id, 'added');
      const now = [ids[0]!, ids[1]!, ids[2]!, ids[4]!, added];
      const after = await seedRun(lab(), { datasetId: id, datapointIds: now, samples: singles([1, 0, 1, null, 1]) });
      expect((await statistics(after, `?baseline=${before}`)).comparison).toMatchObject({
        ...{ baseline_run_id: before, alpha: 0.05, pairs: 2, changed: 1, unpaired_run: 1, unpaired_baseline: 2 },
        score: { pairs: 2, better: 1, worse: 0, same: 1, diff: 0.5, test: 'mcnemar_exact', p_value: 1 },
        scorers: { External: { pairs: 2 } },
      });
      expect((await statistics(before, `?baseline=${after}`)).comparison).toMatchObject({
        ...{ pairs: 2, changed: 1, unpaired_run: 2, unpaired_baseline: 1, score: { diff: -0.5, p_value: 1 } },
      });
      const itself = (await statistics(after, `?baseline=${after}`)).comparison;
      expect(itself).toMatchObject({ pairs: 4, changed: 0, score: { diff: 0, verdict: 'no_difference' } });
    });

    it('says whether they differ', async () => {
      const { id } = await lab().dataset('x');
      const compared = async (run: number[], baseline: number[], query = '') => {
        const of = { datasetId: id, datapointIds: names(run.length) };
        const before = await seedRun(lab(), { ...of, samples: singles(baseline) });
        const after = await seedRun(lab(), { ...of, samples: singles(run) });
        return (await statistics(after, `?baseline=${before}${query}`)).comparison!.score;
      };
      const [gained, lost] = [Array<number>(9).fill(1), Array<number>(2).fill(0)];
      const same = Array<number>(19).fill(1);
      expect(await compared([...gained, ...lost, ...same], [...gained.map(() => 0), 1, 1, ...same])).toMatchObject({
        ...{ diff: near(0.233333333333), p_value: near(0.0654296875), test: 'mcnemar_exact', verdict: 'no_difference' },
        ...{ better: 9, worse: 2, same: 19, detectable_diff: near(0.300846026945) },
      });
      const twenty = Array<number>(20).fill(1);
      const worse = await compared([...Array<number>(6).fill(0), ...twenty.slice(6)], twenty);
      expect(worse).toMatchObject({ p_value: near(0.03125), verdict: 'worse', diff: near(-0.3) });
      const [run, baseline] = [
        [0.82, 0.91, 0.63, 0.77, 0.95, 0.7, 0.88, 0.59, 0.81, 0.9],
        [0.78, 0.85, 0.66, 0.71, 0.9, 0.61, 0.86, 0.52, 0.83, 0.8],
      ];
      expect(await compared(run, baseline)).toMatchObject({
        ...{ diff: near(0.044), se: near(0.01359738537), p_value: expect.closeTo(0.01022529924, 9) },
        ...{ verdict: 'better', test: 'paired_t' },
      });
      expect(await compared(run, baseline, '&alpha=0.01')).toMatchObject({ verdict: 'no_difference' });
    });
  });
}

/** Statistics as anyone would compute them, of samples that are no cluster but their datapoint. */
function naive<Sample>(
  datapoints: readonly (readonly Sample[])[],
  scoreOf: (sample: Sample) => number | null,
  passes: number | ((sample: Sample) => boolean),
): object {
  const counted = datapoints
    .map((samples) => samples.filter((sample) => scoreOf(sample) !== null))
    .filter(({ length }) => length > 0);
  const scored = counted.map((samples) => samples.map((sample) => scoreOf(sample)!));
  const hasPassed = (sample: Sample) =>
    Number(typeof passes === 'number' ? scoreOf(sample)! >= passes : passes(sample));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = scored.map(mean);
  const n = means.length;
  const error = (values: number[]) => {
    const middle = mean(values);
    const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
    return values.length < 2 ? null : near(Math.sqrt(squares / (values.length - 1) / values.length));
  };
  const rates = counted.map((samples) => mean(samples.map(hasPassed)));
  const all = scored.flat();
  return {
    ...{ datapoints: n, samples: all.length, mean: near(mean(means)), se: error(means) },
    ...{ min: Math.min(...all), max: Math.max(...all), pass_rate: { mean: near(mean(rates)), se: error(rates) } },
    flaky_datapoints: rates.filter((rate) => rate > 0 && rate < 1).length,
    always_passed: rates.filter((rate) => rate === 1).length,
    min_datapoint_pass_rate: near(Math.min(...rates)),
  };
}
