import { describe, expect, it } from '@jest/globals';
import { connectionResource } from './connections.js';
import type { ConnectionRow } from './connection.entity.js';
import { KeyRing, NO_KEY, seal, type Sealed } from './keys/sealing.js';
import { newSecretKey } from './keys/secret-key.js';

const key = newSecretKey();
const ring = new KeyRing([key]);
const API_KEY = 'sk-a-key-that-nobody-sees';

const rowWith = (sealed: Sealed, of: Partial<ConnectionRow> = {}): ConnectionRow => ({
  ...{ projectId: 'p', id: 'c', name: 'one', provider: 'openai', baseUrl: null, defaultModel: null },
  ...{ createdAt: 0, updatedAt: 0, ...sealed, ...of },
});
const sealed = seal(API_KEY, key, { projectId: 'p', id: 'c' });
const statusOf = (row: ConnectionRow, keys = ring): string => connectionResource(row, keys).key_status;

describe('key_status', () => {
  it('is readable for a key that decrypts, with the key before this one too', () => {
    expect(statusOf(rowWith(sealed))).toBe('readable');
    expect(statusOf(rowWith(sealed), new KeyRing([newSecretKey(), key]))).toBe('readable');
  });

  it('is unreadable for whatever does not, though its key id is known here', () => {
    const bytes = Buffer.from(sealed.sealedKey, 'base64');
    bytes[20]! ^= 1;
    const changed = { ...sealed, sealedKey: bytes.toString('base64') };
    const otherKey = { ...seal(API_KEY, newSecretKey(), { projectId: 'p', id: 'c' }), keyId: key.id };
    const copied = rowWith(sealed, { projectId: 'another project' });
    const rows = [changed, otherKey, { ...sealed, sealedKey: '' }, { ...sealed, sealedKey: 'no base64!' }].map((each) =>
      rowWith(each),
    );
    expect([...rows, copied].map((row) => statusOf(row))).toEqual(Array(5).fill('unreadable'));
    expect(statusOf(rowWith(sealed), new KeyRing([newSecretKey()]))).toBe('unreadable');
  });

  it('is missing for a connection without a key', () => {
    expect(statusOf(rowWith(NO_KEY))).toBe('missing');
  });

  it('shows nothing of the key', () => {
    for (const row of [rowWith(sealed), rowWith({ ...sealed, sealedKey: 'AAAA' })]) {
      const shown = JSON.stringify(connectionResource(row, ring));
      for (const secret of [API_KEY, row.sealedKey, row.keyId]) expect(shown).not.toContain(secret);
    }
  });
});
