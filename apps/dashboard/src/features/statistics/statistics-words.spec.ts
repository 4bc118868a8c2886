import { describe, expect, it } from '@jest/globals';
import { formatDuration } from '../../components/format/format-duration.js';
import { DIFFERENCES, placeOn, scaleAround, SCORES } from './bar-scale.js';
import { formatScore } from '../runs/format-score.js';
import { describeInterval, formatInterval, formatP } from './interval-words.js';
import { namedScores } from './named-scores.js';
import { signed } from './signed.js';
import { describePairs, describeVerdict } from './verdict-words.js';

const ci = { low: 0.396778147461, high: 0.892208732594, level: 0.95 };

describe('an interval in words', () => {
  it('has both bounds and its level', () => {
    expect(formatInterval(ci)).toBe('0.397 to 0.892');
    expect(describeInterval(ci)).toBe('95% interval 0.397 to 0.892');
    expect(describeInterval({ low: -80, high: 120, level: 0.99 }, formatDuration)).toBe(
      '99% interval -80 ms to 120 ms',
    );
    expect([formatInterval(null), describeInterval(null)]).toEqual(['–', 'no interval']);
  });

  it('stands beside a p value that is never written as none', () => {
    expect([null, 0, 0.0004, 0.0654296875, 1].map(formatP)).toEqual(['–', '< 0.001', '< 0.001', '0.065', '1']);
  });
});

describe('the scale of an error bar', () => {
  it('goes from 0 to 1 for scores, and around 0 for differences', () => {
    expect([0, 0.25, 1].map((value) => placeOn(SCORES, value))).toEqual([0, 25, 100]);
    expect([-1, 0, 0.5].map((value) => placeOn(DIFFERENCES, value))).toEqual([0, 50, 75]);
    expect([-2, 2].map((value) => placeOn(DIFFERENCES, value))).toEqual([0, 100]);
  });

  it('has room for an amount and its bounds', () => {
    expect(scaleAround([20, -80, 120])).toEqual({ low: -120, high: 120 });
    expect([scaleAround([0, null, undefined]), scaleAround([])]).toEqual([null, null]);
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

describe('an amount with its sign', () => {
  it('has none where it is nothing', () => {
    expect([120, -80, 0, 0.04].map((ms) => signed(ms, formatDuration))).toEqual(['+120 ms', '-80 ms', '0 ms', '0 ms']);
    expect([null, 0.0004, -0.25].map((score) => signed(score, formatScore))).toEqual(['–', '0', '-0.25']);
  });
});

describe('scores by name', () => {
  it('begin with that of all together, where there are several', () => {
    expect(namedScores(1, { exact: 2 })).toEqual([{ name: 'exact', of: 1 }]);
    expect(namedScores(1, { exact: 2, judge: 3 }).map(({ name, of }) => [name, of])).toEqual([
      ...[
        ['All together', 1],
        ['exact', 2],
        ['judge', 3],
      ],
    ]);
  });
});
