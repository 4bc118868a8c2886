import { describe, expect, it } from '@jest/globals';
import { openTokenKey, openTokens, openTokensWith, resealTokens, sealTokenKey, sealTokens } from './sealed-tokens.js';

const TOKENS = { refreshToken: 'refresh', accessToken: 'access', idToken: null };
const NEWER = { ...TOKENS, refreshToken: 'newer' };

const tokensBy = (sealed: string, cookie: string, sessionId = 'session-1') =>
  openTokens(sealed, cookie, sessionId)?.tokens;

describe('tokens of an identity provider', () => {
  it('are opened by the cookie and the session that they were sealed with alone', () => {
    const sealed = sealTokens(TOKENS, 'cookie', 'session-1');
    expect(tokensBy(sealed, 'cookie')).toEqual(TOKENS);
    expect(tokensBy(sealed, 'another')).toBeUndefined();
    expect(tokensBy(sealed, 'cookie', 'session-2')).toBeUndefined();
    expect(Buffer.from(sealed.replace(':', ''), 'base64url').toString('latin1')).not.toContain('refresh');
    expect(sealTokens(TOKENS, 'cookie', 'session-1')).not.toBe(sealed);
  });

  it('that were changed or cut are not opened', () => {
    const [sealedKey, body] = sealTokens(TOKENS, 'cookie', 'session-1').split(':') as [string, string];
    const changed = Buffer.from(body, 'base64url');
    changed[20]! ^= 1;
    for (const other of [changed.toString('base64url'), body.slice(0, 30), '']) {
      expect(tokensBy(`${sealedKey}:${other}`, 'cookie')).toBeUndefined();
    }
    expect(tokensBy(sealedKey, 'cookie')).toBeUndefined();
  });

  it('are opened by an API key that was made in the session, also once there are others, and another cookie', () => {
    const sealed = sealTokens(TOKENS, 'cookie', 'session-1');
    const { tokenKey } = openTokens(sealed, 'cookie', 'session-1')!;
    const ofKey = sealTokenKey(tokenKey, 'spn_sk_1', 'key-1');
    expect([openTokenKey(ofKey, 'spn_sk_2', 'key-1'), openTokenKey(ofKey, 'spn_sk_1', 'key-2')]).toEqual(
      Array(2).fill(undefined),
    );
    const opened = openTokenKey(ofKey, 'spn_sk_1', 'key-1')!;
    expect(openTokensWith(sealed, opened, 'session-1')?.tokens).toEqual(TOKENS);
    expect(openTokensWith(sealed, opened, 'session-2')).toBeUndefined();
    const renewed = resealTokens(sealed, NEWER, opened, 'session-1');
    expect(tokensBy(renewed, 'cookie')).toEqual(NEWER);
    const moved = sealTokens(NEWER, 'cookie 2', 'session-1', tokenKey);
    expect(openTokensWith(moved, opened, 'session-1')?.tokens).toEqual(NEWER);
  });
});
