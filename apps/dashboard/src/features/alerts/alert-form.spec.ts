import { describe, expect, it } from '@jest/globals';
import { draftOfFigure, fieldsOfCondition, readAlert } from './alert-form.js';

function formOf(fields: Readonly<Record<string, string | string[]>>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  return form;
}

const fields = {
  ...{ name: ' dear ', enabled: 'on', measure: 'cost', window: '1h', condition: '>', limit: '5', severity: 'critical' },
  ...{ group_by: 'user', min_count: '3', for: '10m', cooldown: '', channel_ids: ['a', 'b'] },
  ...{ 'filters.model': 'gpt', 'filters.tag': ' ' },
};

describe('the form of an alert', () => {
  it('is read as the request', () => {
    expect(readAlert(formOf(fields))).toEqual({
      ...{ name: 'dear', enabled: true, measure: 'cost', filters: { model: 'gpt' }, group_by: 'user', window: '1h' },
      ...{ condition: { op: '>', value: 5 }, min_count: 3, for: '10m', cooldown: null, channel_ids: ['a', 'b'] },
      severity: 'critical',
    });
    const change = { condition: '<=', limit: '20', against: 'previous' };
    expect(readAlert(formOf({ ...fields, ...change })).condition).toEqual({
      ...{ change: '<', percent: 20, against: 'previous' },
    });
    for (const limit of ['', 'much']) expect(() => readAlert(formOf({ ...fields, limit }))).toThrow('must be a number');
  });

  it('has parts in percent', () => {
    const rate = readAlert(formOf({ ...fields, measure: 'error_rate', limit: '7' })).condition;
    expect(rate).toEqual({ op: '>', value: 0.07 });
    expect(fieldsOfCondition({ measure: 'error_rate', condition: rate })).toMatchObject({ kind: '>', limit: '7' });
    const condition = { change: '<', percent: 5, against: 'same_hour_last_week' } as const;
    expect(fieldsOfCondition({ measure: 'cost', condition })).toEqual({
      ...{ kind: '<=', limit: '5', against: 'same_hour_last_week' },
    });
    expect(fieldsOfCondition({ measure: 'cost' })).toEqual({ kind: '>', limit: '', against: 'previous' });
  });

  it('begins with the measure, filters and split of a figure', () => {
    expect(draftOfFigure('Cost', { split_by: 'user', model: 'gpt', group_by: 'day', user_id: 'ann' })).toEqual({
      ...{ name: 'Cost by user in 1 day', measure: 'cost', group_by: 'user', window: '1d' },
      filters: { model: 'gpt', user: 'ann' },
    });
    expect(draftOfFigure(null, { split_by: 'status' }, 'helpful')).toEqual({
      ...{ name: 'Mean score of helpful in 1 hour', measure: 'score_mean', group_by: 'none', window: '1h' },
      filters: { score_name: 'helpful' },
    });
  });
});
