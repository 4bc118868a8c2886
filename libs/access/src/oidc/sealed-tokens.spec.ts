import { describe, expect, it } from '@jest/globals';
import { openTokens, sealTokens } from './sealed-tokens.js';

const TOKENS = { refreshToken: 'refresh', accessToken: 'access', idToken: null };

describe('tokens of an identity provider', () => {
  it('are opened by the cookie and the session that they were sealed with alone', () => {
    const sealed = sealTokens(TOKENS, 'cookie', 'session-1');
    expect(openTokens(sealed, 'cookie', 'session-1')).toEqual(TOKENS);
    expect(openTokens(sealed, 'another', 'session-1')).toBeUndefined();
    expect(openTokens(sealed, 'cookie', 'session-2')).toBeUndefined();
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('refresh');
    expect(sealTokens(TOKENS, 'cookie', 'session-1')).not.toBe(sealed);
  });

  it('that were changed are not opened', () => {
    const sealed = Buffer.from(sealTokens(TOKENS, 'cookie', 'session-1'), 'base64url');
    sealed[20]! ^= 1;
    expect(openTokens(sealed.toString('base64url'), 'cookie', 'session-1')).toBeUndefined();
  });
});
