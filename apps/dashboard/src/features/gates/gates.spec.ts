import type { JudgedGate } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { NEW_GATE, fieldsOfGate, gateOf, withMetric, describeActual, describeGate, describeGates } from './gates.js';

const gate: JudgedGate = {
  ...{ metric: 'pass_rate', scorer: 'exact', k: null, op: '>=', value: 0.9 },
  ...{ baseline_run_id: null, actual: 0.7, passed: false },
};
const words = (members: Partial<JudgedGate>): string =>
  describeGate({ ...gate, scorer: null, ...members }, (id) => `run ${id}`);

describe('a gate in words', () => {
  it('says what is compared, and with what', () => {
    expect(describeGate(gate, String)).toBe('Pass rate of exact ≥ 0.9');
    expect(words({ metric: 'pass_hat_k', k: 3, op: '>', value: 0.5 })).toBe('pass^3 > 0.5');
    expect(words({ metric: 'latency_p95', op: '<=', value: 1_500 })).toBe('Latency, 95th percentile ≤ 1.50 s');
    expect(words({ metric: 'total_cost', op: '<', value: 0.02 })).toBe('Total cost < $0.02');
    expect(words({ metric: 'diff_ci_low', value: -0.05, baseline_run_id: 'a' })).toBe(
      'Difference, lower bound against run a ≥ -0.05',
    );
    expect(words({ metric: 'regression', op: null, value: null, baseline_run_id: 'a' })).toBe('Not worse than run a');
  });

  it('says what was found', () => {
    expect(describeActual(gate)).toBe('0.7');
    expect(describeActual({ metric: 'flaky_datapoints', actual: 2 })).toBe('2');
    expect(describeActual({ metric: 'regression', actual: 'no_difference' })).toBe('No difference shown');
    expect(describeActual({ metric: 'mean', actual: null })).toBe('–');
  });

  it('says how many hold', () => {
    const [held, not, open] = [true, false, null].map((passed) => ({ passed }));
    expect(describeGates([])).toBeNull();
    expect(describeGates([open!, open!])).toBe('Not judged yet');
    expect([describeGates([held!, held!]), describeGates([held!, not!])]).toEqual(['All hold', '1 of 2 hold']);
  });
});

describe('the fields of a gate', () => {
  it('become the members that its metric has', () => {
    const filled = { ...NEW_GATE, scorer: 'exact', k: '3', value: '0.9', baseline: 'a' };
    expect(gateOf(filled)).toEqual({ metric: 'pass_rate', scorer: 'exact', op: '>=', value: 0.9 });
    expect(gateOf(withMetric(filled, 'pass_hat_k'))).toEqual({
      ...{ metric: 'pass_hat_k', scorer: 'exact', k: 3, op: '>=', value: 0.9 },
    });
    expect(gateOf(withMetric(filled, 'latency_p95'))).toEqual({ metric: 'latency_p95', op: '<=', value: 0.9 });
    expect(gateOf(withMetric(filled, 'regression'))).toEqual({
      ...{ metric: 'regression', scorer: 'exact', baseline_run_id: 'a' },
    });
  });

  it('name groups, and the rules of a comparison', () => {
    const sent = (fields: object) => gateOf({ ...NEW_GATE, value: '0.5', ...fields });
    expect(sent({ group: ' category:legal ' })).toMatchObject({ group: { key: 'category', value: 'legal' } });
    expect(sent({ group: 'legal' })).toMatchObject({ group: { value: 'legal' } });
    expect(sent({ group: 'category:null' })).toMatchObject({ group: { key: 'category', value: null } });
    expect(sent({ group: 'by category' })).toMatchObject({ by: 'category' });
    expect(sent({ metric: 'total_cost', group: 'by category' })).not.toHaveProperty('by');
    const rules = { allow_different_scoring: true, cluster_by: 'customer' };
    const regression = { metric: 'regression', baseline_run_id: 'a', scorer: 'exact', ...rules };
    const judged = { ...gate, ...regression, k: null, op: null, value: null } as JudgedGate;
    const divisions = [{ by: 'category' }, { group: { key: 'category', value: 'legal' } }, { max_new_failures: 0 }];
    for (const division of divisions)
      expect(gateOf(fieldsOfGate({ ...judged, ...division }))).toEqual({ ...regression, ...division });
  });

  it('are those of a gate that a run has', () => {
    expect(gateOf(fieldsOfGate(gate))).toEqual({ metric: 'pass_rate', scorer: 'exact', op: '>=', value: 0.9 });
  });
});
