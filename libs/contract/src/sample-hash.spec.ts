import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInSample, sampleHash, xxh64 } from './sample-hash.js';

const hashOf = (text: string): string => xxh64(new TextEncoder().encode(text)).toString(16).padStart(16, '0');

describe('xxh64', () => {
  it.each([
    ['', 'ef46db3751d8e999'],
    ['a', 'd24ec4f1a98c6e5b'],
    ['abc', '44bc2cf5ad770999'],
    ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
    ['xxhash', '32dd38952c4bc720'],
    ['I want an unsigned 64-bit seed!', 'd4cb0a70a2b8c7c1'],
  ])('of %j is what others publish', (text, expected) => {
    expect(hashOf(text)).toBe(expected);
  });

  it('is that of the reference for the sanity buffer of its own tests', () => {
    // The generator and the sums of xxHash's `xsum_sanity_check.c`, seed 0.
    const bytes = new Uint8Array(222);
    let generator = 2_654_435_761n;
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = Number(generator >> 56n);
      generator = BigInt.asUintN(64, generator * 11_400_714_785_074_694_797n);
    }
    const sums = [0, 1, 4, 14, 222].map((length) => xxh64(bytes.subarray(0, length)).toString(16).toUpperCase());
    expect(sums).toEqual([
      'EF46DB3751D8E999',
      'E934A84ADB052768',
      '9136A0DCA57457EE',
      '8282DCC4994E35C8',
      'B641AE8CB691C174',
    ]);
  });
});

describe('a sample', () => {
  it('is by the hash that docs/spec/online-scoring.md shows', () => {
    expect(sampleHash('local', 'trace-1')).toBe('195df21eee20dac3');
  });

  it('of a higher rate holds all of one of a lower rate', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.string(), fc.string(), rate, rate, (cohort, trace, a, b) => {
        const hash = sampleHash(cohort, trace);
        expect(isInSample(hash, Math.min(a, b)) && !isInSample(hash, Math.max(a, b))).toBe(false);
        expect([isInSample(hash, 0), isInSample(hash, 1)]).toEqual([false, true]);
      }),
    );
  });

  it('takes about the part of the traces that the rate says, and other ones in another cohort', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `trace-${n}`);
    const taken = (cohort: string) => ids.filter((id) => isInSample(sampleHash(cohort, id), 0.3));
    expect(Math.abs(taken('a').length / ids.length - 0.3)).toBeLessThan(0.03);
    const inB = new Set(taken('b'));
    expect(Math.abs(taken('a').filter((id) => inB.has(id)).length / ids.length - 0.09)).toBeLessThan(0.02);
  });
});
