import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ComparedItemList,
  DatapointRunResultList,
  EvalComparison,
  EvalItem,
  EvalRunResource,
  EvalStatistics,
} from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { seedRun, type SeededSample } from './seeded-runs.ts';

/** Which samples pass: by all scorers that count, or by the mean of their scores (docs/spec/evaluations.md#passing). */
export function passesOfRuns(lab: () => EvalsLab): void {
  const statistics = async (run: string, query = ''): Promise<EvalStatistics> =>
    (await lab().api.get<EvalStatistics>(`/api/eval/${run}/statistics${query}`)).body;
  const items = async (run: string, query = ''): Promise<EvalItem[]> =>
    (await lab().api.get<{ items: EvalItem[] }>(`/api/eval/${run}/items${query}`)).body.items;
  const judge = (score: number) => ({ name: 'tone', scoring: 'LlmJudge', judge: { model: `fake:judge:${score}` } });

  describe('samples pass', () => {
    let dataset: string;
    let datapointIds: string[];
    beforeAll(async () => {
      const kinds = ['right', 'wrong'].map((input) => ({ Generic: { input, expected_output: 'right' } }));
      ({ id: dataset, datapointIds } = await lab().dataset(...kinds));
    });
    const passScores = ({ pass_score: ofRun, scorers }: EvalRunResource) => [
      ofRun,
      ...scorers.map(({ pass_score: own }) => own),
    ];

    it('when every scorer that counts reaches its own pass score, a judge 0.5', async () => {
      const scorers = [{ scoring: 'Contains' }, judge(0.6), { ...judge(0.1), name: 'strict', weight: 0 }];
      const gates = [{ metric: 'pass_rate', op: '>=', value: 0.5 }];
      const body = { scoring: undefined, scorers, gates };
      const run = await lab().run(dataset, body);
      expect([run.pass_mode, run.passed, passScores(run)]).toEqual(['all', true, [1, 1, 0.5, 0.5]]);
      expect((await items(run.id)).map(({ score, passed }) => [score, passed])).toEqual([
        [0.8, true],
        [0.3, false],
      ]);
      const found = await statistics(run.id);
      expect(found.score).toMatchObject({ pass_rate: { mean: 0.5 }, always_passed: 1, never_passed: 1 });
      const rates = Object.values(found.scorers).map(({ pass_rate: rate }) => rate.mean);
      expect(rates).toEqual([0.5, 1, 0]);

      const mean = await lab().run(dataset, { ...body, pass_mode: 'mean', pass_score: 0.3 });
      expect([mean.pass_mode, passScores(mean)]).toEqual(['mean', [0.3, 0.3, 0.3, 0.3]]);
      expect((await items(mean.id)).map(({ passed }) => passed)).toEqual([true, true]);
      expect((await statistics(mean.id)).score.pass_rate.mean).toBe(1);
      const started = await lab().start(dataset, { pass_mode: 'most' });
      expect(started.body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'pass_mode' }] });
    });

    it('by the pass score of the one scorer that counts, unless the run has another', async () => {
      const start = async (body: object): Promise<number[]> =>
        passScores((await lab().start(dataset, { scoring: undefined, allow_unscored: true, ...body })).body);
      const tone = judge(0.6);
      expect(await start({ scoring: 'LlmJudge' })).toEqual([0.5, 0.5]);
      expect(await start({ scoring: 'LlmJudge', pass_score: 0.8 })).toEqual([0.8, 0.8]);
      expect(await start({ scoring: 'Contains' })).toEqual([1, 1]);
      expect(await start({ scorers: [{ ...tone, pass_score: 0.6 }] })).toEqual([0.6, 0.6]);
      expect(await start({ scorers: [{ ...tone, pass_score: 0.6 }], pass_score: 1 })).toEqual([1, 0.6]);
      expect(await start({ scorers: [tone, { scoring: 'Contains', weight: 0 }] })).toEqual([0.5, 0.5, 1]);
      expect(await start({ scorers: [tone, { scoring: 'Contains' }] })).toEqual([1, 0.5, 1]);
      const run = await lab().run(dataset, { scoring: undefined, scorers: [{ ...tone, pass_score: 0.6 }] });
      const { score, scorers } = await statistics(run.id);
      expect([score.pass_rate.mean, scorers['tone']]).toEqual([1, score]);
    });

    it('by a scorer that does not count, where there is no other', async () => {
      const scorers = [{ ...judge(0.6), weight: 0 }];
      const gates = [
        { metric: 'pass_rate', scorer: 'tone', op: '>=', value: 1 },
        { metric: 'pass_rate', op: '>=', value: 0 },
      ];
      const run = await lab().run(dataset, { scoring: undefined, scorers, gates });
      // What all scorers together come to is nothing, which a gate about them does not take for good.
      expect(run.gates.map(({ actual, passed }) => [actual, passed])).toEqual([
        [1, true],
        [null, false],
      ]);
      const found = await statistics(run.id);
      expect(found.score).toMatchObject({ datapoints: 0, mean: null, pass_rate: { mean: null } });
      expect(found.scorers['tone']).toMatchObject({ datapoints: 2, mean: 0.6, pass_rate: { mean: 1 } });
      expect((await items(run.id)).map(({ score, passed }) => [score, passed])).toEqual([
        [null, true],
        [null, true],
      ]);
      // It speaks for the run in words.
      const start = { scoring: undefined, scorers: [{ name: 'tone', scoring: 'External', weight: 0 }] };
      const [before, after] = await Promise.all(
        [0.2, 0.5].map((tone) => {
          const samples = datapointIds.map(() => [{ score: null, scores: { tone } }]);
          return seedRun(lab(), { datasetId: dataset, datapointIds, samples, start });
        }),
      );
      const { comparison } = await statistics(after!, `?baseline=${before}`);
      expect(comparison).toMatchObject({ pairs: 2, score: { pairs: 0 }, scorers: { tone: { pairs: 2 } } });
      expect(comparison!.summary).toMatch(/^Better by 0\.3/);
      // So it does for single datapoints, where there is room for one score.
      const { body } = await lab().api.get<ComparedItemList>(
        `/api/datasets/${dataset}/compare/items?runs=${before},${after}`,
      );
      expect(body.summary).toMatchObject({ compared: 2, improved: 2, mean_delta: expect.closeTo(0.3, 12) });
      expect(body.items.map(({ results }) => results.map(({ score }) => score))).toEqual([
        [0.2, 0.5],
        [0.2, 0.5],
      ]);
      const whole = await lab().api.get<EvalComparison>(`/api/datasets/${dataset}/compare?runs=${before},${after}`);
      expect(whole.body.comparisons.map(({ results }) => results.map(({ score }) => score))).toEqual([
        [0.2, 0.5],
        [0.2, 0.5],
      ]);
      const history = await lab().api.get<DatapointRunResultList>(
        `/api/datasets/${dataset}/datapoints/${datapointIds[0]}/results?limit=2`,
      );
      expect(history.body.results.map(({ score }) => score).toSorted()).toEqual([0.2, 0.5]);
    });

    it('in each of several tries, and are counted so by pass@k, pass^k and flaky datapoints', async () => {
      const scorers = ['exact', 'tone'].map((name) => ({ name, scoring: 'External', pass_score: 0.5 }));
      const tried = (exact: number, tone: number | null): SeededSample => ({
        score: tone === null ? exact : (exact + tone) / 2,
        scores: { exact, tone },
      });
      const samples = [
        [tried(1, 1), tried(1, 0.4)],
        [tried(0.4, 1), { failed: true, scores: { exact: 1, tone: null } }],
      ];
      const start = { scoring: undefined, scorers };
      const run = await seedRun(lab(), { datasetId: dataset, datapointIds, samples, start });
      const shown = await items(run, '?include=samples');
      expect(shown.map(({ passed, samples: each }) => [passed, each?.map((sample) => sample.passed)])).toEqual([
        [false, [true, false]],
        [false, [false, null]],
      ]);
      expect((await items(run))[0]).not.toHaveProperty('passed');
      expect((await statistics(run, '?k=1,2')).score).toMatchObject({
        ...{ pass_rate: { mean: 0.25 }, flaky_datapoints: 1, always_passed: 0, never_passed: 1 },
        pass_k: [
          { k: 1, pass_at_k: 0.25, pass_hat_k: 0.25 },
          { k: 2, datapoints: 1, pass_at_k: 1, pass_hat_k: 0 },
        ],
      });
      const zero = (await statistics(run, '?failed_as=zero&k=2')).score;
      expect(zero).toMatchObject({ flaky_datapoints: 1, never_passed: 1, pass_k: [{ datapoints: 2, pass_at_k: 0.5 }] });
      const mean = { ...start, pass_mode: 'mean', pass_score: 0.7 };
      const other = await seedRun(lab(), { datasetId: dataset, datapointIds, samples, start: mean });
      expect((await statistics(other)).score).toMatchObject({ pass_rate: { mean: 1 }, always_passed: 2 });
    });
  });
}
