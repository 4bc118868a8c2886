import { describe, expect, it } from '@jest/globals';
import type { Finder, Found } from '@spandrel/plugin-api';
import fc from 'fast-check';
import type { PreparedRule } from './prepare-rules.js';
import { MASKED_WHOLE, TextMasker, type TextMaskerParts } from './text-masker.js';
import { BegunHashes, ProjectHashes } from './value-hashes.js';

/** Finds a word wherever it stands. */
const finderOf = (word: string, more: Partial<Finder> = {}): Finder => ({
  lengthMin: word.length,
  find: (text) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({ start: index, end: index + word.length })),
  ...more,
});
const rule = (label: string, finder: Finder | null, hashes = false): PreparedRule => ({
  masker: label,
  label,
  hashes,
  finder,
});

const hashesOf = (key: number): ProjectHashes => new ProjectHashes(Buffer.alloc(32, key));

let failed: string[] = [];
function maskerOf(rules: PreparedRule[], parts: Partial<TextMaskerParts> = {}): TextMasker {
  failed = [];
  return new TextMasker(rules, { hashes: hashesOf(7), onFailure: (masker) => failed.push(masker), ...parts });
}

describe('TextMasker', () => {
  it('puts labels in the place of values, and leaves other texts by reference', () => {
    const masker = maskerOf([rule('a', finderOf('anna')), rule('b', finderOf('berta'))]);
    expect(masker.mask('anna and berta, anna')).toBe('[a] and [b], [a]');
    expect(masker.mask('nobody')).toBe('nobody');
    expect(masker.mask('')).toBe('');
  });

  it('masks values that overlap as one, by the label of the longer', () => {
    const masker = maskerOf([rule('short', finderOf('bcd')), rule('long', finderOf('cdefg'))]);
    expect(masker.mask('abcdefgh')).toBe('a[long]h');
    expect(maskerOf([rule('one', finderOf('abc')), rule('two', finderOf('abc'))]).mask('abc')).toBe('[one]');
  });

  it('hashes equal values alike, and apart by key, label and value', () => {
    const lower: Partial<Finder> = { canonical: (value) => value.toLowerCase() };
    const hashOf = (word: string, label: string, key: number): string =>
      maskerOf([rule(label, finderOf(word, lower), true)], { hashes: hashesOf(key) }).mask(word);
    expect(hashOf('Anna', 'a', 1)).toMatch(/^\[a:[a-p]{20}\]$/);
    expect(hashOf('Anna', 'a', 1)).toBe(hashOf('anna', 'a', 1));
    const others = [hashOf('Anne', 'a', 1), hashOf('Anna', 'b', 1), hashOf('Anna', 'a', 2)];
    for (const other of others) expect(other.slice(2)).not.toBe(hashOf('Anna', 'a', 1).slice(2));
  });

  it('puts a number of JSON in quotes, so that the text stays JSON', () => {
    const masker = maskerOf([rule('n', finderOf('4111'))]);
    const keeps = (text: string): unknown => JSON.parse(masker.mask(text));
    expect(keeps('{"a": 4111, "b": [1, 4111], "c": "x 4111", "d": ": 4111"}')).toEqual({
      a: '[n]',
      b: [1, '[n]'],
      c: 'x [n]',
      d: ': [n]',
    });
    const inner = JSON.stringify({ a: 4111 });
    expect(keeps(JSON.stringify({ inner }))).toEqual({ inner: '{"a":[n]}' });
    expect(masker.mask('not: 4111, really')).toBe('not: [n], really');
  });

  it.each<[string, Partial<Finder>]>([
    [
      'throws',
      {
        find: () => {
          throw new Error('anna');
        },
      },
    ],
    ['names a place outside', { find: () => [{ start: 2, end: 900 }] }],
    ['names a place that is none', { find: () => [{ start: 3, end: 3 }] }],
    ['names half a place', { find: () => [{ start: 0.5, end: 3 }] }],
    ['answers nothing', { find: () => undefined as unknown as Found[] }],
  ])('masks the whole text when a finder %s', (_what, broken) => {
    const masker = maskerOf([rule('good', finderOf('berta')), rule('bad', finderOf('x', broken))]);
    expect(masker.mask('anna and berta')).toBe(MASKED_WHOLE);
    expect(failed).toEqual(['bad']);
  });

  it('masks the whole text when it takes too long, and when a rule has no finder', () => {
    let now = 0;
    const slow = finderOf('anna', { find: () => ((now += 1_500), []) });
    expect(maskerOf([rule('slow', slow)], { tick: () => now }).mask('somebody')).toBe(MASKED_WHOLE);
    expect(maskerOf([rule('gone', null)]).mask('somebody')).toBe(MASKED_WHOLE);
  });

  it('finishes what a gateway has begun, and makes the same of the value itself', () => {
    const rules = [rule('a', finderOf('anna'), true), rule('b', finderOf('berta'))];
    const hashes = hashesOf(7);
    const gateway = maskerOf(rules, { hashes: new BegunHashes(hashes.beginKey) });
    const server = maskerOf(rules, { hashes });
    const begun = gateway.mask('anna, berta');
    expect(begun).toMatch(/^\[a:[B-V]{20}\], \[b\]$/);
    expect(gateway.mask(begun)).toBe(begun);
    const done = server.mask(begun);
    expect(done).toMatch(/^\[a:[a-p]{20}\], \[b\]$/);
    expect([server.mask('anna, berta'), server.mask(done)]).toEqual([done, done]);
    expect(server.mask(`${begun} anna`)).toBe(`${done} ${done.slice(0, 24)}`);
  });

  it('finds what JSON in a text escapes, leaves that JSON, and hashes values as they are shown', () => {
    const inner = JSON.stringify({ body: 'see\nanna\u00a0b "anna b"' });
    const masker = maskerOf([rule('a', finderOf('anna b'), true)]);
    const { body } = JSON.parse(masker.mask(inner)) as { body: string };
    expect(body).toMatch(/^see\n(\[a:[a-p]{20}\]) "\1"$/);
    const raw: Finder = { lengthMin: 6, find: (text) => (text.startsWith('x\\nanna') ? [{ start: 1, end: 7 }] : []) };
    expect(maskerOf([rule('r', raw)]).mask('x\\nanna')).toBe('x\\nanna');
    expect(maskerOf([rule('r', { ...raw, written: true })]).mask('x\\nanna')).toBe('x[r]');
  });

  it('puts labels where there is no key for hashes, also for what a gateway has begun', () => {
    const rules = [rule('a', finderOf('anna'), true)];
    const begun = maskerOf(rules, { hashes: new BegunHashes(hashesOf(7).beginKey) }).mask('anna');
    expect(maskerOf(rules, { hashes: null }).mask(`anna ${begun}`)).toBe('[a] [a]');
    expect(failed).toEqual([]);
  });

  it('shows numbers to finders that want them', () => {
    const masker = maskerOf([rule('n', finderOf('41', { numbers: true })), rule('m', finderOf('42'))]);
    expect([masker.maskNumber('7417'), masker.maskNumber('7427')]).toEqual(['[n]', undefined]);
    expect(masker.masksNumbers).toBe(true);
    expect(maskerOf([rule('gone', null)]).maskNumber('7')).toBe(MASKED_WHOLE);
  });

  it('leaves nothing of any value in any text, and everything else as it was', () => {
    const words = fc.array(fc.constantFrom('anna', 'berta', 'ann', ' ', 'x', '"', '🌊'), { maxLength: 30 });
    const masker = maskerOf([rule('a', finderOf('anna')), rule('b', finderOf('berta'))]);
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        expect(masker.mask(text)).toBe(text.replaceAll('anna', '[a]').replaceAll('berta', '[b]'));
      }),
    );
  });
});
