import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fit, moveEdge, ticksOf, wholeRange, zoom, seenStretches, shareOf } from './timeline-range.js';

describe('the range of a timeline', () => {
  it('zooms in around the middle and out to the whole, no further', () => {
    expect(zoom({ from: 0, to: 100 }, 100, 'in')).toEqual({ from: 25, to: 75 });
    expect(zoom({ from: 80, to: 100 }, 100, 'out')).toEqual({ from: 60, to: 100 });
    expect(zoom({ from: 0, to: 100 }, 100, 'out')).toEqual(wholeRange(100));
  });

  it('fits a span with room around it, also one without a length', () => {
    expect(fit({ from: 40, to: 60 }, 100)).toEqual({ from: 39, to: 61 });
    const { from, to } = fit({ from: 100, to: 100 }, 100);
    expect(to - from).toBeCloseTo(0.1);
  });

  it('moves edges never past each other', () => {
    expect(moveEdge({ from: 10, to: 20 }, 100, 'from', 30).from).toBeCloseTo(19.9);
    expect(moveEdge({ from: 10, to: 20 }, 100, 'to', 300)).toEqual({ from: 10, to: 100 });
  });

  it('stays within the trace and never becomes nothing', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ step: fc.constant('zoom' as const), direction: fc.constantFrom('in' as const, 'out' as const) }),
        fc.record({ step: fc.constant('fit' as const), from: fc.nat(900), length: fc.nat(100) }),
      ),
    );
    fc.assert(
      fc.property(fc.nat(1000), steps, (total, done) => {
        const whole = wholeRange(total);
        let range = whole;
        for (const one of done) {
          if (one.step === 'zoom') range = zoom(range, total, one.direction);
          else range = fit({ from: one.from, to: one.from + one.length }, total);
          expect(range.from).toBeGreaterThanOrEqual(0);
          expect(range.to).toBeLessThanOrEqual(whole.to + 1e-6);
          expect(range.to - range.from).toBeGreaterThan(0.09);
        }
      }),
    );
  });

  it('writes round moments', () => {
    expect(ticksOf({ from: 0, to: 1000 }, 5)).toEqual([0, 200, 400, 600, 800]);
    expect(ticksOf({ from: 130, to: 190 }, 4)).toEqual([140, 160, 180]);
    expect(ticksOf({ from: 0, to: 0.3 }, 3)).toEqual([0, 0.1, 0.2]);
  });
});

const RANGE = { from: 0, to: 1_000 };

describe('seenStretches', () => {
  it('leaves out what is elsewhere and draws close neighbours as one', () => {
    const stretches = [
      { from: -5, to: 0 },
      { from: 1, to: 10 },
      { from: 10.5, to: 20 },
      { from: 30, to: 40 },
      { from: 1_000, to: 1_001 },
    ];
    const seen = [
      { from: 1, to: 20 },
      { from: 30, to: 40 },
    ];
    expect(seenStretches(stretches, RANGE)).toEqual(seen);
    expect(stretches[1]).toEqual({ from: 1, to: 10 });
  });

  it('draws no more than a row can hold', () => {
    const many = Array.from({ length: 900 }, (_, index) => ({ from: index * 20, to: index * 20 + 2 }));
    const seen = seenStretches(many, { from: 0, to: 18_000 });
    expect(seen).toHaveLength(200);
    expect(seen.at(-1)!.to).toBe(17_982);
  });
});

describe('shareOf', () => {
  it('gives shares of the range, cut to it', () => {
    expect(shareOf({ from: 250, to: 500 }, RANGE)).toEqual({ left: 0.25, width: 0.25 });
    expect(shareOf({ from: -100, to: 2_000 }, RANGE)).toEqual({ left: 0, width: 1 });
    expect(shareOf({ from: 500, to: 500 }, RANGE)).toEqual({ left: 0.5, width: 0 });
  });
});
