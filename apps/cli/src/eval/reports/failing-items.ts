import type { EvalItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { EvalReport } from './eval-report.js';
import { outcomeOf, type ItemOutcome } from './item-outcome.js';

/** Datapoints that do not pass. */
export interface FailingItems {
  /** `3 datapoints do not pass`. */
  title: string;
  /** The worst of them, lowest score first. */
  worst: (ItemOutcome & { item: EvalItem })[];
}

/** @returns the datapoints of a run that do not pass; `undefined` where all do. @param shownMax most that are given. */
export function failingItems(
  { items, run }: Pick<EvalReport, 'items' | 'run'>,
  shownMax: number,
): FailingItems | undefined {
  const failing = items
    .map((item) => ({ item, ...outcomeOf(item, run.pass_score) }))
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'error')
    // One without any score is worse than one with 0.
    .sort((a, b) => (a.item.score ?? -1) - (b.item.score ?? -1));
  if (failing.length === 0) return undefined;
  const count = `${formatCounted(failing.length, 'datapoint')} ${failing.length === 1 ? 'does' : 'do'} not pass`;
  return {
    title: failing.length > shownMax ? `${count}, the worst ${shownMax} of them` : count,
    worst: failing.slice(0, shownMax),
  };
}
