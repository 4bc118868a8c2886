import { describe, expect, it } from '@jest/globals';
import { nextAddress } from './go-to-sign-in.js';

const ORIGIN = 'https://spandrel.example';

describe('nextAddress', () => {
  it.each([
    ['?next=%2Fspans%3Fstatus%3Dfailed%23a', '/spans?status=failed#a'],
    ['?error=expired&next=%2Ftraces%2Fx%2520y', '/traces/x%20y'],
  ])('leads back: %s', (search, expected) => {
    expect(nextAddress(search, ORIGIN)).toBe(expected);
  });

  it.each(['', '?next=', '?next=/sign-in', '?next=spans', '?next=//evil.example', '?next=/%5Cevil.example'])(
    'leads to the traces for %s',
    (search) => {
      expect(nextAddress(search, ORIGIN)).toBe('/traces');
    },
  );

  it.each([
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    'data:text/html,x',
  ])('never leads elsewhere: %s', (next) => {
    expect(nextAddress(`?next=${encodeURIComponent(next)}`, ORIGIN)).toBe('/traces');
  });
});
