import { describe, expect, it } from '@jest/globals';
import { isApiKey } from '@spandrel/contract';
import { digestOf, newApiKey, shownPrefixOf } from './api-key.js';

/** Another digit in one place. */
const changedAt = (key: string, index: number): string =>
  key.slice(0, index) + (key[index] === 'A' ? 'B' : 'A') + key.slice(index + 1);

describe('an API key', () => {
  it('has 43 digits of randomness and 6 of checksum behind its prefix, and is never the same', () => {
    const keys = Array.from({ length: 500 }, newApiKey);
    for (const key of keys) expect(key).toMatch(/^spn_sk_[0-9A-Za-z]{49}$/);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every(isApiKey)).toBe(true);
    // Every digit of 32 bytes moves.
    for (let index = 8; index < 50; index++) expect(new Set(keys.map((key) => key[index])).size).toBeGreaterThan(20);
  });

  it('is none with any one digit changed, and without its form', () => {
    const key = newApiKey();
    for (let index = 0; index < key.length; index++) expect(isApiKey(changedAt(key, index))).toBe(false);
    for (const other of ['', 'spn_sk_', key.slice(1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()]) {
      expect(isApiKey(other)).toBe(false);
    }
  });

  it('is kept as SHA-256 and shown by its beginning', () => {
    expect(digestOf('spn_sk_abc')).toBe('b137e8f73116dc521a9a869a8c02ebc74b486d2e61dc6136479e8bce35d1c627');
    expect(shownPrefixOf('spn_sk_abcdefghij')).toBe('spn_sk_abcdef');
  });
});
