import { describe, expect, it } from '@jest/globals';
import { readClock, writeClock } from './clock-field.js';

describe('a field for date and time', () => {
  it.each(['utc', 'local'] as const)('says back what it was given (%s)', (zone) => {
    const at = '2026-07-01T08:30:05.000Z';
    expect(readClock(writeClock(at, zone), zone)).toBe(at);
  });

  it('is a field of UTC where times are told so', () => {
    expect(writeClock('2026-07-01T08:30:05.123Z', 'utc')).toBe('2026-07-01T08:30:05');
    expect(readClock('2026-07-01T08:30', 'utc')).toBe('2026-07-01T08:30:00.000Z');
  });

  it('says nothing while it is empty', () => {
    expect(writeClock(undefined, 'utc')).toBe('');
    expect(readClock('', 'utc')).toBeUndefined();
    expect(readClock('', 'local')).toBeUndefined();
  });
});
