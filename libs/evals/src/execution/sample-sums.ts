import { addCost, isUnpricedUse, toCostSum, type CostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../status.js';

/** What sums over samples are made of. */
export type CountedSample = Pick<EvalResultRow, 'status' | 'tokens' | 'cost' | 'judgeTokens' | 'judgeCost'>;

/** Adds a processed sample to the run's sums. */
export function addSample(run: EvalRunRow, sample: CountedSample): void {
  const { status, tokens, cost, judgeTokens, judgeCost } = sample;
  run.sampleProgress++;
  if (status === RESULT_STATUS.failed) run.failedSamples++;
  run.totalTokens += tokens ?? 0;
  if (cost !== null) {
    const { usd, pico } = addCost({ usd: run.costUsd, pico: run.costPico }, toCostSum(cost));
    run.costUsd = usd;
    run.costPico = pico;
    run.costCount++;
  }
  if (isUnpricedUse(tokens, cost)) run.unpricedCount++;
  run.judgeTokens += judgeTokens ?? 0;
  if (judgeCost !== null) {
    const { usd, pico } = addCost({ usd: run.judgeCostUsd, pico: run.judgeCostPico }, toCostSum(judgeCost));
    run.judgeCostUsd = usd;
    run.judgeCostPico = pico;
    run.judgeCostCount++;
  }
  if (isUnpricedUse(judgeTokens, judgeCost)) run.judgeUnpricedCount++;
  if (cost !== null || judgeCost !== null) noteDearest(run, addCost(toCostSum(cost ?? 0), toCostSum(judgeCost ?? 0)));
}

/** Adds an item, all of whose samples are processed, to the run's sums. */
export function addItem(run: EvalRunRow, { status, score }: Pick<EvalResultRow, 'status' | 'score'>): void {
  run.progress++;
  if (status === RESULT_STATUS.failed) run.failedCount++;
  if (score !== null) {
    run.scoreSum += score;
    run.scoreCount++;
  }
}

function noteDearest(run: EvalRunRow, { usd, pico }: CostSum): void {
  const { dearestUsd, dearestPico } = run;
  if (dearestUsd !== null && (usd < dearestUsd || (usd === dearestUsd && pico <= dearestPico!))) return;
  run.dearestUsd = usd;
  run.dearestPico = pico;
}
