import { SpandrelError } from '@spandrel/sdk/api';
import { describe, expect, it } from '@jest/globals';
import { FieldFaults, FormFault } from './form-faults.js';

const errors = [
  { path: 'gates[0].k', message: 'must be at most 3' },
  { path: 'scoring_config.pattern', message: 'is required' },
];
const problem = new SpandrelError({ status: 400, code: 'validation_failed', detail: 'wrong', errors });

describe('faults of a form', () => {
  it('are said at their fields, and those of inner members at the field around them', () => {
    const faults = new FieldFaults(problem);
    expect(faults.at('gates.0.k')).toBe('must be at most 3');
    expect(faults.at('scoring_config')).toBe('pattern: is required');
    expect([faults.at('scoring'), faults.at('gates.1')]).toEqual([undefined, undefined]);
  });

  it('say whether a field shows each of them', () => {
    const faults = new FieldFaults(problem);
    expect([faults.areAllAt(['gates.0', 'scoring_config']), faults.areAllAt(['gates.0'])]).toEqual([true, false]);
    expect(new FieldFaults(new Error('other')).areAllAt(['gates.0'])).toBe(false);
  });

  it('may be found before anything is sent', () => {
    expect(new FieldFaults(new FormFault('metadata', 'line 1')).at('metadata')).toBe('line 1');
  });
});
