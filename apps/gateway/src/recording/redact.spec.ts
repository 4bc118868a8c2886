import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialsOf, redactJson } from './redact.js';

describe('credentialsOf', () => {
  it('finds them wherever a caller may put them', () => {
    const basic = Buffer.from('me:pass-word').toString('base64');
    const found = credentialsOf(
      {
        authorization: `Basic ${basic}`,
        'proxy-authorization': 'Bearer proxy-token',
        'x-api-key': 'sk-ant-1234',
        'api-key': 'azure-key-1',
        'x-goog-api-key': 'google-key',
        'x-spandrel-key': 'spn_sk_1234',
        cookie: 'a=cookie-one; b="cookie-two"',
      },
      '/v1/x?key=in%2Fquery&api_key=second-key&other=visible-value',
    );
    expect(new Set(found)).toEqual(
      new Set([
        basic,
        'me:pass-word',
        'pass-word',
        'proxy-token',
        'sk-ant-1234',
        'azure-key-1',
        'google-key',
        'spn_sk_1234',
        'cookie-one',
        'cookie-two',
        'in%2Fquery',
        'in/query',
        'second-key',
      ]),
    );
  });

  it('takes stand-ins for ordinary words', () => {
    for (const standIn of ['ollama', 'EMPTY', 'x']) {
      expect(credentialsOf({ authorization: `Bearer ${standIn}` }, '/')).toEqual([]);
    }
    expect(credentialsOf({ authorization: 'Bearer s3.t' }, '/')).toEqual(['s3.t']);
  });
});

describe('redactJson', () => {
  it('takes a short secret out where it is a word by itself', () => {
    const said = JSON.stringify({ a: 'wrong key s3.t! (s3.t) xs3.t s3.ts s3xt' });
    expect(redactJson(said, ['s3.t'])).toBe('{"a":"wrong key [redacted]! ([redacted]) xs3.t s3.ts s3xt"}');
  });

  it('leaves no trace of a secret in texts and names, and nothing else changed', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', '\\', 'n', 'u', '0', 'a', '\n', 's', '\u0001', '\ud800'),
      maxLength: 12,
    });
    const secret = fc.string({ unit: fc.constantFrom('"', '\\', 'n', 'u', '0', 'a', 's'), minLength: 7, maxLength: 9 });
    fc.assert(
      fc.property(text, secret, text, (before, key, after) => {
        const value = { [`${before}${key}`]: [`${before}${key}${after}`, { other: `${after}${before}` }], n: 1 };
        const redacted = redactJson(JSON.stringify(value), [key]);
        const parsed = JSON.parse(redacted) as object;
        expect(collect(parsed).some((found) => found.includes(key))).toBe(false);
        const clean = JSON.stringify({ x: `${before}|${after}` });
        if (!`${before}|${after}`.includes(key)) expect(redactJson(clean, [key])).toBe(clean);
      }),
    );
  });

  it('changes no number', () => {
    expect(redactJson('{"a":"secret-1","n":12345678901234567890,"m":1.0}', ['secret-1'])).toBe(
      '{"a":"[redacted]","n":12345678901234567890,"m":1.0}',
    );
  });
});

function collect(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...collect(member)]);
}
