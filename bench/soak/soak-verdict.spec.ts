import { describe, expect, it } from '@jest/globals';
import { verdictOf } from '../verdict.ts';
import { goalsOf, riseOf, type Minute, type Outcome } from './soak-verdict.ts';

const MIB = 1_048_576;

const minutesOf = (count: number, of: (at: number) => Partial<Minute> = () => ({})): Minute[] =>
  Array.from({ length: count }, (_, index) => {
    const at = index + 1;
    const sizes = { rss: 300 * MIB, heap: 50 * MIB, database: at * 1_000 * 2_400, wal: 10 * MIB, eventRows: at * 900 };
    const rates = { p50: 4, p99: 20, requestsPerSecond: 1_000, errors: 0 };
    return { at, ...sizes, ...rates, descriptors: 60, spans: at * 1_000, ...of(at) };
  });

const clean: Outcome = {
  findings: [{ lost: 0, unfinished: 0, doubled: 0, unknown: 0, expected: 9 }],
  ...{ eventFaults: 0, eventsMissing: 0, integrity: 'ok', countsApart: 0 },
};

/** Goals that are not met, by name. */
const missed = (minutes: readonly Minute[], outcome: Outcome = clean): string[] =>
  goalsOf(minutes, outcome)
    .filter((goal) => verdictOf(goal, undefined) !== 'met')
    .map(({ name }) => name);

describe('the verdict of a soak', () => {
  it('is good when nothing is lost and nothing grows', () => {
    // A log of some megabytes weighs on the first spans alone.
    expect(missed(minutesOf(60, () => ({ wal: 0 })))).toEqual([]);
  });

  it('says what was lost', () => {
    const findings = [...clean.findings, { lost: 1, unfinished: 2, doubled: 3, unknown: 4, expected: 9 }];
    const outcome = { findings, eventFaults: 1, eventsMissing: 1, integrity: 'page 7', countsApart: -2 };
    const names = missed(
      minutesOf(60, (at) => ({ wal: 0, errors: at === 7 ? 1 : 0 })),
      outcome,
    );
    expect(names).toHaveLength(9);
  });

  it('reports memory, descriptors and data a span that grow', () => {
    expect(missed(minutesOf(60, (at) => ({ wal: 0, rss: (300 + at * 3) * MIB })))).toEqual([
      'memory: rise over the run / its mean',
    ]);
    expect(missed(minutesOf(60, (at) => ({ wal: 0, descriptors: 60 + at })))).toEqual([
      'descriptors: rise over the run',
    ]);
    expect(missed(minutesOf(60, (at) => ({ wal: 0, database: at * 1_000 * (2_400 + at * 10) })))).toEqual([
      'bytes on disk a span: rise / mean',
    ]);
  });

  it('shows a log that is not cut back', () => {
    expect(missed(minutesOf(60, (at) => ({ wal: at === 30 ? 200 * MIB : 0 })))).toContain(
      'log written ahead, largest, MiB',
    );
  });

  it('says nothing of slopes in a run of few minutes', () => {
    const verdicts = goalsOf(minutesOf(3), clean).map((goal) => verdictOf(goal, undefined));
    expect(verdicts.filter((verdict) => verdict === 'not measured')).toHaveLength(4);
  });

  it('does not take the saw of restarts for growth', () => {
    expect(missed(minutesOf(60, (at) => ({ wal: 0, rss: (250 + (at % 5) * 30) * MIB })))).toEqual([]);
  });
});

it('the rise is that of the straight line', () => {
  expect(riseOf([1, 2, 3, 4, 5])).toBeCloseTo(4);
  expect(riseOf([5, 5, 9, 5, 5])).toBeCloseTo(0);
  expect(riseOf([1, 2, 3])).toBeUndefined();
});
