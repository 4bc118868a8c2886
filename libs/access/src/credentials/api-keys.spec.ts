import { describe, expect, it } from '@jest/globals';
import { isApiKey } from '@spandrel/contract';
import {
  endOfKey,
  permissionsWithin,
  suspensionOf,
  type KeyFacts,
  type KeySettings,
  digestOf,
  newApiKey,
  shownPrefixOf,
} from './api-keys.js';

const DAY = 86_400_000;
const SETTINGS: KeySettings = { keysEndWithMaker: true, keyMaxAgeMs: null, makerConfirmedMs: 90 * DAY };
const facts = (of: Partial<KeyFacts> = {}): KeyFacts => ({
  ...{ createdAt: 0, expiresAt: null, makerPersonId: 'ada', makerHasRole: true, confirmedAt: 0, refusedAt: null },
  ...of,
});

describe('a key of a person', () => {
  it('is refused while its maker has no role, or the provider does not confirm them', () => {
    expect(suspensionOf(facts(), SETTINGS, DAY)).toBeUndefined();
    expect(suspensionOf(facts({ makerHasRole: false }), SETTINGS, DAY)).toBe('no_role');
    expect(suspensionOf(facts({ refusedAt: 5 }), SETTINGS, DAY)).toBe('not_confirmed');
    expect(suspensionOf(facts({ confirmedAt: null }), SETTINGS, DAY)).toBe('not_confirmed');
  });

  it('is refused when nobody has confirmed its maker for too long', () => {
    expect(suspensionOf(facts(), SETTINGS, 90 * DAY - 1)).toBeUndefined();
    expect(suspensionOf(facts(), SETTINGS, 90 * DAY)).toBe('not_confirmed');
  });

  it('is valid whatever becomes of its maker where the setting says so, as that of a service account is', () => {
    const gone = { makerHasRole: false, confirmedAt: null, refusedAt: 1 };
    expect(suspensionOf(facts(gone), { ...SETTINGS, keysEndWithMaker: false }, DAY)).toBeUndefined();
    expect(suspensionOf(facts({ ...gone, makerPersonId: null }), SETTINGS, DAY)).toBeUndefined();
  });

  it('may what it was given, as far as its maker may it', () => {
    expect(permissionsWithin(['read', 'write', 'admin'], 'owner')).toEqual(['read', 'write', 'admin']);
    expect(permissionsWithin(['read', 'write', 'admin'], 'editor')).toEqual(['read', 'write', 'ingest', 'review']);
    expect(permissionsWithin(['read', 'write', 'admin'], 'reviewer')).toEqual(['read', 'review']);
    expect(permissionsWithin(['ingest'], 'viewer')).toEqual([]);
    expect(permissionsWithin(['admin'], 'editor')).toEqual([]);
  });
});

describe('the end of a key', () => {
  it('is its own, or that of the longest life that keys may have', () => {
    expect(endOfKey(facts(), SETTINGS)).toBeNull();
    expect(endOfKey(facts({ expiresAt: 7 }), SETTINGS)).toBe(7);
    const bounded = { ...SETTINGS, keyMaxAgeMs: 30 * DAY };
    expect(endOfKey(facts({ createdAt: 5 }), bounded)).toBe(5 + 30 * DAY);
    expect(endOfKey(facts({ expiresAt: 7 }), bounded)).toBe(7);
    expect(endOfKey(facts({ expiresAt: 31 * DAY }), bounded)).toBe(30 * DAY);
  });
});

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
