import { describe, expect, it } from '@jest/globals';
import { askedOf } from './plan-question.js';

const NOW = Date.parse('2026-11-22T14:00:30.000Z');

describe('what analytics asks for', () => {
  it('ends now where the range goes with the clock, in buckets that the API chooses', () => {
    expect(askedOf({ range: '24h', model: 'm', of: 'traces' }, NOW)).toEqual({
      since: '2026-11-21T14:00:30.000Z',
      until: '2026-11-22T14:00:30.000Z',
      group_by: 'auto',
      model: 'm',
      of: 'traces',
    });
  });

  it('leaves all time open, and takes the buckets that were chosen', () => {
    expect(askedOf({ group_by: 'hour', user_id: 'ada' }, NOW)).toEqual({ group_by: 'hour', user_id: 'ada' });
    expect(askedOf({ since: '2026-01-01T00:00:00Z' }, NOW)).toMatchObject({ until: '2026-11-22T14:00:30.000Z' });
  });
});
