import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { growth } from '../../../../test/support/growth.js';
import { Secrets, credentialsOf, withoutServerKeys } from './secrets.js';

const redacted = (json: string, ...texts: string[]): string => new Secrets(texts).redactJson(json);

describe('Secrets.redactJson', () => {
  it('takes a short secret out where it is a word by itself', () => {
    const said = JSON.stringify({ a: 'wrong key s3.t! (s3.t) xs3.t s3.ts s3xt' });
    expect(redacted(said, 's3.t')).toBe('{"a":"wrong key [redacted]! ([redacted]) xs3.t s3.ts s3xt"}');
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
        const parsed = JSON.parse(redacted(JSON.stringify(value), key)) as object;
        expect(collect(parsed).some((found) => found.includes(key))).toBe(false);
        const clean = JSON.stringify({ x: `${before}|${after}` });
        if (!`${before}|${after}`.includes(key)) expect(redacted(clean, key)).toBe(clean);
      }),
    );
  });

  it('changes no number', () => {
    expect(redacted('{"a":"secret-1","n":12345678901234567890,"m":1.0}', 'secret-1')).toBe(
      '{"a":"[redacted]","n":12345678901234567890,"m":1.0}',
    );
  });
});

describe('many credentials', () => {
  const letters = fc.constantFrom('a', 'b', 'c', '"', '\\', '\n', ' ', 'é', '🌊');
  const some = (lengthMin: number, lengthMax: number) =>
    fc.string({ unit: letters, minLength: lengthMin, maxLength: lengthMax });

  it('are taken out in one pass, whether few or many, as one after another takes them out', () => {
    const unlike = fc.uniqueArray(some(3, 9), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(unlike, fc.array(some(0, 30), { maxLength: 8 }), (texts, said) => {
        const json = redacted(JSON.stringify(said), ...texts);
        const left = JSON.parse(json) as string[];
        expect(left).toEqual(said.map((text) => slowly(text, texts)));
      }),
    );
  });

  it('are too many from 33 on', () => {
    const of = (count: number): Secrets => new Secrets(Array.from({ length: count }, (_, n) => `secret-${n}`));
    expect([of(32).areTooMany, of(33).areTooMany]).toEqual([false, true]);
  });

  it.each<[what: string, texts: (size: number) => string[], said: (size: number) => string]>([
    ['6,000 values', () => Array.from({ length: 6_000 }, (_, n) => `v${n}`), (size) => 'word v123 '.repeat(size)],
    [
      'values that begin alike',
      () => Array.from({ length: 6_000 }, (_, n) => `aaaa${n}`),
      (size) => 'aaaa5 '.repeat(size),
    ],
    [
      'one that nearly stands everywhere',
      () => [`${'a'.repeat(15_000)}b${'a'.repeat(15_000)}`],
      (size) => 'a'.repeat(10 * size),
    ],
    [
      'values within values',
      () => Array.from({ length: 100 }, (_, n) => 'a'.repeat(n + 3)),
      (size) => 'a'.repeat(10 * size),
    ],
  ])('take as long as the text is, with %s', (_what, texts, said) => {
    const prepare = (size: number) => {
      const secrets = new Secrets(texts(size));
      const json = JSON.stringify({ said: said(size), tokens: [1, 2, 3] });
      secrets.redactJson(json);
      return () => secrets.redactJson(json);
    };
    // What grows with the square of the text would take 256 times as long.
    expect(growth(prepare, 10_000, 16, 128)).toBeLessThan(128);
  });
});

function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) places.push(at);
  return places;
}

/** Each word that counts where it stands, with those it overlaps. */
function slowly(text: string, words: readonly string[]): string {
  const taken = Array<number>(text.length).fill(0);
  let runs = 0;
  const spans = words
    .flatMap((word) => placesOf(text, word).map((start) => [start, start + word.length] as const))
    .filter(([start, end]) => {
      const isWord = (at: number): boolean => /[\w-]/.test(text[at] ?? ' ');
      return end - start >= 7 || (!isWord(start - 1) && !isWord(end));
    })
    .sort(([a], [b]) => a - b);
  let last = -1;
  for (const [start, end] of spans) {
    if (start >= last) runs++;
    last = Math.max(last, end);
    taken.fill(runs, start, end);
  }
  let left = '';
  for (let at = 0; at < text.length; at++) {
    if (taken[at] === 0) left += text[at];
    else if (taken[at] !== taken[at - 1]) left += '[redacted]';
  }
  return left;
}

function collect(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...collect(member)]);
}

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
    expect(new Set(found.texts)).toEqual(
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
      expect(credentialsOf({ authorization: `Bearer ${standIn}` }, '/').texts).toEqual([]);
    }
    expect(credentialsOf({ authorization: 'Bearer s3.t' }, '/').texts).toEqual(['s3.t']);
  });
});

describe('withoutServerKeys', () => {
  it('leaves parameters as they are that have none, however deep, and numbers with all their digits', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`) as Record<string, unknown>;
    const plain = { max_tokens: 5, token: JSON.rawJSON('12345678901234567890'), stop: ['token', 'http://a/?page=2'] };
    for (const parameters of [deep, plain]) expect(withoutServerKeys(parameters)).toBe(parameters);
  });
});
