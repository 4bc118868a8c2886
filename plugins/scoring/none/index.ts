import { defineScorer } from '@spandrel/plugin-api';

/** Records outputs and judges none (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer({
  name: 'None',
  setup: () => ({ needsExpected: false, score: () => ({ score: null }) }),
});
