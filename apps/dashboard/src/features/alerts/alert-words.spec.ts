import type { AlertEvaluation, AlertResource } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeAlert, explainEvaluation, formatChange, MEASURES } from './alert-words.js';

const alert: AlertResource = {
  ...{ id: 'a', name: 'dear', enabled: true, measure: 'cost', filters: {}, group_by: 'user', window: '1h' },
  ...{ condition: { op: '>', value: 5 }, min_count: 0, for: null, cooldown: null, channel_ids: [], severity: 'info' },
  ...{ state: 'ok', state_since: '', last_value: null, firing: [], explain: null, created_at: '', updated_at: '' },
};
const group = { key: null, value: 6, count: 2, compared: null, change_percent: null, holds: true };
const found: AlertEvaluation = {
  ...{ at: '', since: '', until: '', compared_since: null, source: 'spans', decision: 'firing', reason: 'because' },
  ...{ groups: [group], group_count: 1 },
};

describe('an alert in words', () => {
  it('has its measure, split, window and condition', () => {
    const words = (changes: Partial<AlertResource>) => describeAlert({ ...alert, ...changes });
    expect(words({})).toBe('Cost by user in 1 hour above $5');
    expect(words({ measure: 'error_rate', group_by: 'none', condition: { op: '>', value: 0.075 } })).toBe(
      'Error rate in 1 hour above 7.5%',
    );
    const fall = { change: '<', percent: 10, against: 'same_hour_last_week' } as const;
    const scores = {
      measure: 'score_mean',
      filters: { score_name: 'helpful' },
      window: '7d',
      group_by: 'none',
    } as const;
    expect(words({ ...scores, condition: fall })).toBe(
      'Mean score of helpful in 7 days down by more than 10% on the same time last week',
    );
    expect([MEASURES.cost.format(null), formatChange(12.34), formatChange(-3), formatChange(null)]).toEqual([
      ...['–', '+12.3%', '-3%', '–'],
    ]);
  });

  it('says what an evaluation found and what came of it', () => {
    const said = (changes: Partial<AlertResource>, of: Partial<AlertEvaluation>) =>
      explainEvaluation({ ...alert, ...changes }, { ...found, ...of });
    const single = { group_by: 'none' } as const;
    expect(said({}, { group_count: 3 })).toBe('3 measured by user, 1 above $5. Read from the spans of the window.');
    expect(said({ ...single, for: '10m' }, { decision: 'ok', source: 'rollups' })).toBe(
      'Cost in 1 hour: $6, above $5. It fires once that has held for 10 minutes. Read from sums that are kept.',
    );
    expect(said(single, { decision: 'ok', groups: [{ ...group, value: 1, holds: false }] })).toContain(
      '$1, not above $5.',
    );
    expect(said(single, { decision: 'no_data', groups: [{ ...group, value: null, holds: null }] })).toContain(
      'not enough to judge by',
    );
    expect(said({}, { decision: null })).toContain('its state stayed: because');
    expect([said({ enabled: false }, { groups: [] }), said({}, { groups: [] })]).toEqual([
      'The alert is off.',
      'There is nothing to measure. Read from the spans of the window.',
    ]);
    const change = { change: '>', percent: 20, against: 'previous' } as const;
    expect(said({ ...single, condition: change }, { groups: [{ ...group, change_percent: 50 }] })).toContain(
      '$6 (+50%), up by more than 20%',
    );
  });
});
