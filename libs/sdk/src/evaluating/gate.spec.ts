import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeGate, METRICS, parseGate, type Gate, type GateMetric, type GateOp } from './gate.js';

describe('parseGate', () => {
  it.each<[string, Gate]>([
    ['mean >= 0.9', { metric: 'mean', op: '>=', value: 0.9 }],
    ['  pass_rate>80%  ', { metric: 'pass_rate', op: '>', value: 0.8 }],
    ['failed_rate <= 7 %', { metric: 'failed_rate', op: '<=', value: 0.07 }],
    ['latency_p95 < 2.5e3', { metric: 'latency_p95', op: '<', value: 2500 }],
    ['diff_ci_low >= -2%', { metric: 'diff_ci_low', op: '>=', value: -0.02 }],
    ['pass_at_k >= .5', { metric: 'pass_at_k', op: '>=', value: 0.5 }],
    ['short.pass_hat_k@3 >= 0.8', { metric: 'pass_hat_k', scorer: 'short', k: 3, op: '>=', value: 0.8 }],
    ['tone.v1.2.mean >= 0.5', { metric: 'mean', scorer: 'tone.v1.2', op: '>=', value: 0.5 }],
    ['a.mean.mean >= 1', { metric: 'mean', scorer: 'a.mean', op: '>=', value: 1 }],
    ['no regression', { metric: 'regression' }],
    ['no  tone.regression', { metric: 'regression', scorer: 'tone' }],
    ['worse <= 3', { metric: 'worse', op: '<=', value: 3 }],
    ['no regression by category', { metric: 'regression', by: 'category' }],
    ['no tone.regression by "the topic"', { metric: 'regression', scorer: 'tone', by: 'the topic' }],
    ['pass_rate >= 50% by metadata.lang', { metric: 'pass_rate', op: '>=', value: 0.5, by: 'metadata.lang' }],
    // The server knows whether a scorer or a group has the name.
    ['legal.pass_rate >= 50%', { metric: 'pass_rate', scorer: 'legal', op: '>=', value: 0.5 }],
    [
      'category:legal.tone.pass_hat_k@3 >= 0.8',
      {
        ...{ metric: 'pass_hat_k', group: { key: 'category', value: 'legal' }, scorer: 'tone', k: 3 },
        ...{ op: '>=', value: 0.8 },
      },
    ],
    ['"human resources".mean > 0.5', { metric: 'mean', group: { value: 'human resources' }, op: '>', value: 0.5 }],
    [
      '"a:b":"x > 1 by y@2".tone.mean < 1',
      { metric: 'mean', scorer: 'tone', group: { key: 'a:b', value: 'x > 1 by y@2' }, op: '<', value: 1 },
    ],
    ['no lang:null.regression', { metric: 'regression', group: { key: 'lang', value: null } }],
    ['no lang:"null".regression', { metric: 'regression', group: { key: 'lang', value: 'null' } }],
  ])('reads %s', (text, gate) => {
    expect(parseGate(text)).toEqual(gate);
  });

  it('puts the baseline to those gates alone that compare', () => {
    expect(parseGate('no regression', { baselineRunId: 'b' })).toEqual({ metric: 'regression', baseline_run_id: 'b' });
    expect(parseGate('diff > 0', { baselineRunId: 'b' })).toMatchObject({ baseline_run_id: 'b' });
    expect(parseGate('mean > 0', { baselineRunId: 'b' })).not.toHaveProperty('baseline_run_id');
  });

  it.each([
    ['', 'is empty'],
    ['meen >= 0.9', '"meen" is no metric (mean?); there are mean, mean_ci_low'],
    ['tone >= 0.9', '"tone" is no metric;'],
    ['>= 0.9', 'the metric is missing'],
    ['mean', 'the condition is missing, as in "mean >= 0.9"'],
    ['mean >=', 'the number behind the comparison is missing'],
    ['mean = 0.9', '"=" is no comparison; there are >=, >, <=, <'],
    ['mean => 0.9', '"=>" is no comparison'],
    ['mean >= high', '"high" is no number, such as 0.9 or 90%'],
    ['mean >= 0x1', '"0x1" is no number'],
    ['mean >= 90', '90 is out of range: mean is from 0 to 1; write 90% for a percentage'],
    ['failed_rate <= 5', 'write 5% for a percentage'],
    ['mean >= 120%', '120% is out of range: mean is from 0 to 1'],
    ['failed_samples <= 5%', 'failed_samples is no share; failed_rate is'],
    ['pass_hat_k@0 >= 0.5', '"@0" must be @ and a whole number from 1 to 100'],
    ['pass_hat_k@2@3 >= 0.5', '"@2@3" must be'],
    ['mean@3 >= 0.5', '"@3" goes with pass_at_k and pass_hat_k alone'],
    ['bad name.mean >= 0.5', '"bad name" is no name of a scorer'],
    ['.mean >= 0.5', '"" is no name of a scorer'],
    ['regression', 'is written "no regression"'],
    ['regression < 1', 'regression takes no number'],
    ['no mean', '"no" goes with regression alone'],
    ['no a:b.regression by c', 'one group is not looked at by groups'],
    ['"bad \\q".mean >= 0', '"bad \\q" is no text in quotes'],
    ['"open.mean >= 0.5', 'a quote is not closed'],
    ['two words.mean >= 0.5', 'a group is written in quotes'],
  ])('refuses %j and says why', (text, why) => {
    expect(() => parseGate(text)).toThrow(`gate "${text}": `);
    expect(() => parseGate(text)).toThrow(why);
  });

  it('reads every gate as it is described', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
    const conditions = Object.keys(METRICS).filter((metric) => metric !== 'regression') as GateMetric[];
    const gates = fc.record(
      {
        metric: fc.constantFrom(...conditions),
        scorer: name,
        op: fc.constantFrom<GateOp>('>=', '>', '<=', '<'),
        value: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
        k: fc.integer({ min: 1, max: 100 }),
        group: fc.record(
          { key: fc.string({ minLength: 1 }), value: fc.option(fc.string()) },
          { requiredKeys: ['value'] },
        ),
        by: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['metric', 'op', 'value'] },
    );
    fc.assert(
      fc.property(gates, ({ k = 1, by, ...others }) => {
        if (others.group?.value === null && others.group.key === undefined) others.group.key = 'lang';
        const each = by !== undefined && others.group === undefined && { by };
        const gate: Gate = { ...others, ...each, ...(others.metric.endsWith('_k') && { k }) };
        expect(parseGate(describeGate(gate))).toEqual(gate);
      }),
    );
    expect(describeGate({ metric: 'regression', scorer: null, k: null, op: null, value: null })).toBe('no regression');
  });
});
