import { describe, expect, it } from '@jest/globals';
import type {
  EvalItem,
  EvalRunSummary,
  EvalScorer,
  EvalStatistics,
  JudgedGate,
  ScoreStatistics,
} from '../api/schema.js';
import { resultTable } from './eval-result.js';

const score = (mean: number | null): ScoreStatistics =>
  ({
    mean,
    ci: mean === null ? null : { low: mean - 0.0412345, high: mean + 0.04, level: 0.95, method: 't' },
    pass_rate: { mean },
  }) as ScoreStatistics;

const gate = (members: Partial<JudgedGate>): JudgedGate => ({
  ...{ metric: 'mean', scorer: null, k: null, op: '>=', value: 0.9, baseline_run_id: null, actual: null, passed: null },
  ...members,
});

const scorer = (name: string, weight = 1, passScore = 1) => ({ name, weight, pass_score: passScore }) as EvalScorer;

const item = (members: Partial<EvalItem>): EvalItem =>
  ({
    input: 'France',
    output: 'Paris',
    expected: null,
    score: 1,
    status: 'completed',
    error: null,
    score_reason: null,
    trace_id: null,
    ...members,
  }) as EvalItem;

const FACTS: Parameters<typeof resultTable>[0] = {
  run: {
    id: 'r1',
    name: 'capitals',
    status: 'completed',
    stop_reason: null,
    error: null,
    passed: false,
    pass_score: 1,
    scorers: [scorer('exactMatch'), scorer('short')],
  } as EvalRunSummary,
  statistics: {
    ...{ samples: 600, datapoints: 200, failed_samples: 12, pending_samples: 0 },
    ...{ score: score(0.812345), scorers: { exactMatch: score(0.8), short: score(null) } },
    comparison: { score: { diff: -0.08125, p_value: 0.003 }, scorers: {} },
  } as unknown as EvalStatistics,
  gates: [
    gate({ actual: 0.812345, passed: false }),
    gate({ metric: 'pass_hat_k', scorer: 'short', k: 3, value: 0.8, actual: null, passed: false }),
    gate({ metric: 'regression', op: null, value: null, baseline_run_id: 'b', actual: 'worse', passed: false }),
    gate({ metric: 'latency_p95', op: '<', value: 250_000, actual: 123_456.7, passed: true }),
    gate({ value: 0.9, actual: 0.89996, passed: false }),
  ],
  passed: false,
  baselineRunId: 'b',
  missingBaseline: undefined,
  skippedGates: ['diff >= 0'],
  worst: [
    item({ status: 'failed', output: null, score: null, error: `TypeError: ${'long '.repeat(40)}`, trace_id: 't1' }),
    item({ input: { city: 'Lyon\n?' }, output: 'no', expected: 'yes', score: 0.25, score_reason: 'rude' }),
  ],
};

describe('resultTable', () => {
  it('shows gates, scorers and the worst datapoints of an eval that did not pass', () => {
    expect(resultTable(FACTS)).toBe(
      [
        'eval "capitals" did not pass: run r1, 600 samples of 200 datapoints, 12 failed',
        '',
        '   gate                       found',
        '✗  mean >= 0.9                0.8123',
        '✗  short.pass_hat_k@3 >= 0.8  no value',
        '✗  no regression              worse, difference -0.08125, p 0.003',
        '✓  latency_p95 < 250000       123457',
        '✗  mean >= 0.9                0.89996',
        '-  diff >= 0                  left out: there is no run yet to compare with',
        '',
        'scorer      mean      95% interval      pass rate',
        'all         0.8123    0.7711 to 0.8523  81.2%',
        'exactMatch  0.8       0.7588 to 0.84    80%',
        'short       no score',
        '',
        'score   worst datapoints',
        'failed  "France" → TypeError: long long long long long long long long long lon…, trace t1',
        '0.25    {"city":"Lyon\\n?"} → "no", expected "yes" (rude)',
      ].join('\n'),
    );
  });

  it.each([
    [{ passed: true }, {}, 'eval "capitals" passed: run r1'],
    [{ passed: true, gates: [] }, {}, 'eval "capitals" done, no gates: run r1'],
    [{}, { status: 'cancelled', stop_reason: 'cost_cap' }, 'eval "capitals" was cancelled (cost_cap): run r1'],
    [{}, { status: 'cancelled', stop_reason: 'cancelled' }, 'eval "capitals" was cancelled: run r1'],
    [{}, { status: 'failed', error: 'no plugin' }, 'eval "capitals" failed (no plugin): run r1'],
    [{}, { passed: null, error: 'all 9 items failed: x' }, 'eval "capitals" did not pass (all 9 items failed: x): run'],
  ])('begins with what became of the run: %j %j', (facts, run, heading) => {
    const table = resultTable({ ...FACTS, ...facts, run: { ...FACTS.run, ...run } as EvalRunSummary });
    expect(table.slice(0, heading.length)).toBe(heading);
  });

  it('leaves out all together where one scorer is all there is', () => {
    const rowsOf = (passScore: number, ...scorers: EvalScorer[]): string[] => {
      const statistics = { ...FACTS.statistics, score: score(0.3), scorers: { short: score(0.9) } };
      const run = { ...FACTS.run, pass_score: passScore, scorers } as EvalRunSummary;
      return resultTable({ ...FACTS, run, statistics })
        .split('\n')
        .filter((line) => /^(all|short) /.test(line));
    };
    const [all, short] = ['all     0.3   0.2588 to 0.34  30%', 'short   0.9   0.8588 to 0.94  90%'];
    expect(rowsOf(1, scorer('short'))).toEqual([short]);
    expect(rowsOf(0.5, scorer('short'))).toEqual([all, short]);
    expect(rowsOf(1, scorer('short', 0))).toEqual([all, short]);
  });

  it('has the numbers of groups, those of the only scorer where that does not count', () => {
    const groupOf = (category: string, mean: number | null, scorers: Record<string, number>) => ({
      ...{ group: { category }, ...score(mean), datapoints: mean === null ? 0 : 4, comparison: null },
      scorers: Object.fromEntries(
        Object.entries(scorers).map(([name, own]) => [name, { ...score(own), datapoints: 5 }]),
      ),
    });
    const groups = [
      groupOf('legal', 0.3, { short: 0.9 }),
      groupOf('login', null, { short: 0.9 }),
      groupOf('stock', null, { short: 0.9, tone: 0.8 }),
    ];
    const statistics = { ...FACTS.statistics, group_by: ['category'], groups } as unknown as EvalStatistics;
    const lines = resultTable({ ...FACTS, statistics }).split('\n');
    expect(lines.filter((line) => /^(legal|login|stock) /.test(line))).toEqual([
      'legal     4  0.3       0.2588 to 0.34  30%',
      'login     5  0.9       0.8588 to 0.94  90%',
      'stock     0  no score',
    ]);
  });
});
