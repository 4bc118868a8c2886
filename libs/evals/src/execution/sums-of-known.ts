import { addCost, costOf, toCostSum, type CostSum } from '@spandrel/tracing';

/** The sum of the amounts that are known; `null` when none is. */
export function addAmounts(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}

/** The sum of the costs that are known, to the trillionth of a dollar; `null` when none is. */
export function addCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  // One that stands alone stays to the last digit what it is.
  return known.length <= 1 ? (known[0] ?? null) : costOf(known.map(toCostSum).reduce(addCost, NOTHING));
}

const NOTHING: CostSum = { usd: 0, pico: 0 };
