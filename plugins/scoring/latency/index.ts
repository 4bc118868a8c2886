import { defineScorer } from '@spandrel/plugin-api';

/** 1 when the model answered within a time, else 0 (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer({
  name: 'Latency',
  config: (z) =>
    z.strictObject({ max_ms: z.number().min(0).optional().describe('Needed: milliseconds that pass, and less.') }),
  setup: () => ({
    needsExpected: false,
    configFaults: ({ max_ms: max }) => (max === undefined ? [{ path: 'max_ms', message: 'is required' }] : []),
    score({ latencyMs, config: { max_ms: max = 0 } }) {
      if (latencyMs === null) throw new Error('it is not known how long the output took');
      // The item shows whole milliseconds.
      const took = Math.round(latencyMs);
      return { score: took <= max ? 1 : 0, reason: `${took} ms, and ${max} ms pass` };
    },
  }),
});
