import { describe, expect, it } from '@jest/globals';
import { clockCheck } from './doctor-command.js';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
/** The header of a server whose clock is ahead by so much, for a request that took a fifth of a second. */
const check = (aheadMs: number) => clockCheck(new Date(NOW + aheadMs).toUTCString(), NOW - 100, NOW + 100);

describe('the clocks of both', () => {
  it('are the same as far as a header of whole seconds can show', () => {
    for (const ahead of [0, 999, -999, 4_000, -4_000]) expect(check(ahead).status).toBe('ok');
  });

  it('are reported when they differ, in the right direction', () => {
    expect(check(-60_000)).toMatchObject({ status: 'warn', message: expect.stringContaining('ahead of') });
    expect(check(60_000)).toMatchObject({ status: 'warn', message: expect.stringContaining('behind') });
    expect(check(600_000).status).toBe('fail');
    expect(check(-86_400_000)).toMatchObject({ status: 'fail', message: expect.stringContaining('86399 s') });
  });

  it('cannot be compared without the header', () => {
    expect(clockCheck(null, NOW, NOW).status).toBe('warn');
  });
});
