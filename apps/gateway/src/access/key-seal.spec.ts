import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { CallerKey, keyDigest } from './caller-key.js';
import { KeySeal } from './key-seal.js';

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
