import { describe, expect, it } from '@jest/globals';
import { endOfKey, permissionsWithin, suspensionOf, type KeyFacts, type KeySettings } from './key-standing.js';

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
