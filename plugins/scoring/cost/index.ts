import { defineScorer } from '@spandrel/plugin-api';

/** Costs are sums of doubles; what is less apart is the same. */
const ROUNDING_USD = 1e-12;

/** 1 when the output cost no more than a limit, else 0 (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer({
  name: 'Cost',
  config: (z) =>
    z.strictObject({ max_usd: z.number().min(0).optional().describe('Needed: dollars that pass, and less.') }),
  setup: () => ({
    needsExpected: false,
    configFaults: ({ max_usd: max }) => (max === undefined ? [{ path: 'max_usd', message: 'is required' }] : []),
    score({ cost, config: { max_usd: max = 0 } }) {
      if (cost === null) throw new Error('it is not known what the output cost: its model has no price, or no tokens');
      return { score: cost <= max + ROUNDING_USD ? 1 : 0, reason: `$${cost}, and $${max} pass` };
    },
  }),
});
