import { describe, expect, it } from '@jest/globals';
import { EXPORT_COLLECTIONS } from '@spandrel/contract';
import { passes } from './export-file.js';

describe('the passes over a file', () => {
  it('are one when everything comes behind what it needs, in whatever other order', () => {
    expect(passes(EXPORT_COLLECTIONS)).toEqual([[...EXPORT_COLLECTIONS]]);
    expect(passes(['datasets', 'traces', 'datapoints', 'eval_runs', 'spans'])).toHaveLength(1);
    expect(passes(['spans'])).toEqual([['spans']]);
    expect(passes([])).toEqual([[]]);
  });

  it('are one a level when something comes too early', () => {
    expect(passes(['spans', 'traces'])).toEqual([['traces'], ['spans']]);
    expect(passes(EXPORT_COLLECTIONS.toReversed())).toEqual([
      [
        'traces',
        'datasets',
        'connections',
        'score_definitions',
        'views',
        'boards',
        'scoring_rules',
        'alert_channels',
        'alerts',
      ],
      ['spans', 'datapoints', 'capture_rules'],
      ['datapoint_versions', 'queue_items', 'scores'],
      ['eval_runs'],
      ['eval_results', 'eval_samples', 'eval_attempts'],
      ['comments'],
    ]);
  });

  it('leave no collection out', () => {
    expect(passes(EXPORT_COLLECTIONS.toReversed()).flat().toSorted()).toEqual([...EXPORT_COLLECTIONS].toSorted());
  });
});
