import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../eval-run.js';
import { addItem, addSample, takeItem, takeSample } from './add-samples.js';

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
