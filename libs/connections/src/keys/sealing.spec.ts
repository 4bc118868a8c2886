import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyRing, seal, unseal, UnsealError, type Sealed, type SealedFor } from './sealing.js';
import { formatSecretKey, newSecretKey, parseSecretKey, secretKeyOf } from './secret-key.js';

const key = newSecretKey();
const ring = new KeyRing([key]);
const row: SealedFor = { projectId: 'p', id: 'c' };

const reasonOf = (sealed: Sealed, keys = ring, of = row): string => {
  try {
    return `opened: ${unseal(sealed, keys, of)}`;
  } catch (error) {
    if (error instanceof UnsealError) return error.reason;
    throw error;
  }
};

describe('seal and unseal', () => {
  it('give back every text, from the same row alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string(), fc.string(), (text, projectId, id) => {
        const sealed = seal(text, key, { projectId, id });
        expect(unseal(sealed, ring, { projectId, id })).toBe(text);
        expect(reasonOf(sealed, ring, { projectId, id: `${id}x` })).toBe('altered');
        expect(reasonOf(sealed, ring, { projectId: `${projectId}x`, id })).toBe('altered');
        if (projectId !== id) expect(reasonOf(sealed, ring, { projectId: id, id: projectId })).toBe('altered');
      }),
    );
  });

  it('never make the same of the same', () => {
    const sealed = Array.from({ length: 100 }, () => seal('same', key, row).sealedKey);
    expect(new Set(sealed.map((text) => Buffer.from(text, 'base64').subarray(0, 12).toString('hex'))).size).toBe(100);
  });

  it('notice a change of any bit of nonce, text or tag, a cut and an addition', () => {
    const sealed = seal('sk-secret', key, row);
    const bytes = Buffer.from(sealed.sealedKey, 'base64');
    expect(bytes.length).toBe(12 + 9 + 16);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(reasonOf({ ...sealed, sealedKey: altered.toString('base64') })).toBe('altered');
    }
    for (let length = 0; length < bytes.length; length++) {
      expect(reasonOf({ ...sealed, sealedKey: bytes.subarray(0, length).toString('base64') })).toBe('altered');
    }
    for (const sealedKey of [
      `${sealed.sealedKey}AAAA`,
      ` ${sealed.sealedKey}`,
      '',
      'not base64 at all, but long enough',
    ]) {
      expect(reasonOf({ ...sealed, sealedKey })).toBe('altered');
    }
  });

  it('say that another key is needed, and know it by its id', () => {
    const sealed = seal('sk-secret', key, row);
    const other = newSecretKey();
    expect(reasonOf(sealed, new KeyRing([other]))).toBe('unknown-key');
    expect(reasonOf({ ...sealed, keyId: other.id }, new KeyRing([other]))).toBe('altered');
    expect(reasonOf(sealed, new KeyRing([other, key]))).toBe('opened: sk-secret');
  });
});

describe('a secret key', () => {
  it('is read as base64, base64url and hex, and as nothing else', () => {
    const bytes = randomBytes(32);
    const { id } = secretKeyOf(bytes);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    const written = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
    for (const text of [...written, bytes.toString('hex').toUpperCase()]) expect(parseSecretKey(text)?.id).toBe(id);
    for (const text of ['', 'a'.repeat(42), 'a'.repeat(44), 'a'.repeat(63), 'g'.repeat(64), `${written[0]!}=`]) {
      expect(parseSecretKey(text)).toBeUndefined();
    }
  });

  it('is written so that it can be read again', () => {
    expect(parseSecretKey(formatSecretKey(key))?.id).toBe(key.id);
  });

  it('shows nothing of itself to a log', () => {
    const bytes = key.key.export();
    for (const shown of [JSON.stringify([key, ring]), inspect([key, ring], { depth: 9, showHidden: true })]) {
      for (const encoding of ['hex', 'base64', 'latin1'] as const) {
        expect(shown).not.toContain(bytes.toString(encoding).slice(0, 8));
      }
    }
    expect(bytes.toString('hex')).not.toContain(key.id);
  });
});
