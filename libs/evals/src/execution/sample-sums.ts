import { addCost, isUnpricedUse, subtractCost, toCostSum, type CostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../status.js';

/** What sums over samples are made of. */
export type CountedSample = Pick<EvalResultRow, 'status' | 'tokens' | 'cost' | 'judgeTokens' | 'judgeCost'>;

/** What sums over items are made of. */
export type CountedItem = Pick<EvalResultRow, 'status' | 'score'>;

/** Adds a processed sample to the run's sums. */
export function addSample(run: EvalRunRow, sample: CountedSample): void {
  countSample(run, sample, 1, addCost);
  const { cost, judgeCost } = sample;
  if (cost !== null || judgeCost !== null) noteDearest(run, addCost(toCostSum(cost ?? 0), toCostSum(judgeCost ?? 0)));
}

/** Takes a sample that was added out of the run's sums again; what the dearest one costs stays as it is. */
export const takeSample = (run: EvalRunRow, sample: CountedSample): void => countSample(run, sample, -1, subtractCost);

/** Adds an item, all of whose samples are processed, to the run's sums. */
export const addItem = (run: EvalRunRow, item: CountedItem): void => countItem(run, item, 1);

/** Takes an item that was added out of the run's sums again. */
export function takeItem(run: EvalRunRow, item: CountedItem): void {
  countItem(run, item, -1);
  // No rounding is left of scores that are all gone.
  if (run.scoreCount === 0) run.scoreSum = 0;
}

function countSample(
  run: EvalRunRow,
  { status, tokens, cost, judgeTokens, judgeCost }: CountedSample,
  count: 1 | -1,
  sumOf: typeof addCost,
): void {
  run.sampleProgress += count;
  if (status === RESULT_STATUS.failed) run.failedSamples += count;
  run.totalTokens += count * (tokens ?? 0);
  if (cost !== null) {
    const { usd, pico } = sumOf({ usd: run.costUsd, pico: run.costPico }, toCostSum(cost));
    run.costUsd = usd;
    run.costPico = pico;
    run.costCount += count;
  }
  if (isUnpricedUse(tokens, cost)) run.unpricedCount += count;
  run.judgeTokens += count * (judgeTokens ?? 0);
  if (judgeCost !== null) {
    const { usd, pico } = sumOf({ usd: run.judgeCostUsd, pico: run.judgeCostPico }, toCostSum(judgeCost));
    run.judgeCostUsd = usd;
    run.judgeCostPico = pico;
    run.judgeCostCount += count;
  }
  if (isUnpricedUse(judgeTokens, judgeCost)) run.judgeUnpricedCount += count;
}

function countItem(run: EvalRunRow, { status, score }: CountedItem, count: 1 | -1): void {
  run.progress += count;
  if (status === RESULT_STATUS.failed) run.failedCount += count;
  if (score === null) return;
  run.scoreSum += count * score;
  run.scoreCount += count;
}

function noteDearest(run: EvalRunRow, { usd, pico }: CostSum): void {
  const { dearestUsd, dearestPico } = run;
  if (dearestUsd !== null && (usd < dearestUsd || (usd === dearestUsd && pico <= dearestPico!))) return;
  run.dearestUsd = usd;
  run.dearestPico = pico;
}
