import { defineScorer, plainTextOf, readExactJson, sameJson } from '@spandrel/plugin-api';

/**
 * 1 when the output is the expected text, or JSON of the expected value, else 0
 * (docs/spec/evaluations.md#expected-text).
 */
export default defineScorer({
  name: 'ExactMatch',
  setup: () => ({
    needsExpected: true,
    score: ({ output, expected }) => ({ score: matches(output, expected) ? 1 : 0 }),
  }),
});

function matches(output: string, expected: unknown): boolean {
  if (output === plainTextOf(expected)) return true;
  return typeof expected !== 'string' && sameJson(readExactJson(output), expected);
}
