import { describe, expect, it } from '@jest/globals';
import { AttemptCookie, newAttempt, ownPath } from './sign-in-attempt.js';

describe('the cookie of an attempt', () => {
  const cookie = new AttemptCookie(false);

  it('brings back what it was made of, and is bound to one host', () => {
    const attempt = newAttempt('/traces?status=failed', null);
    const set = cookie.set(attempt);
    expect(set).toMatch(/^__Host-spandrel-sign-in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(cookie.read(`a=b; ${set.split(';')[0]}`)).toEqual(attempt);
    expect(new AttemptCookie(true).set(attempt)).toMatch(
      /^spandrel-sign-in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Same/,
    );
  });

  it.each([undefined, '', '__Host-spandrel-sign-in=', '__Host-spandrel-sign-in=nonsense', 'spandrel-sign-in=e30'])(
    'is none where the header is %j',
    (header) => {
      expect(cookie.read(header)).toBeUndefined();
    },
  );

  it('is made again for each attempt', () => {
    const [first, second] = [newAttempt('/', null), newAttempt('/', null)];
    for (const member of ['state', 'nonce', 'verifier'] as const) expect(first[member]).not.toBe(second[member]);
  });
});

describe('where a browser goes afterwards', () => {
  it.each([
    ['/traces?a=b#c', '/traces?a=b#c'],
    ['/a/../datasets', '/datasets'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/a/..//evil.example', '/'],
    ['/%2e//evil.example', '/'],
    ['/./\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['traces', '/'],
    ['/sign-in?next=/sign-in', '/'],
    [`/${'x'.repeat(3_000)}`, '/'],
    [undefined, '/'],
  ])('%j is %j', (next, path) => {
    expect(ownPath(next)).toBe(path);
  });
});
