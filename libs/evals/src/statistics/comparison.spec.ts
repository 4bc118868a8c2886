import { describe, expect, it } from '@jest/globals';
import { compareWithBaseline } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { RunSamples } from './run-samples.js';
import { runOf, single } from '../../../../test/evals/support/run-of.js';

const distributions = await loadDistributions();

const compare = (run: RunSamples, baseline: RunSamples, { alpha = 0.05, changed = [] as string[] } = {}) =>
  compareWithBaseline(run, baseline, { baselineRunId: 'before', alpha, changed: new Set(changed), distributions });

/** Scores of pairs: of `pairs`, the first `gained` went from 0 to 1, the next `lost` from 1 to 0, others stayed right. */
function pairsOf(pairs: number, gained: number, lost: number) {
  const scores = Array.from({ length: pairs }, (_, i) => (i < gained ? [1, 0] : i < gained + lost ? [0, 1] : [1, 1]));
  return [runOf(scores.map(([score]) => [score!])), runOf(scores.map(([, score]) => [score!]))] as const;
}

/** Normal numbers without a pattern, the same each time (Box and Muller). */
function seededNormal(seed: number): () => number {
  let state = seed;
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe('a comparison with a baseline', () => {
  it('30 pairs, 9 gained, 2 lost: no difference shown', async () => {
    const { score, scorers, ...counts } = await compare(...pairsOf(30, 9, 2));
    expect(counts).toMatchObject({ pairs: 30, changed: 0, unpaired_run: 0, unpaired_baseline: 0, alpha: 0.05 });
    expect(counts.baseline_run_id).toBe('before');
    expect(score).toMatchObject({ pairs: 30, clusters: 30, better: 9, worse: 2, same: 19 });
    expect(score.diff).toBeCloseTo(0.233333333333, 12);
    expect(score.test).toBe('mcnemar_exact');
    expect(score.p_value).toBeCloseTo(0.0654296875, 12);
    // SciPy: (t.ppf(0.975, 29) + t.ppf(0.8, 29)) times the error.
    expect(score.detectable_diff! / score.se!).toBeCloseTo(2.045229642133 + 0.854191985882, 9);
    expect(score.verdict).toBe('no_difference');
    expect(scorers).toEqual({ only: score });
  });

  it('6 lost of 20, none gained: worse', async () => {
    const { score } = await compare(...pairsOf(20, 0, 6));
    expect(score.p_value).toBeCloseTo(0.03125, 12);
    expect(score.verdict).toBe('worse');
    expect((await compare(...pairsOf(20, 0, 6), { alpha: 0.03 })).score.verdict).toBe('no_difference');
  });

  it('ten pairs of scores: better', async () => {
    const { score } = await compare(
      runOf(single([0.82, 0.91, 0.63, 0.77, 0.95, 0.7, 0.88, 0.59, 0.81, 0.9])),
      runOf(single([0.78, 0.85, 0.66, 0.71, 0.9, 0.61, 0.86, 0.52, 0.83, 0.8])),
    );
    expect(score.diff).toBeCloseTo(0.044, 12);
    expect(score.se).toBeCloseTo(0.01359738537, 11);
    expect(score.p_value).toBeCloseTo(0.01022529924, 10);
    expect(score).toMatchObject({ test: 'paired_t', verdict: 'better', better: 8, worse: 2, same: 0 });
    expect(score.ci).toEqual({
      low: expect.closeTo(0.044 - 2.2621571628 * 0.01359738537, 10),
      high: expect.closeTo(0.044 + 2.2621571628 * 0.01359738537, 10),
      level: 0.95,
      method: 't',
    });
  });

  it('pairs what both runs have with the same content', async () => {
    const run = runOf([[1], [0], [1], [null], [1], [1]], { ids: ['a', 'b', 'c', 'd', 'e', 'new'] });
    const baseline = runOf([[1], [1], [0], [1], [null], [0], [1]], { ids: ['old', 'a', 'b', 'd', 'e', 'c', 'z'] });
    const compared = await compare(run, baseline, { changed: ['b'] });
    // a and c; b was edited; e and new have a score in the run alone, old, d and z in the baseline.
    expect(compared).toMatchObject({ pairs: 2, changed: 1, unpaired_run: 2, unpaired_baseline: 3 });
    expect(compared.score).toMatchObject({ pairs: 2, better: 1, worse: 0, same: 1, diff: 0.5 });
  });

  it('takes the t test where pairs have repeats, scores between or clusters', async () => {
    const exact = await compare(runOf(single([1, 0, 1])), runOf(single([0, 0, 1])));
    expect(exact.score.test).toBe('mcnemar_exact');
    const repeated = await compare(runOf([[1, 1], [0], [1]]), runOf(single([0, 0, 1])));
    expect(repeated.score.test).toBe('paired_t');
    const between = await compare(runOf(single([1, 0, 1])), runOf(single([0, 0.5, 1])));
    expect(between.score.test).toBe('paired_t');
    const clustered = await compare(runOf(single([1, 0, 1]), { clusters: ['a', 'a', 'b'] }), runOf(single([0, 0, 1])));
    expect(clustered.score).toMatchObject({ test: 'paired_t', clusters: 2 });
    // What is left out decides nothing.
    const unpaired = await compare(runOf([[1], [0], [0.5]], { ids: ['0', '1', 'x'] }), runOf(single([0, 0, 1])));
    expect(unpaired.score.test).toBe('mcnemar_exact');
  });

  it('is certain of runs that differ by the same everywhere, and finds none between equal ones', async () => {
    const shifted = await compare(runOf(single([0.5, 0.6, 0.7])), runOf(single([0.4, 0.5, 0.6])));
    expect(shifted.score).toMatchObject({ se: 0, p_value: 0, verdict: 'better', detectable_diff: 0, better: 3 });
    const equal = await compare(runOf(single([0.3, 0.6])), runOf(single([0.1 + 0.2, 0.6])));
    expect(equal.score).toMatchObject({ diff: 0, se: 0, p_value: 1, verdict: 'no_difference', same: 2 });
    const right = await compare(...pairsOf(5, 0, 0));
    expect(right.score).toMatchObject({ test: 'mcnemar_exact', p_value: 1, verdict: 'no_difference' });
  });

  it('knows nothing with fewer than two clusters', async () => {
    const none = { diff: null, se: null, ci: null, p_value: null, verdict: 'unknown', detectable_diff: null };
    expect((await compare(runOf([]), runOf([]))).score).toMatchObject({ pairs: 0, clusters: 0, ...none });
    const one = await compare(runOf([[0.5]]), runOf([[0.2]]));
    expect(one.score).toMatchObject({ ...none, pairs: 1, clusters: 1, diff: 0.3 });
    const clustered = await compare(runOf([[1], [1]], { clusters: ['a', 'a'] }), runOf(single([0, 0])));
    expect(clustered.score).toMatchObject({ ...none, diff: 1, clusters: 1 });
  });

  it('has no verdict on scores that were not made alike, unless they are to be compared all the same', async () => {
    const [run, baseline] = pairsOf(20, 0, 6);
    const comparable = { score: false, scorers: { only: false }, differences: [] };
    const options = { baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions, comparable };
    const unknown = await compareWithBaseline(run, baseline, options);
    expect(unknown).toMatchObject({
      comparable,
      score: { verdict: 'unknown', p_value: expect.closeTo(0.03125, 12), diff: -0.3 },
      scorers: { only: { verdict: 'unknown' } },
    });
    expect(await compareWithBaseline(run, baseline, { ...options, isAnyScoring: true })).toMatchObject({
      ...{ comparable, score: { verdict: 'worse' }, scorers: { only: { verdict: 'worse' } } },
    });
    const one = { ...options, comparable: { ...comparable, scorers: { only: true } } };
    expect((await compareWithBaseline(run, baseline, one)).scorers['only']!.verdict).toBe('worse');
  });

  it('compares failures sample by sample', async () => {
    // Four datapoints with three tries each: a sample is a datapoint and a repeat; `null` failed.
    const run = [
      [null, 1, 1],
      [null, null, 1],
      [null, null, null],
      [1, 1, 1],
    ];
    const before = [
      [1, 1, 1],
      [1, 1, 1],
      [null, 1, 1],
      [1, null, 1],
    ];
    const { failures } = await compare(runOf(run), runOf(before));
    const all = run.flatMap((tries, i) => tries.map((now, repeat) => [now === null, before[i]![repeat] === null]));
    const count = (now: boolean, then: boolean) => all.filter(([a, b]) => a === now && b === then).length;
    const [fresh, gone] = [count(true, false), count(false, true)];
    // The exact test by hand: tails of Binomial(n, 1/2).
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    const tail = Array.from({ length: Math.min(fresh, gone) + 1 }, (_, k) => choose(fresh + gone, k));
    const p = Math.min(1, (2 * tail.reduce((sum, each) => sum + each, 0)) / 2 ** (fresh + gone));
    expect(failures).toEqual({
      ...{ pairs: 12, run: 6, baseline: 2, new: 5, recovered: 1, diff: expect.closeTo(4 / 12, 12) },
      ...{ test: 'mcnemar_exact', p_value: expect.closeTo(p, 12), verdict: 'no_difference' },
    });
    const lost = await compare(runOf(Array.from({ length: 20 }, (_, i) => [i < 6 ? null : 1])), pairsOf(20, 0, 0)[0]);
    expect(lost.failures).toMatchObject({ new: 6, diff: 0.3, p_value: expect.closeTo(0.03125, 12), verdict: 'worse' });
    // Fewer repeats in one of the runs: those that both have; edited datapoints are left out.
    const fewer = await compare(runOf(run), runOf([[1], [1], [null], [1]]), { changed: ['0'] });
    expect(fewer.failures).toMatchObject({ pairs: 3, run: 2, baseline: 1, new: 1, recovered: 0 });
    expect((await compare(runOf([]), runOf(before))).failures).toMatchObject({
      pairs: 0,
      diff: null,
      verdict: 'unknown',
    });
  });

  it('would show the detectable difference in four of five cases, of six clusters too', async () => {
    const random = seededNormal(20261127);
    // The true error of a difference of six clusters that vary by 0.05, and Student's quantiles of five degrees of freedom.
    const difference = (2.570581835636 + 0.919543780236) * (0.05 / Math.sqrt(6));
    const clusters = ['a', 'b', 'c', 'd', 'e', 'f'];
    const repeats = 2_000;
    let shown = 0;
    for (let n = 0; n < repeats; n++) {
      const before = runOf(single(clusters.map(() => 0.5)));
      const after = runOf(single(clusters.map(() => 0.5 + difference + 0.05 * random())), { clusters });
      const { score } = await compare(after, before);
      expect(score.detectable_diff! / score.se!).toBeCloseTo(2.570581835636 + 0.919543780236, 9);
      if (score.verdict === 'better') shown++;
    }
    expect(shown / repeats).toBeGreaterThan(0.77);
    expect(shown / repeats).toBeLessThan(0.83);
  });

  it('compares time and cost as they are, and scorers that both runs have', async () => {
    const options = { passRule: [], failedAs: 'excluded', clustered: false } as const;
    const runWith = (names: string[], times: number[]) => {
      const run = new RunSamples({ ...options, scorers: names.map((name) => ({ name, passScore: 1 })) });
      for (const [i, latencyMs] of times.entries()) {
        const scores = names.map(() => 0.5);
        run.add({ id: String(i), samples: [{ failed: false, score: 0.5, scores, latencyMs, cost: null }] });
      }
      return run;
    };
    const { scorers, latency_ms, cost } = await compare(
      runWith(['tone', 'short'], [1000, 3000, 2000]),
      runWith(['short', 'toString'], [100, 100, 100]),
    );
    expect(Object.keys(scorers)).toEqual(['short']);
    expect(latency_ms).toMatchObject({ pairs: 3, clusters: 3, diff: 1900, test: 'paired_t' });
    expect(latency_ms.se).toBeCloseTo(1000 / Math.sqrt(3), 9);
    expect(latency_ms.ci?.low).toBeLessThan(-500);
    expect(cost).toEqual({
      ...{ pairs: 0, clusters: 0, diff: null, se: null, ci: null },
      ...{ test: 'paired_t', p_value: null, baseline_mean: null },
    });
  });
});
