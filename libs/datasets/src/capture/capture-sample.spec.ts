import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '@spandrel/kernel';
import { isSampled } from './capture-sample.js';

const rate = fc.double({ min: 0, max: 1, noNaN: true });
const id = fc.string({ minLength: 1, maxLength: 40 });

const takenOf = (ruleId: string, spanIds: readonly string[], sampleRate: number): string[] =>
  spanIds.filter((spanId) => isSampled(ruleId, spanId, sampleRate));

describe('isSampled', () => {
  it('takes all at 1 and none at 0', () => {
    fc.assert(
      fc.property(id, id, (rule, span) => {
        expect([isSampled(rule, span, 1), isSampled(rule, span, 0)]).toEqual([true, false]);
      }),
    );
  });

  it('takes about the part of the spans that the rate says', () => {
    const rule = newId();
    const ids = Array.from({ length: 5_000 }, () => newId());
    fc.assert(
      fc.property(rate, (sampleRate) => {
        // Five standard deviations.
        const tolerance = 5 * Math.sqrt((sampleRate * (1 - sampleRate)) / ids.length) + 1e-9;
        expect(Math.abs(takenOf(rule, ids, sampleRate).length / ids.length - sampleRate)).toBeLessThanOrEqual(
          tolerance,
        );
      }),
      { numRuns: 25 },
    );
  });

  it('takes at a higher rate what it takes at a lower one', () => {
    fc.assert(
      fc.property(id, id, rate, rate, (rule, span, a, b) => {
        const [lower, higher] = [Math.min(a, b), Math.max(a, b)];
        expect(isSampled(rule, span, lower) && !isSampled(rule, span, higher)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the SHA-256 of rule and span, so that a retry, a restart and another instance decide the same', () => {
    const spans = Array.from({ length: 20 }, (_, n) => `span-${n}`);
    expect(takenOf('01ARZ3NDEKTSV4RRFFQ69G5FAV', spans, 0.3)).toEqual([
      'span-0',
      'span-1',
      'span-3',
      'span-6',
      'span-11',
      'span-12',
    ]);
  });

  it('samples for each rule on its own', () => {
    const spans = Array.from({ length: 1_000 }, () => newId());
    const [first, second] = [takenOf(newId(), spans, 0.5), new Set(takenOf(newId(), spans, 0.5))];
    const both = first.filter((spanId) => second.has(spanId)).length;
    expect(both).toBeGreaterThan(150);
    expect(both).toBeLessThan(350);
  });
});
