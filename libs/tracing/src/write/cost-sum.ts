/** A sum of dollars kept as whole dollars and trillionths, so that adding and taking away again leaves no trace. */
export interface CostSum {
  readonly usd: number;
  readonly pico: number;
}

const PICO_PER_USD = 1_000_000_000_000;

/** Costs beyond this count as this much in sums: whole dollars stay exact integers. */
const COST_MAX_USD = 1_000_000_000;

/** @param cost dollars, not negative. */
export function toCostSum(cost: number): CostSum {
  const capped = Math.min(cost, COST_MAX_USD);
  const usd = Math.floor(capped);
  return carried(usd, Math.round((capped - usd) * PICO_PER_USD));
}

export const addCost = (sum: CostSum, cost: CostSum): CostSum => carried(sum.usd + cost.usd, sum.pico + cost.pico);

export const subtractCost = (sum: CostSum, cost: CostSum): CostSum => carried(sum.usd - cost.usd, sum.pico - cost.pico);

/** Dollars: the double nearest to the sum, which adding the two parts up would miss by a digit now and then. */
export const costOf = ({ usd, pico }: CostSum): number => Number(`${usd}.${String(pico).padStart(12, '0')}`);

function carried(usd: number, pico: number): CostSum {
  const carry = Math.floor(pico / PICO_PER_USD);
  return { usd: usd + carry, pico: pico - carry * PICO_PER_USD };
}
