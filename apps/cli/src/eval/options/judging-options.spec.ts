import { describe, expect, it } from '@jest/globals';
import { UsageFault } from '../../client/exit-codes.js';
import { gatesAgainst, readJudging } from './judging-options.js';

describe('what a run is to meet', () => {
  it('is nothing unless somebody says so', () => {
    expect(readJudging({})).toEqual({
      ...{ gates: [], baseline: undefined, alpha: 0.05, regressionsOf: [], maxNewFailures: undefined },
      ...{ requireBaseline: false, allowDifferentScoring: false },
    });
  });

  it('is gates, those that compare with their baseline', () => {
    const judging = readJudging({
      threshold: ['pass_rate >= 90%', 'tone.pass_hat_k@3 > 0.5', 'worse <= 2'],
      baseline: 'latest:branch=main',
      failOnRegression: true,
    });
    expect(judging.baseline).toBe('latest:branch=main');
    expect(gatesAgainst(judging, 'R')).toMatchObject([
      { metric: 'pass_rate', op: '>=', value: 0.9 },
      { metric: 'pass_hat_k', scorer: 'tone', k: 3, op: '>', value: 0.5 },
      { metric: 'worse', op: '<=', value: 2, baseline_run_id: 'R' },
      { metric: 'regression', baseline_run_id: 'R', max_new_failures: 0.01 },
    ]);
    const allowed = gatesAgainst({ ...judging, allowDifferentScoring: true }, 'R');
    expect(allowed.map((gate) => gate.allow_different_scoring)).toEqual([undefined, undefined, true, true]);
    expect(gatesAgainst(judging, undefined).map(({ metric }) => metric)).toEqual(['pass_rate', 'pass_hat_k']);
  });

  it('has "no regression" once', () => {
    const { gates } = readJudging({ threshold: ['no regression'], failOnRegression: true, baseline: 'R' });
    expect(gates).toEqual([{ metric: 'regression', max_new_failures: 0.01 }]);
    const given = readJudging({ failOnRegression: true, maxNewFailures: '2.5%', baseline: 'R' });
    expect(given).toMatchObject({ gates: [{ max_new_failures: 0.025 }], maxNewFailures: 0.025 });
  });

  it('is judged by the command where the server knows no such alpha', () => {
    expect(readJudging({ failOnRegression: true, baseline: 'R', alpha: '0.01' })).toMatchObject({
      ...{ gates: [], baseline: 'R', alpha: 0.01, regressionsOf: [null], maxNewFailures: 0.01 },
    });
    expect(readJudging({ failOnRegression: true, baseline: 'R', alpha: '0.05' }).regressionsOf).toEqual([]);
    expect(readJudging({ baseline: 'R', alpha: '0.01' }).regressionsOf).toEqual([]);
    const { regressionsOf } = readJudging({ threshold: ['no tone.regression'], baseline: 'R', alpha: '0.01' });
    expect(regressionsOf).toEqual(['tone']);
  });

  it.each([
    [{ threshold: ['mean'] }, /^--threshold: /],
    [{ threshold: ['diff > 0'] }, '--threshold "diff > 0": needs --baseline'],
    [{ threshold: ['no regression'] }, '--threshold "no regression": needs --baseline'],
    [{ failOnRegression: true }, '--fail-on-regression: needs --baseline'],
    [{ alpha: '0.1' }, '--alpha: needs --baseline'],
    [{ requireBaseline: true }, '--require-baseline: needs --baseline'],
    [{ allowDifferentScoring: true }, '--allow-different-scoring: needs --baseline'],
    [{ maxNewFailures: '1%', baseline: 'R' }, '--max-new-failures: needs --fail-on-regression'],
    [{ maxNewFailures: 'few', failOnRegression: true, baseline: 'R' }, '--max-new-failures: '],
    [{ maxNewFailures: '-1%', failOnRegression: true, baseline: 'R' }, '--max-new-failures: must not be less than 0'],
    [{ baseline: 'R', alpha: '1' }, '--alpha: must be a number between 0 and 1'],
    [{ baseline: 'R', alpha: '' }, '--alpha: must be a number between 0 and 1'],
  ])('%j is refused', (options, fault) => {
    expect(() => readJudging(options)).toThrow(fault);
    expect(() => readJudging(options)).toThrow(UsageFault);
  });
});
