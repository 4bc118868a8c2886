import { describe, expect, it } from '@jest/globals';
import type { PreferenceStatistics } from '@spandrel/contract';
import { random } from '../../../../test/support/random.js';
import { runOf } from '../../../../test/evals/support/run-of.js';
import { compareWithBaseline } from './comparison.js';
import { loadDistributions } from './distributions.js';
import type { SamplePreference } from './preference.js';
import { runStatistics } from './run-statistics.js';

const distributions = await loadDistributions();

const WIN: SamplePreference = { baseline_first: 'output', output_first: 'output' };
const LOSS: SamplePreference = { baseline_first: 'baseline', output_first: 'baseline' };
const NEITHER: SamplePreference = { baseline_first: 'neither', output_first: 'neither' };
const FIRST: SamplePreference = { baseline_first: 'baseline', output_first: 'output' };
const SECOND: SamplePreference = { baseline_first: 'output', output_first: 'baseline' };

const scoreOf = (said: SamplePreference | undefined): number => (said === WIN ? 1 : said === LOSS ? 0 : 0.5);

/** A run by what the judge said of each sample; `undefined`: the answers were equal. */
const preferring = (preferences: (SamplePreference | undefined)[][]) =>
  runOf(
    preferences.map((samples) => samples.map(scoreOf)),
    { preferences },
  );

async function measure(preferences: (SamplePreference | undefined)[][]): Promise<PreferenceStatistics> {
  const { scorers } = await runStatistics(preferring(preferences), [1], distributions);
  return scorers['only']!.preference!;
}

const times = <T>(count: number, value: T): T[][] => Array.from({ length: count }, () => [value]);

describe('statistics of preferences', () => {
  it('count wins, ties and losses, and put them to the sign test', async () => {
    const { first_preferred: first, ...found } = await measure([
      ...times(9, WIN),
      ...times(2, LOSS),
      ...times(3, NEITHER),
      ...times(2, FIRST),
      ...times(4, undefined),
    ]);
    expect(found).toMatchObject({ wins: 9, ties: 9, losses: 2, judged: 16, self_disagreement: { rate: 2 / 16 } });
    // Binomial: 2 · P(X ≤ 2 of 11).
    expect(found.p_value).toBeCloseTo(0.0654296875, 12);
    expect(first!.rate).toBeCloseTo((11 / 2 + 2) / 13, 12);
  });

  it('have none of what no judge was asked', async () => {
    expect(await measure(times(3, undefined))).toEqual({
      ...{ wins: 0, ties: 3, losses: 0, p_value: 1, judged: 0, first_preferred: null, self_disagreement: null },
    });
    expect(await measure([])).toMatchObject({ wins: 0, ties: 0, losses: 0, p_value: null });
  });

  it('do not claim certainty where a judge always agrees with itself', async () => {
    const { first_preferred: first, self_disagreement: differing } = await measure(times(10, WIN));
    expect(first).toMatchObject({ rate: 0.5, ci: { method: 'wilson' } });
    expect(first!.ci.low).toBeLessThan(0.3);
    expect(differing!.rate).toBe(0);
    expect(differing!.ci.high).toBeGreaterThan(0.2);
  });

  it('count a datapoint once, however often it was tried', async () => {
    const found = await measure([
      [WIN, WIN, LOSS],
      [WIN, LOSS, NEITHER],
      [FIRST, FIRST, SECOND],
    ]);
    expect(found).toMatchObject({ wins: 1, ties: 2, losses: 0, judged: 3, self_disagreement: { rate: 1 / 3 } });
    expect(found.first_preferred!.rate).toBeCloseTo((0.5 + 0.5 + 2 / 3) / 3, 12);
  });

  it('find a position bias that a seeded judge has, and none where it has none: the interval covers the truth', async () => {
    const next = random(34);
    let [covered, shown, falsely] = [0, 0, 0];
    const runs = 400;
    for (let run = 0; run < runs; run++) {
      // A share of 0.2 of the 150 pairs is judged by place alone; the others by the answers, in both orders alike.
      const judge = (bias: number) =>
        Array.from({ length: 150 }, () => [next(1000) < bias * 1000 ? FIRST : next(2) === 0 ? WIN : LOSS]);
      const { ci } = (await measure(judge(0.2))).first_preferred!;
      if (ci.low <= 0.6 && 0.6 <= ci.high) covered++;
      if (ci.low > 0.5) shown++;
      const fair = (await measure(judge(0))).first_preferred!.ci;
      if (fair.low > 0.5 || fair.high < 0.5) falsely++;
    }
    expect(covered / runs).toBeGreaterThan(0.9);
    expect(shown / runs).toBeGreaterThan(0.99);
    expect(falsely).toBe(0);
  });
});

describe('a comparison with the baseline that a scorer compares with', () => {
  const baseline = runOf([[0.1], [0.2], [null], [0.4], [0.5], [0.6], [0.7], [0.8], [0.9], [1]]);
  const compare = (names: string[], isAlone: boolean) => {
    const said = [...times(8, WIN), ...times(1, LOSS), ...times(1, NEITHER)];
    const how = { baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions };
    return compareWithBaseline(preferring(said), baseline, { ...how, comparing: { names: new Set(names), isAlone } });
  };

  it('goes by the sign test on its scores, whatever the baseline was scored', async () => {
    const { score, scorers, pairs, unpaired_run: unpaired } = await compare(['only'], true);
    // The baseline has no answer to the third one.
    expect([pairs, unpaired]).toEqual([9, 1]);
    expect(score).toMatchObject({ better: 7, worse: 1, same: 1, test: 'sign_exact', verdict: 'no_difference' });
    expect(score.diff).toBeCloseTo(7.5 / 9 - 0.5, 12);
    expect(score.p_value).toBeCloseTo(0.0703125, 12);
    expect(scorers['only']).toEqual(score);
  });

  it('leaves the combined score to the scores of both runs where other scorers count, too', async () => {
    const { score, scorers } = await compare(['only'], false);
    expect(score.test).toBe('paired_t');
    expect(scorers['only']!.test).toBe('sign_exact');
  });
});
