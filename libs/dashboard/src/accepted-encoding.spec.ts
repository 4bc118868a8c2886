import { describe, expect, it } from '@jest/globals';
import { acceptedEncoding } from './serve-dashboard.js';

describe('the encoding in which a file is sent', () => {
  it.each<[string | undefined, string | undefined]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;Q=0.2', 'gzip'],
    ['gzip;q=1.0, br;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['br;q=x', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for %j is %j', (header, expected) => {
    expect(acceptedEncoding(header, ['br', 'gzip'])).toBe(expected);
  });

  it('is one that there is', () => {
    expect(acceptedEncoding('br, gzip', ['gzip'])).toBe('gzip');
    expect(acceptedEncoding('br, gzip', [])).toBeUndefined();
  });
});
