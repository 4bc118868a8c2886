import { describe, expect, it } from '@jest/globals';
import { ExitCode } from '../client/exit-codes.js';
import {
  toExitCode,
  mergeExitCodes,
  gateResults,
  regressionResult,
  decideVerdict,
  type GateResult,
} from './judge-run.js';
import { sampleRun, sampleStatistics } from '../../../../test/cli/sample-report.js';

const gate = (passed: boolean | null, isRegression = false): GateResult => ({
  text: 'g',
  found: '1',
  passed,
  isRegression,
});
const codeOf = (run: Parameters<typeof sampleRun>[0], ...gates: GateResult[]): number =>
  toExitCode(decideVerdict(sampleRun(run), gates));

describe('the exit code of a run', () => {
  it.each([
    ['without gates', {}, [], 0],
    ['whose gates hold', {}, [gate(true)], 0],
    ['with a gate that does not', {}, [gate(true), gate(false)], 10],
    ['that is worse', {}, [gate(true), gate(false, true)], 11],
    ['with both', {}, [gate(false, true), gate(false)], 10],
    ['that was cancelled', { status: 'cancelled', stop_reason: 'cancelled' }, [gate(null)], 12],
    ['at its cap', { status: 'cancelled', stop_reason: 'cost_cap' }, [], 12],
    ['that failed', { status: 'failed', error: 'no connection' }, [gate(null)], 1],
    ['all of whose items failed', { error: 'all 3 items failed' }, [], 1],
    ['all of whose items failed, with a gate', { error: 'all 3 items failed' }, [gate(false)], 10],
    ['that goes on', { status: 'running' }, [gate(null)], 0],
  ] as const)('%s', (_what, run, gates, code) => expect(codeOf(run, ...gates)).toBe(code));

  it('says passed of those alone that were asked for something', () => {
    expect(decideVerdict(sampleRun(), [])).toBe('done');
    expect(decideVerdict(sampleRun(), [gate(true)])).toBe('passed');
  });

  it('of several is that of what is certain', () => {
    const { gate, regression, refused, unforeseen, stopped, done } = ExitCode;
    expect(mergeExitCodes([done, done])).toBe(0);
    expect(mergeExitCodes([done, stopped, unforeseen])).toBe(1);
    expect(mergeExitCodes([unforeseen, refused, regression])).toBe(11);
    expect(mergeExitCodes([regression, gate, unforeseen])).toBe(10);
  });
});

describe('gates in words', () => {
  const judged = {
    scorer: null,
    k: null,
    op: '>=',
    value: 0.9,
    baseline_run_id: null,
    actual: 0.75,
    passed: false,
  } as const;

  it('say what was found', () => {
    const results = gateResults([
      { ...judged, metric: 'mean' },
      { ...judged, metric: 'pass_hat_k', scorer: 'tone', k: 3, actual: null },
      { ...judged, metric: 'latency_p95', op: '<', value: 250, actual: 1490 },
      { ...judged, metric: 'regression', op: null, value: null, baseline_run_id: 'B', actual: 'worse' },
      { ...judged, metric: 'regression', op: null, value: null, baseline_run_id: 'B', actual: null },
      { ...judged, metric: 'regression', op: null, value: null, actual: 'unknown', reason: 'scored differently: a\nb' },
      { ...judged, metric: 'new_failures', op: '<=', value: 0.01, actual: 0.05 },
    ]);
    expect(results.map(({ text, found, isRegression }) => [text, found, isRegression])).toEqual([
      ['mean >= 0.9', '0.75', false],
      ['tone.pass_hat_k@3 >= 0.9', '–', false],
      ['latency_p95 < 250', '1.49 s', false],
      ['no regression', 'worse', true],
      ['no regression', '–', false],
      ['no regression', 'unknown: scored differently: a b', false],
      ['new_failures <= 0.01', '+0.05', false],
    ]);
  });

  it('are judged by the command with an alpha of its own', () => {
    const comparison = { ...sampleStatistics().comparison!, alpha: 0.01 };
    expect(regressionResult(comparison, null)).toEqual({
      ...{ text: 'no regression (alpha 0.01)', found: 'no difference', passed: true, isRegression: false },
    });
    const worse = { ...comparison, score: { ...comparison.score, verdict: 'worse' as const } };
    expect(regressionResult(worse, null)).toMatchObject({ found: 'worse', passed: false, isRegression: true });
    expect(regressionResult(worse, 'Contains')).toMatchObject({
      text: 'no Contains.regression (alpha 0.01)',
      passed: true,
    });
    const other = { ...worse, comparable: { score: false, scorers: {}, differences: [] } };
    expect(regressionResult(other, null)).toMatchObject({ passed: false, isRegression: false });
    expect(regressionResult(other, null, { allowDifferentScoring: true })).toMatchObject({ isRegression: true });
    const failures = { ...comparison.failures, diff: 0.02 };
    const failing = regressionResult({ ...comparison, failures }, null, { maxNewFailures: 0.01 });
    expect(failing).toMatchObject({ found: expect.stringMatching(/^worse: \d+ of/), isRegression: true });
    expect(regressionResult(worse, 'gone')).toMatchObject({ found: '–', passed: false, isRegression: false });
  });
});
