import { toCostSum, type CostSum } from '@spandrel/tracing';
import type { EvalRunRow } from '../eval-run.entity.js';

/** Whether a sample may begin: at once, perhaps when another one has ended, or never. */
export type CapDecision = 'begin' | 'wait' | 'stop';

type CappedRun = Pick<
  EvalRunRow,
  'costCap' | 'costUsd' | 'costPico' | 'judgeCostUsd' | 'judgeCostPico' | 'dearestUsd' | 'dearestPico'
>;

/**
 * Decides by the cost cap of a run (docs/spec/evaluations.md#cost-cap): what was spent, and the dearest sample so far for each
 * one that is under way and for this one, must not be above it. Until a cost is known one sample at a time tells what one costs.
 * All in whole trillionths of a dollar, so that sums are exact.
 * @param inFlight samples that are being called.
 */
export function decideByCap(run: CappedRun, inFlight: number): CapDecision {
  if (run.costCap === null) return 'begin';
  if (run.dearestUsd === null) return inFlight === 0 ? 'begin' : 'wait';
  const spent =
    picoOf({ usd: run.costUsd, pico: run.costPico }) + picoOf({ usd: run.judgeCostUsd, pico: run.judgeCostPico });
  const dearest = picoOf({ usd: run.dearestUsd, pico: run.dearestPico! });
  if (spent + BigInt(inFlight + 1) * dearest <= picoOf(toCostSum(run.costCap))) return 'begin';
  return inFlight > 0 ? 'wait' : 'stop';
}

const PICO_PER_USD = 1_000_000_000_000n;

const picoOf = ({ usd, pico }: CostSum): bigint => BigInt(usd) * PICO_PER_USD + BigInt(pico);
