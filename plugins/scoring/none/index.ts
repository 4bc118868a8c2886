import { defineScorer } from '@spandrel/plugin-api';

/** Records outputs and judges none (service-spec "Scoring strategies"). */
export default defineScorer({
  name: 'None',
  setup: () => ({ needsExpected: false, score: () => ({ score: null }) }),
});
