import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCostSum } from '@spandrel/tracing';
import type { EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../eval-run.js';
import { addItem, addSample, takeItem, takeSample, decideByCap } from './add-samples.js';

const EMPTY = {
  ...{ progress: 0, failedCount: 0, sampleProgress: 0, failedSamples: 0, scoreSum: 0, scoreCount: 0, totalTokens: 0 },
  ...{ costUsd: 0, costPico: 0, costCount: 0, unpricedCount: 0 },
  ...{ judgeTokens: 0, judgeCostUsd: 0, judgeCostPico: 0, judgeCostCount: 0, judgeUnpricedCount: 0 },
  ...{ dearestUsd: null, dearestPico: null, reusedSamples: 0 },
} as unknown as EvalRunRow;

const count = fc.option(fc.nat(1_000_000));
const cost = fc.option(fc.double({ min: 0, max: 1_000, noNaN: true }));
const sample = fc.record({
  status: fc.constantFrom(RESULT_STATUS.completed, RESULT_STATUS.failed),
  // Eighths add up without rounding.
  score: fc.option(fc.nat(8).map((eighths) => eighths / 8)),
  ...{ tokens: count, cost, judgeTokens: count, judgeCost: cost },
  reusedRunId: fc.constantFrom(null, 'r'),
});

type Sample = Parameters<typeof addSample>[1] & Parameters<typeof addItem>[1];

const sumsOf = (samples: readonly Sample[]): EvalRunRow => {
  const run = { ...EMPTY };
  for (const one of samples) {
    addSample(run, one);
    addItem(run, one);
  }
  return run;
};

describe('the sums of a run', () => {
  it('are those of the samples that are there, whichever were taken out again', () => {
    fc.assert(
      fc.property(fc.array(sample), fc.array(sample), (kept, taken) => {
        const run = sumsOf([...taken, ...kept]);
        for (const one of taken) {
          takeSample(run, one);
          takeItem(run, one);
        }
        // The dearest of all that were there is remembered.
        const { dearestUsd, dearestPico } = run;
        expect(run).toEqual({ ...sumsOf(kept), dearestUsd, dearestPico });
      }),
    );
  });
});

function runOf(cap: number | null): EvalRunRow {
  const sums = { costUsd: 0, costPico: 0, costCount: 0, judgeCostUsd: 0, judgeCostPico: 0, judgeCostCount: 0 };
  const counts = { sampleProgress: 0, failedSamples: 0, totalTokens: 0, unpricedCount: 0 };
  const judge = { judgeTokens: 0, judgeUnpricedCount: 0 };
  return {
    ...sums,
    ...counts,
    ...judge,
    retriedUsd: 0,
    retriedPico: 0,
    dearestUsd: null,
    dearestPico: null,
    costCap: cap,
  } as EvalRunRow;
}

const spend = (run: EvalRunRow, cost: number | null, judgeCost: number | null = null): void =>
  addSample(run, { status: RESULT_STATUS.completed, tokens: 1, cost, judgeTokens: null, judgeCost, reusedRunId: null });

/** How many samples of one price begin, so many at once. */
function callsOf(cap: number, price: number, slots: number): number {
  const run = runOf(cap);
  let begun = 0;
  for (let inFlight = 0; ;) {
    const decision = inFlight < slots ? decideByCap(run, inFlight) : 'wait';
    if (decision === 'stop') return begun;
    if (decision === 'begin') {
      begun++;
      inFlight++;
    } else {
      inFlight--;
      spend(run, price);
    }
  }
}

describe('the cost cap', () => {
  it.each([1, 3, 8, 64])('lets exactly as many samples of one price begin as it pays for, %d at once', (slots) => {
    expect(callsOf(0.3, 0.1, slots)).toBe(3);
    expect(callsOf(0.30000000000000004, 0.1, slots)).toBe(3);
    expect(callsOf(0.7, 0.1, slots)).toBe(7);
    expect(callsOf(0.29, 0.1, slots)).toBe(2);
    expect(callsOf(0.001, 0.000_000_25, slots)).toBe(4_000);
    expect(callsOf(5, 0.7, slots)).toBe(7);
    expect(callsOf(2, 1.25, slots)).toBe(1);
  });

  it('adds what the run and its judges cost to the trillionth', () => {
    const run = runOf(0.6);
    spend(run, 0.1, 0.2);
    expect(decideByCap(run, 0)).toBe('begin');
    expect([run.dearestUsd, run.dearestPico]).toEqual([0, 300_000_000_000]);
    spend(run, 0.2, 0.1);
    expect(decideByCap(run, 0)).toBe('stop');
    expect(decideByCap({ ...run, costCap: 0.9 }, 0)).toBe('begin');
    expect(decideByCap({ ...run, costCap: 0.9 }, 1)).toBe('wait');
    expect(decideByCap({ ...run, costCap: 0.899_999_999_999 }, 0)).toBe('stop');
  });

  it('tries one sample at a time until a cost is known, whatever it turns out to be', () => {
    const run = runOf(1);
    expect([decideByCap(run, 0), decideByCap(run, 1)]).toEqual(['begin', 'wait']);
    spend(run, null);
    expect([decideByCap(run, 0), decideByCap(run, 1)]).toEqual(['begin', 'wait']);
    spend(run, 0);
    expect([decideByCap(run, 0), decideByCap(run, 1_000)]).toEqual(['begin', 'begin']);
    spend(run, 2);
    expect([decideByCap(run, 1), decideByCap(run, 0)]).toEqual(['wait', 'stop']);
  });

  it('reckons with the dearest sample, whichever came last', () => {
    const run = runOf(10);
    for (const cost of [0.5, 3, 1, 2.999_999_999_999]) spend(run, cost);
    expect(toCostSum(3)).toEqual({ usd: run.dearestUsd, pico: run.dearestPico });
    expect([decideByCap(run, 0), decideByCap(run, 1)]).toEqual(['stop', 'wait']);
  });

  it('is none where the run has none', () => {
    expect(decideByCap(runOf(null), 1_000)).toBe('begin');
  });
});
