import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { keyOf, withoutToken } from './caller-key.js';

describe('withoutToken', () => {
  it.each([
    ['/a?token=x', '/a'],
    ['/a?b=1&token=x&c=%20', '/a?b=1&c=%20'],
    ['/a?max_tokens=1&tokenizer=2', '/a?max_tokens=1&tokenizer=2'],
    ['/token', '/token'],
  ])('%s → %s', (target, expected) => {
    expect(withoutToken(target)).toBe(expected);
  });
});

describe('keyOf', () => {
  it.each([
    [{ 'x-spandrel-key': 'a' }, '/?token=b', 'a'],
    [{ 'x-spandrel-key': '' }, '/?token=b', 'b'],
    [{}, '/v1?x=1&token=b%2Ec', 'b.c'],
    [{}, '/v1?token=%E0', '%E0'],
    [{}, '/v1?token=&token=b', null],
    [{}, '/v1?max_tokens=1', null],
    [{}, '/token=b', null],
  ])('%j %s → %s', (headers, url, expected) => {
    expect(keyOf({ headers, url })).toBe(expected);
  });

  it('reads nothing that is not taken off', () => {
    const pair = fc.tuple(
      fc.constantFrom('token', '%74oken', 'Token', 'to+ken', 'x'),
      fc.constantFrom('', '=', '=key'),
    );
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), (pairs) => {
        const url = `/v1?${pairs.map((each) => each.join('')).join('&')}`;
        expect(keyOf({ headers: {}, url: withoutToken(url) })).toBeNull();
      }),
    );
  });
});
