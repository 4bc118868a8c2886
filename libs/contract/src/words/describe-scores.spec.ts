import { describe, expect, it } from '@jest/globals';
import {
  describeCorrection,
  describeInterval,
  describeOutcome,
  describePairs,
  describePreference,
  describeVerdict,
  formatDifference,
  formatInterval,
  formatP,
  formatScore,
  formatShare,
  namedScores,
  shownGroup,
  shownScore,
} from './describe-scores.js';
import { formatCount, formatCounted } from './format-count.js';

const ms = (amount: number): string => `${Math.round(amount)} ms`;

describe('counts', () => {
  it.each([
    [null, '–'],
    [0, '0'],
    [1234, '1,234'],
    [9_007_199_254_740_991, '9,007,199,254,740,991'],
  ])('%p is written as %p', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it('are in words beside what is counted', () => {
    expect(formatCounted(1, 'span')).toBe('1 span');
    expect(formatCounted(10_000, 'span')).toBe('10,000 spans');
    expect(formatCounted(2, 'match', 'matches')).toBe('2 matches');
  });
});

describe('scores', () => {
  it('have three digits at most', () => {
    expect([null, undefined, 0, 1, 0.5, 2 / 3, -1e-9].map(formatScore)).toEqual([
      ...['–', '–', '0', '1', '0.5', '0.667', '0'],
    ]);
  });

  it('are said in percent where they are rates', () => {
    expect([null, 0, 0.6, 2 / 3, 0.0004, 1].map(formatShare)).toEqual(['–', '0%', '60%', '66.7%', '0%', '100%']);
  });

  it('have a sign where they changed', () => {
    const changes = [null, 0, -0.0001, 0.0004, 0.25, -1];
    expect(changes.map((change) => formatDifference(change))).toEqual(['–', '0', '0', '0', '+0.25', '-1']);
  });

  it('have bounds, and their level', () => {
    const ci = { low: 0.396778147461, high: 0.892208732594, level: 0.95 };
    expect(formatInterval(ci)).toBe('0.397 to 0.892');
    expect(describeInterval(ci)).toBe('95% interval 0.397 to 0.892');
    expect([formatInterval(null), describeInterval(null)]).toEqual(['–', 'no interval']);
  });

  it('have a p value that is never written as none', () => {
    expect([null, 0, 0.0004, 0.0654296875, 1].map(formatP)).toEqual(['–', '< 0.001', '< 0.001', '0.065', '1']);
  });
});

describe('amounts of another unit', () => {
  it('have a sign where they changed, and bounds', () => {
    expect([120, -80, 0, 0.04].map((change) => formatDifference(change, ms))).toEqual([
      ...['+120 ms', '-80 ms', '0 ms', '0 ms'],
    ]);
    const ci = { low: -80, high: 120, level: 0.995 };
    expect(formatInterval(ci, ms)).toBe('-80 ms to 120 ms');
    expect(describeInterval(ci, ms)).toBe('99.5% interval -80 ms to 120 ms');
  });
});

describe('a verdict in words', () => {
  const verdict = { diff: 7 / 30, detectable_diff: 0.290694452257 };

  it('says by how much', () => {
    expect(describeVerdict({ ...verdict, verdict: 'better' })).toBe('better by 0.233');
    expect(describeVerdict({ ...verdict, diff: -0.3, verdict: 'worse' })).toBe('worse by 0.3');
  });

  it('says which difference would have been shown, where none was', () => {
    expect(describeVerdict({ ...verdict, verdict: 'no_difference' })).toBe(
      'no difference shown; a change of 0.29 or more would have been',
    );
    expect(describeVerdict({ diff: 0, detectable_diff: 0.0038092, verdict: 'no_difference' })).toBe(
      'no difference shown; a change of 0.0038 or more would have been',
    );
    expect(describeVerdict({ diff: 0.5, detectable_diff: 1.4, verdict: 'no_difference' })).toBe(
      'no difference shown; so few datapoints could hardly have shown one',
    );
    expect(describeVerdict({ diff: 0, detectable_diff: 0, verdict: 'no_difference' })).toBe('no difference shown');
    expect(describeVerdict({ diff: 0, detectable_diff: null, verdict: 'no_difference' })).toBe('no difference shown');
    expect(describeVerdict({ diff: null, detectable_diff: null, verdict: 'unknown' })).toMatch(/^not known/);
  });

  it('says what it is of, and what was left out', () => {
    const pairs = { pairs: 30, changed: 0, unpaired_run: 0, unpaired_baseline: 0 };
    expect(describePairs(pairs, 'b', 'a')).toBe('30 datapoints compared.');
    expect(describePairs({ pairs: 1, changed: 2, unpaired_run: 1, unpaired_baseline: 3 }, 'b', 'a')).toBe(
      '1 datapoint compared. Left out: 2 datapoints edited between the runs; 1 datapoint with a score in b alone; 3 datapoints with a score in a alone.',
    );
  });
});

describe('a preference in words', () => {
  const rate = (share: number, low: number, high: number) => ({ rate: share, ci: { low, high, level: 0.95 } });
  const found = { wins: 20, ties: 1, losses: 8, p_value: 0.0357, judged: 56 };
  const counts = '20 wins, 1 tie, 8 losses against the baseline (sign test, p 0.036).';

  it.each([
    [
      rate(0.7037, 0.6312, 0.7762),
      '70.4% of the time (95% interval 63.1% to 77.6%): a position bias: it leans to the first place.',
    ],
    [rate(0.3, 0.2, 0.4), '30% of the time (95% interval 20% to 40%): a position bias: it leans to the second place.'],
    [rate(0.5, 0.4, 0.6), '50% of the time (95% interval 40% to 60%): no position bias shown.'],
  ])('says how the judge leans', (first, words) => {
    const differing = rate(0.4643, 0.3, 0.6);
    expect(describePreference({ ...found, first_preferred: first, self_disagreement: differing })).toBe(
      `${counts} The judge preferred the first answer ${words} It disagreed with itself 46.4% of the time, over 56 judged datapoints.`,
    );
  });

  it('says no more than the counts where no judge was asked', () => {
    expect(describePreference({ ...found, first_preferred: null, self_disagreement: null })).toBe(counts);
  });
});

describe('the names of scores', () => {
  const of = (name: string, members: object = {}) => ({
    ...{ name, scoring: name, weight: 1, pass_score: 1 },
    ...members,
  });
  const run = (passScore: number, ...scorers: ReturnType<typeof of>[]) => ({
    ...{ id: String(scorers.length), baseline_run_id: null as string | null, pass_score: passScore, scorers },
  });
  const names = (...runs: ReturnType<typeof run>[]) =>
    namedScores(
      { score: 0, scorers: Object.fromEntries(runs[0]!.scorers.map(({ name }, at) => [name, at + 1])) },
      ...runs,
    );

  it('are those of the scorers, behind the one of all together', () => {
    expect(names(run(1, of('a'), of('b')))).toEqual([
      { name: null, of: 0 },
      { name: 'a', of: 1 },
      { name: 'b', of: 2 },
    ]);
  });

  it('leave out all together where the run compares itself with its baseline, whatever that was scored', () => {
    const one = { ...run(1, of('a')), id: 'run', baseline_run_id: 'before' };
    expect(names(one, { ...run(1, of('b'), of('c')), id: 'before' })).toEqual([{ name: 'a', of: 1 }]);
    expect(names(one, { ...run(1, of('b'), of('c')), id: 'other' })).toHaveLength(2);
  });

  it('leave out all together where one scorer is all there is, in the baseline too', () => {
    const one = [{ name: 'a', of: 1 }];
    const both = [{ name: null, of: 0 }, ...one];
    const half = { pass_score: 0.5 };
    expect(names(run(1, of('a')))).toEqual(one);
    expect(names(run(0.5, of('a', half)))).toEqual(one);
    expect(names(run(1, of('a', half)))).toEqual(both);
    expect(names(run(1, of('a', { weight: 0 })))).toEqual(both);
    expect(names(run(1, of('a')), run(1, of('a')))).toEqual(one);
    for (const baseline of [
      run(1, of('a'), of('b')),
      run(1, of('b')),
      run(0.5, of('a', half)),
      run(1, of('a', { weight: 0 })),
      run(1, of('a', { scoring: 'Contains' })),
      run(1),
    ]) {
      expect(names(run(1, of('a')), baseline)).toEqual(both);
    }
  });
});

describe('the score that stands for a run', () => {
  const rate = { mean: 0.5, se: 0.1, ci: null };
  const own = { mean: 0.6, se: 0.2, ci: null, pass_rate: rate };
  const run = { avg_score: null, score_se: null, score_ci: null, pass_rate: null };

  it('is that of all together, and of the only scorer where that does not count', () => {
    expect(shownScore({ ...run, scorer_scores: { tone: own } })).toEqual(own);
    const nothing = { mean: null, se: null, ci: null, pass_rate: null };
    expect(shownScore({ ...run, scorer_scores: { tone: own, exact: own } })).toEqual(nothing);
    expect(shownScore({ ...run, scorer_scores: null })).toEqual(nothing);
    expect(shownScore({ ...run, avg_score: 0, scorer_scores: { tone: own } })).toMatchObject({ mean: 0, se: null });
  });

  it('is so in groups, with its comparison, and the groups that were tested are counted', () => {
    const none = { diff: null, p_value: null };
    type Compared = Record<'diff' | 'p_value', number | null>;
    const compared: Compared = { diff: 0.1, p_value: 0.04 };
    const group = (
      mean: number | null,
      comparison: (Compared & { scorers: Record<string, Compared> }) | null,
      ...names: string[]
    ) => ({
      ...{ ...own, group: { category: 'legal' }, mean, comparison },
      scorers: Object.fromEntries(names.map((name) => [name, { ...own, mean: own.mean as number | null }])),
    });
    const ofTone = { ...none, scorers: { tone: compared } };
    const shown = [
      shownGroup(group(null, ofTone, 'tone')),
      shownGroup(group(0.3, ofTone, 'tone')),
      shownGroup(group(null, ofTone, 'tone', 'exact')),
      shownGroup(group(null, null, 'tone')),
    ];
    expect(shown.map(({ of, compared: one }) => [of.mean, one && one.diff])).toEqual([
      ...[
        [0.6, 0.1],
        [0.3, null],
        [null, null],
        [0.6, null],
      ],
    ]);
    expect(describeCorrection(shown)).toContain('corrected for 1 group tested');
  });
});

describe('an outcome', () => {
  const none = { diff: null, p_value: null, baseline_mean: null };
  const same = { verdict: 'no_difference' as const, diff: 0, detectable_diff: 0.06 };
  const amount = (baseline_mean: number, now: number, p_value = 0.01) => ({
    baseline_mean,
    diff: now - baseline_mean,
    p_value,
  });
  const words = (cost: object, latency: object, score: object = same) =>
    describeOutcome({ score, alpha: 0.05, cost, latency_ms: latency } as Parameters<typeof describeOutcome>[0]);

  it('speaks of quality, money and speed in one sentence', () => {
    expect(words(amount(1, 0.06), amount(2_800, 1_000))).toBe(
      'No difference shown (a change of 0.06 or more would have been); 94% cheaper, 2.8 times faster.',
    );
    const worse = { verdict: 'worse', diff: -0.3, detectable_diff: null };
    expect(words(amount(1, 3), amount(100, 120), worse)).toBe('Worse by 0.3; 3 times as dear, 20% slower.');
  });

  it('leaves out what is not shown to have changed', () => {
    expect(words(amount(1, 0.9, 0.2), none)).toBe('No difference shown (a change of 0.06 or more would have been).');
    expect(words(none, amount(0, 5), { ...same, detectable_diff: null })).toBe('No difference shown.');
  });
});
