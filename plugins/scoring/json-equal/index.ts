import { defineScorer, jsonDifference, readExactJson } from '@spandrel/plugin-api';

/**
 * 1 when the output is the expected JSON, however it is written, else 0 and where it differs first
 * (docs/spec/evaluations.md#scoring-strategies).
 */
export default defineScorer({
  name: 'JsonEqual',
  config: (z) =>
    z.strictObject({ number_tolerance: z.number().min(0).default(0).describe('By how much numbers may differ.') }),
  setup: () => ({
    needsExpected: true,
    score({ output, expected, config }) {
      // A text that is expected is read as JSON; one that is none is the text itself.
      const right = typeof expected === 'string' ? (readExactJson(expected) ?? expected) : expected;
      const value = readExactJson(output);
      if (value === undefined) {
        return output === right ? { score: 1 } : { score: 0, reason: 'the output is not JSON' };
      }
      const difference = jsonDifference(value, right, config.number_tolerance);
      return difference === undefined ? { score: 1 } : { score: 0, reason: difference };
    },
  }),
});
