import { defineScorer, plainTextOf } from '@spandrel/plugin-api';
import { foldCase } from './fold-case.js';

/** 1 when the output has the expected text in it, in any case, else 0 (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer({
  name: 'Contains',
  setup: () => ({
    needsExpected: true,
    score: ({ output, expected }) => ({
      score: foldCase(output).includes(foldCase(plainTextOf(expected))) ? 1 : 0,
    }),
  }),
});
