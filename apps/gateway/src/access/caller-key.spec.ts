import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { keyOf, withoutToken, CallerKey, keyDigest, KeySeal } from './caller-key.js';

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

const KEY = 'spn_sk_canary-0123456789';
const caller = (): CallerKey => new CallerKey(keyDigest(KEY), KEY);
const seal = new KeySeal('spn_sk_own');

/** With another first character: any stands there by chance. */
const changed = (sealed: string): string => `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;

describe('KeySeal', () => {
  it('gives back under the same credential what it has sealed', () => {
    expect(new KeySeal('spn_sk_own').open(seal.seal(caller())).authorization).toBe(`Bearer ${KEY}`);
  });

  it('seals a key once, and never the same way for two callers', () => {
    const one = caller();
    expect(seal.seal(one)).toEqual(seal.seal(one));
    expect(seal.seal(one).sealed).not.toBe(seal.seal(caller()).sealed);
  });

  it.each([
    ['another credential', () => new KeySeal('spn_sk_other').open(seal.seal(caller()))],
    ['another digest', () => seal.open({ ...seal.seal(caller()), digest: keyDigest('other') })],
    ['a changed byte', () => seal.open({ ...seal.seal(caller()), sealed: changed(seal.seal(caller()).sealed) })],
    ['nothing', () => seal.open({ digest: keyDigest(KEY), sealed: '' })],
  ])('opens nothing with %s', (_, open) => {
    expect(open().authorization).toBeNull();
  });
});

it('a key shows in no log', () => {
  const shown = caller();
  seal.seal(shown);
  expect(inspect(shown, { showHidden: true, depth: 5 }) + JSON.stringify(shown)).not.toContain('canary');
});
