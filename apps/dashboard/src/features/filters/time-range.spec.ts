import { describe, expect, it } from '@jest/globals';
import { formatTime } from '../../components/format.js';
import { readClock, writeClock } from './clock.js';
import { choiceOf, describeRange, endsOf, RANGE_OPTIONS, rangeOfChoice, readTimeRange } from './time-range.js';

const NOW = Date.parse('2026-11-22T14:00:30.000Z');
const utc = (at: number): string => formatTime(at, 'utc');

describe('a range of time', () => {
  it('is read from an address, leniently', () => {
    expect(readTimeRange({ range: '24h', since: '2026-01-01' })).toEqual({ range: '24h' });
    expect(readTimeRange({ range: 'toString', since: 'yesterday', until: '2026-11-22T00:00:00Z' })).toEqual({
      until: '2026-11-22T00:00:00Z',
    });
    expect(readTimeRange({ since: ['2026-01-01'] })).toEqual({});
  });

  it('is what its option says, for every option', () => {
    for (const { value } of RANGE_OPTIONS) expect(choiceOf(rangeOfChoice(value, NOW))).toBe(value);
  });

  it('goes with the clock or stays', () => {
    expect(endsOf({ range: '1h' }, NOW)).toEqual({ since: '2026-11-22T13:00:30.000Z' });
    expect(endsOf({ since: 'a', until: 'b' }, NOW)).toEqual({ since: 'a', until: 'b' });
    expect(endsOf({}, NOW)).toEqual({});
    expect(rangeOfChoice('custom', NOW)).toEqual({ since: '2026-11-21T14:00:00.000Z' });
  });

  it('has words', () => {
    expect(describeRange({ range: '7d' }, utc)).toBe('Last 7 days');
    expect(describeRange({ since: '2026-11-22T13:00:00Z' }, utc)).toBe('since 2026-11-22 13:00:00');
    expect(describeRange({ until: '2026-11-22T13:00:00Z' }, utc)).toBe('until 2026-11-22 13:00:00');
    expect(describeRange({ since: '2026-11-22T13:00:00Z', until: '2026-11-22T14:00:00Z' }, utc)).toBe(
      '2026-11-22 13:00:00 to 2026-11-22 14:00:00',
    );
  });
});

describe('a field for date and time', () => {
  it.each(['utc', 'local'] as const)('says back what it was given (%s)', (zone) => {
    const at = '2026-07-01T08:30:05.000Z';
    expect(readClock(writeClock(at, zone), zone)).toBe(at);
  });

  it('is a field of UTC where times are shown so', () => {
    expect(writeClock('2026-07-01T08:30:05.123Z', 'utc')).toBe('2026-07-01T08:30:05');
    expect(readClock('2026-07-01T08:30', 'utc')).toBe('2026-07-01T08:30:00.000Z');
  });

  it('says nothing while it is empty', () => {
    expect(writeClock(undefined, 'utc')).toBe('');
    expect(readClock('', 'utc')).toBeUndefined();
    expect(readClock('', 'local')).toBeUndefined();
  });
});
